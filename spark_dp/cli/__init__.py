"""The command line ``spark-dp``: each module here has some of its commands."""

from __future__ import annotations

import sys

from spark_dp.errors import ArgumentError, BudgetError, SparkDPError

try:
    import typer
    from rich.console import Console
except ModuleNotFoundError as missing:
    sys.exit(f"spark-dp needs {missing.name}, which is not installed: pip install 'spark-dp[cli,layer]'.")

from spark_dp.cli import budgets, policies

app = typer.Typer(
    help="Differentially private samples of Spark tables: plan, draw, and keep account of them.",
    epilog="Exit status: 0 if all went well, 1 if something failed on the way, 2 if the command cannot be answered: "
    "then nothing was read and nothing was charged. Errors go to stderr.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command()(policies.check)
app.command()(policies.schema)
app.add_typer(budgets.app, name="budget")


def main() -> None:
    """Run the command line; an error of ours takes no traceback."""
    try:
        app()
    except SparkDPError as error:
        Console(stderr=True, soft_wrap=True).print(str(error), style="red", markup=False, highlight=False)
        sys.exit(2 if isinstance(error, ArgumentError | BudgetError) else 1)
