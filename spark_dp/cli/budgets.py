"""``spark-dp budget``: what a ledger holds."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spark_dp.cli.options import AsJSON, LedgerPlace, PolicyFile
from spark_dp.cli.output import print_json, print_table
from spark_dp.errors import PolicyError
from spark_dp.wording import numbered

if TYPE_CHECKING:
    from spark_dp.budget.ledger import Ledger

app = typer.Typer(help="What was charged to the budgets of a ledger, and what is left.", no_args_is_help=True)

#: Columns of the tables that people read; JSON has all.
_BALANCE = ("name", "total", "spent", "remaining", "period", "period_total", "period_spent", "unfinished")
_CHARGE = ("reserved_at", "budget", "cost", "state", "method", "columns", "num_samples", "release_id")


@app.command()
def show(ledger: LedgerPlace, as_json: AsJSON = False) -> None:
    """Show every budget: its total, what was charged, what is left."""
    _show_balances(_ledger(ledger), as_json=as_json)


@app.command()
def history(
    ledger: LedgerPlace,
    name: Annotated[str | None, typer.Argument(help="Of one budget only.", show_default=False)] = None,
    as_json: AsJSON = False,
) -> None:
    """Show every charge, from the first on: when, how much, for what, and how it ended."""
    charges = _charges(_ledger(ledger), name)
    if as_json:
        print_json(charges)
    else:
        print_table("Charges", _CHARGE, charges)


@app.command()
def export(
    ledger: LedgerPlace,
    output: Annotated[Path, typer.Argument(help="File to write, such as ledger.json.", show_default=False)],
    as_json: AsJSON = False,
) -> None:
    """Write all budgets and charges to one JSON file."""
    kept = _ledger(ledger)
    content = {"budgets": [asdict(balance) for balance in kept.balances()], "charges": _charges(kept, None)}
    aside = output.with_name(f".{output.name}.part")
    aside.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    aside.replace(output)
    charges, budgets = len(content["charges"]), len(content["budgets"])
    if as_json:
        print_json({"output": str(output), "charges": charges, "budgets": budgets})
    else:
        typer.echo(f"{output} holds {numbered(charges, 'charge')} of {numbered(budgets, 'budget')}.")


@app.command()
def apply(
    policy: PolicyFile,
    ledger: Annotated[str | None, typer.Option(help="Instead of the policy's own.", show_default=False)] = None,
    as_json: AsJSON = False,
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
    _show_balances(kept, as_json=as_json)


def _ledger(place: str, *, create: bool = False) -> Ledger:
    """A ledger that is there, unless it may be made: a wrong name makes none."""
    from spark_dp.budget.ledger import Ledger

    return Ledger(place, create=create)


def _show_balances(ledger: Ledger, *, as_json: bool) -> None:
    balances = [asdict(balance) for balance in ledger.balances()]
    if as_json:
        print_json(balances)
    else:
        print_table("Budgets", _BALANCE, balances)


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
