"""The command line: ``spark-dp check`` and ``spark-dp budget``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from spark_dp.errors import PolicyError, SparkDPError

try:
    import typer
    from rich.console import Console
    from rich.table import Table
except ModuleNotFoundError as missing:
    sys.exit(f"spark-dp needs {missing.name}, which is not installed: pip install 'spark-dp[cli,layer]'.")

if TYPE_CHECKING:
    from spark_dp.budget.ledger import Ledger

app = typer.Typer(
    help="Differentially private releases of Spark tables: check policies, look after budgets.",
    epilog="Exit status: 0 if all went well, 1 if something is wrong, 2 if the command was not understood.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
budget_app = typer.Typer(help="What was charged to the budgets of a ledger, and what is left.", no_args_is_help=True)
app.add_typer(budget_app, name="budget")

LedgerPlace = Annotated[
    str,
    typer.Option("--ledger", envvar="SPARK_DP_LEDGER", help="File or database URL of the ledger.", show_default=False),
]
AsJSON = Annotated[bool, typer.Option("--json", help="As JSON instead of a table.")]
PolicyFile = Annotated[Path, typer.Argument(help="The policy, such as conf/privacy.yaml.", show_default=False)]


def main() -> None:
    """Run the command line; an error of ours takes no traceback."""
    try:
        app()
    except SparkDPError as error:
        Console(stderr=True, soft_wrap=True).print(str(error), style="red", markup=False, highlight=False)
        sys.exit(1)


@app.command()
def check(
    policy: PolicyFile,
    spark: Annotated[bool, typer.Option(help="Look whether the tables are there and the domains fit them.")] = True,
) -> None:
    """Check a policy file: every mistake in it, with its line and key.

    Starts Spark to find the tables and fit the domains to their columns; no private row is read. With --no-spark
    only the file itself is read.
    """
    from spark_dp.policy.loading import read_policy

    found, document = read_policy(policy)
    if spark:
        from spark_dp.policy.layer import problems
        from spark_dp.spark.session import session

        told = problems(found, session("spark-dp check"), document)
        if told:
            raise PolicyError("\n".join(told))
    columns = sum(len(dataset.columns) for dataset in found.datasets.values())
    typer.echo(f"{policy}: {len(found.datasets)} datasets with {columns} columns, no mistakes.")


@app.command()
def schema() -> None:
    """Print the JSON Schema of policy files, with which editors check and complete them."""
    from spark_dp.policy.model import Policy

    typer.echo(json.dumps(Policy.model_json_schema(), indent=2, ensure_ascii=False))


@budget_app.command()
def show(ledger: LedgerPlace, as_json: AsJSON = False) -> None:
    """Show every budget: its total, what was charged, what is left."""
    _print([asdict(balance) for balance in _ledger(ledger).balances()], "Budgets", as_json=as_json)


@budget_app.command()
def history(
    ledger: LedgerPlace,
    name: Annotated[str | None, typer.Argument(help="Of one budget only.", show_default=False)] = None,
    as_json: AsJSON = False,
) -> None:
    """Show every charge, from the first on: when, how much, for what, and how it ended."""
    _print(_charges(_ledger(ledger), name), "Charges", as_json=as_json)


@budget_app.command()
def export(
    ledger: LedgerPlace, output: Annotated[Path, typer.Argument(help="File to write, such as ledger.json.")]
) -> None:
    """Write all budgets and charges to one JSON file."""
    kept = _ledger(ledger)
    content = {"budgets": [asdict(balance) for balance in kept.balances()], "charges": _charges(kept, None)}
    aside = output.with_name(f".{output.name}.part")
    aside.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    aside.replace(output)
    typer.echo(f"{len(content['charges'])} charges of {len(content['budgets'])} budgets are in {output}.")


@budget_app.command()
def apply(
    policy: PolicyFile, ledger: Annotated[str | None, typer.Option(help="Instead of the policy's own.")] = None
) -> None:
    """Give the budgets of a ledger the amounts of a policy file, after it was reviewed. Charges stay."""
    from spark_dp.policy.loading import read_policy

    found, document = read_policy(policy)
    place = ledger or found.ledger
    if place is None:
        raise PolicyError(document.error((), "there is no ledger. Name one in the file, or give --ledger."))
    kept = _ledger(place, create=True)
    known = {balance.name for balance in kept.balances()}
    for name, dataset in found.datasets.items():
        give = kept.change_budget if name in known else kept.budget
        give(name, total=str(dataset.budget.total), period=dataset.budget.period)
    _print([asdict(balance) for balance in kept.balances()], "Budgets", as_json=False)


def _ledger(place: str, *, create: bool = False) -> Ledger:
    """A ledger that is there, unless it may be made: a wrong name makes none."""
    from spark_dp.budget.ledger import Ledger

    return Ledger(place, create=create)


def _charges(ledger: Ledger, name: str | None) -> list[dict[str, Any]]:
    """The charges as flat lines."""
    return [
        {
            "reserved_at": charge.reserved_at,
            "budget": charge.budget,
            "cost": charge.cost,
            "state": charge.state,
            "ended_at": charge.ended_at,
            **charge.entry.record(),
        }
        for charge in ledger.history(name)
    ]


#: Columns of a table that people read; JSON has all.
_SHOWN = {
    "Budgets": ("name", "total", "spent", "remaining", "period", "period_total", "period_spent", "unfinished"),
    "Charges": ("reserved_at", "budget", "cost", "state", "method", "columns", "num_samples", "release_id"),
}


def _print(lines: Sequence[Mapping[str, Any]], title: str, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(lines, indent=2, ensure_ascii=False))
        return
    table = Table(title=title)
    for name in _SHOWN[title]:
        table.add_column(name.replace("_", " "), overflow="fold")
    for line in lines:
        table.add_row(*(_cell(line[name]) for name in _SHOWN[title]))
    Console().print(table)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return "" if value is None else str(value)
