"""The lines of a ledger, read and judged within a transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from sqlalchemy import Connection, Row, func, select

from spark_dp.budget.amount import allowance, written
from spark_dp.budget.entry import Entry, Release
from spark_dp.budget.period import PERIODS, start_of
from spark_dp.budget.schema import BUDGET, RELEASE
from spark_dp.errors import BudgetError, did_you_mean

RESERVED, RELEASED, FAILED = "reserved", "released", "failed"


@dataclass(frozen=True)
class Balance:
    """A budget as it stands: amounts of ε as decimal text.

    Args:
        name: of the budget.
        total: all it allows.
        spent: all that was charged.
        remaining: what is left, of the period too if there is one.
        period: "day", "week", "month" or "year", of universal time; None if only the total counts.
        period_total: what each period allows.
        period_spent: what was charged in this one.
        unfinished: charges of which no release is known: still running, or broken off.
    """

    name: str
    total: str
    spent: str
    remaining: str
    period: str | None
    period_total: str | None
    period_spent: str | None
    unfinished: int


def terms_of(name: str, total: object, period: tuple[object, str] | None) -> dict[str, object]:
    """The line of a budget with these terms.

    Raises:
        EpsilonError: if an amount is none.
        BudgetError: if the name or the period is none.
    """
    if not isinstance(name, str) or not 0 < len(name) <= BUDGET.c.name.type.length:  # type: ignore[attr-defined]
        raise BudgetError(f"{str(name)[:80]!r} names no budget: give a text of 1 to 200 characters.")
    line = {"name": name, "total": allowance(total), "period": None, "period_total": None}
    if period is None:
        return line
    amount, kind = period
    if kind not in PERIODS:
        raise BudgetError(f"{kind!r} is no period of a budget. {did_you_mean(kind, PERIODS)}")
    return {**line, "period": kind, "period_total": allowance(amount)}


def in_words(line: dict[str, Any]) -> str:
    """The amounts of a budget."""
    each = f" with {written(line['period_total'])} each {line['period']}" if line["period"] else ""
    return f"ε = {written(line['total'])} in all{each}"


def kept(connection: Connection, name: str, *, lock: bool = False) -> Row[Any]:
    """The line of a budget, locked until the end of the transaction if asked.

    Raises:
        BudgetError: if there is none.
    """
    query = select(BUDGET).where(BUDGET.c.name == name)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        raise BudgetError(unknown(connection, name))
    return row


def unknown(connection: Connection, name: str) -> str:
    """What there is to say of a budget that is not kept."""
    return (
        f"The ledger has no budget {name!r}. {did_you_mean(name, connection.execute(select(BUDGET.c.name)).scalars())}"
    )


def charged(connection: Connection, name: str, since: str = "") -> int:
    """The sum of all charges from some time on."""
    query = select(func.sum(RELEASE.c.cost)).where(RELEASE.c.budget == name, RELEASE.c.reserved_at >= since)
    return int(connection.execute(query).scalar_one() or 0)


def check_covered(connection: Connection, budget: Row[Any], price: int) -> None:
    """Refuse what the budget does not allow.

    Raises:
        BudgetError: if it does not cover the price.
    """
    left = budget.total - charged(connection, budget.name)
    if price > left:
        raise BudgetError(
            f"The budget {budget.name!r} has ε = {written(left)} left of {written(budget.total)}, and the release "
            f"costs {written(price)}. Nothing was read. Ask for less, or have the budget raised."
        )
    if budget.period is not None:
        start = start_of(budget.period, now())
        left = budget.period_total - charged(connection, budget.name, start)
        if price > left:
            raise BudgetError(
                f"The budget {budget.name!r} has ε = {written(max(left, 0))} left of {written(budget.period_total)} in "
                f"the {budget.period} that began on {start[:10]}, and the release costs {written(price)}. Nothing was "
                f"read. Ask for less, or in the next {budget.period}."
            )


def balance_of(connection: Connection, budget: Row[Any]) -> Balance:
    """A budget as it stands."""
    spent = charged(connection, budget.name)
    remaining, in_period = budget.total - spent, None
    if budget.period is not None:
        in_period = charged(connection, budget.name, start_of(budget.period, now()))
        remaining = min(remaining, budget.period_total - in_period)
    unfinished = select(func.count()).where(RELEASE.c.budget == budget.name, RELEASE.c.state == RESERVED)
    return Balance(
        name=budget.name,
        total=written(budget.total),
        spent=written(spent),
        remaining=written(max(remaining, 0)),
        period=budget.period,
        period_total=None if budget.period is None else written(budget.period_total),
        period_spent=None if in_period is None else written(in_period),
        unfinished=connection.execute(unfinished).scalar_one(),
    )


def entry_of(text: str) -> Entry:
    """What ran."""
    return Entry.read(json.loads(text))


def answer_of(row: Row[Any]) -> Release | None:
    """What was released; None if nothing is yet."""
    if row.answer is None:
        return None
    stored = json.loads(row.answer)
    return Release(tuple(stored["values"]), stored["key"], Entry.read(stored["entry"]))


def now() -> str:
    """This moment, as the ledger writes it."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
