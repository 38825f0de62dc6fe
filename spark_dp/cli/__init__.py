"""The command line ``spark-dp``: each module here has some of its commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

from spark_dp.errors import ArgumentError, BudgetError, SparkDPError

try:
    import typer
    from rich.console import Console
except ModuleNotFoundError as missing:
    sys.exit(f"spark-dp needs {missing.name}, which is not installed: pip install 'spark-dp[cli,layer]'.")

from spark_dp.cli import auditing, budgets, demo, doctor, planning, policies, running, sampling

app = typer.Typer(
    help="Differentially private samples of Spark tables: plan, draw, and keep account of them.",
    epilog="Exit status: 0 if all went well, 1 if something failed on the way, 2 if the command cannot be answered: "
    "then nothing was read and nothing was charged. Errors go to stderr.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for command in (
    *(demo.demo, planning.plan, sampling.sample, sampling.histogram),
    *(policies.check, policies.schema, running.run),
):
    app.command()(command)
app.add_typer(budgets.app, name="budget")
for command in (auditing.audit, doctor.doctor):
    app.command()(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, or a command of it; errors take a line each, and no traceback.

    Args:
        arguments: the command and its options; those of this process if not given.
    """
    try:
        app(arguments, prog_name="spark-dp")
    except SparkDPError as error:
        _end(str(error), 2 if isinstance(error, ArgumentError | BudgetError) else 1)
    except ModuleNotFoundError as missing:
        package = str(missing.name).partition(".")[0]
        _end(f"this needs {package}, which is not installed: pip install 'spark-dp[cli,layer,local]'.", 2)
    except Exception as error:
        told = _of_spark(error)
        if told is None:
            raise
        _end(told, 1)


def _end(message: str, status: int) -> NoReturn:
    Console(stderr=True, soft_wrap=True).print(
        f"spark-dp: error: {message}", style="red", markup=False, highlight=False
    )
    sys.exit(status)


def _of_spark(error: Exception) -> str | None:
    """What Spark said, if it was Spark."""
    if "pyspark" not in sys.modules:
        return None
    from spark_dp.spark.session import told_by_spark

    return told_by_spark(error)
