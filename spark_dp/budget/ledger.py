"""A durable budget: every charge is written down before a row is read, every release before it is seen."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from spark_dp.budget import lines
from spark_dp.budget.amount import cost, written
from spark_dp.budget.database import Database
from spark_dp.budget.entry import Entry, Release
from spark_dp.budget.lines import Balance
from spark_dp.budget.schema import BUDGET, RELEASE, VERSION
from spark_dp.errors import BudgetError, LedgerError

_UNCHARGED = "No row was read. If the charge arrived all the same, it stays, and the ledger's history shows it."
_WITHHELD = (
    "The release was drawn and is withheld, since it could not be remembered. It stays charged; ask for it again with "
    "release_id={!r}, at no further cost."
)


@dataclass(frozen=True)
class Charge:
    """One line of the ledger.

    Args:
        budget: what was charged.
        cost: how much, as decimal text.
        state: "reserved" (still running, or broken off), "released" or "failed"; charged in any of them.
        reserved_at: when it was charged, universal time.
        ended_at: when it was released or failed.
        entry: what ran.
    """

    budget: str
    cost: str
    state: str
    reserved_at: str
    ended_at: str | None
    entry: Entry


class Ledger:
    """Where budgets and what was charged to them are kept.

    Sums are exact, in whole billionths of ε. A charge is never given back: not after a failure, and not after
    a crash. Any number of processes may use it at once.

    Args:
        url: a file (SQLite), or the URL of a database, such as "postgresql://user@host/database".
        create: whether to make the ledger where there is none yet.

    Raises:
        LedgerError: if it cannot be opened, or a newer spark_dp made it.

    Example:
        >>> import tempfile
        >>> ledger = Ledger(tempfile.mkdtemp() + "/ledger.db")
        >>> flights = ledger.budget("flights", total=3)
        >>> flights.balance().remaining
        '3'
    """

    def __init__(self, url: str | os.PathLike[str], *, create: bool = True) -> None:
        self._database = Database(url, create=create)

    def budget(
        self, name: str, *, total: float | str | None = None, period: tuple[float | str, str] | None = None
    ) -> LedgerBudget:
        """The budget of that name, made now if there is none and its amounts are given.

        Args:
            name: what it is for, such as a table.
            total: ε in all; None takes the budget as it is kept.
            period: ε in each "day", "week", "month" or "year" of universal time, as (0.5, "day").

        Raises:
            EpsilonError: if an amount is none.
            BudgetError: if the ledger has it with other amounts, or has none of that name and gets no amount.
        """
        if total is None and period is None:
            with self._database.reading() as connection:
                lines.kept(connection, name)
            return LedgerBudget(self._database, name)
        terms = lines.terms_of(name, total, period)
        with self._database.writing() as connection:
            # Two that make the same budget wait for each other.
            connection.execute(select(VERSION).with_for_update())
            found = connection.execute(select(BUDGET).where(BUDGET.c.name == name)).one_or_none()
            if found is None:
                connection.execute(BUDGET.insert().values(**terms))
            elif found._asdict() != terms:
                was, is_not = lines.in_words(found._asdict()), lines.in_words(terms)
                raise BudgetError(
                    f"The budget {name!r} is kept as {was}, not as {is_not}. Ask for it as it is, or change it on "
                    "purpose with Ledger.change_budget."
                )
        return LedgerBudget(self._database, name)

    def change_budget(
        self, name: str, *, total: float | str, period: tuple[float | str, str] | None = None
    ) -> LedgerBudget:
        """Give a budget other amounts. What was charged stays charged.

        Raises:
            EpsilonError: if an amount is none.
            BudgetError: if there is no budget of that name.
        """
        terms = lines.terms_of(name, total, period)
        with self._database.writing() as connection:
            if not connection.execute(BUDGET.update().where(BUDGET.c.name == name).values(**terms)).rowcount:
                raise BudgetError(lines.unknown(connection, name))
        return LedgerBudget(self._database, name)

    def balances(self) -> list[Balance]:
        """All budgets as they stand, by name."""
        with self._database.reading() as connection:
            return [
                lines.balance_of(connection, row) for row in connection.execute(select(BUDGET).order_by(BUDGET.c.name))
            ]

    def history(self, name: str | None = None) -> list[Charge]:
        """All charges, or those of one budget, from the first on.

        Raises:
            BudgetError: if there is no budget of that name.
        """
        with self._database.reading() as connection:
            query = select(RELEASE).order_by(RELEASE.c.id)
            if name is not None:
                lines.kept(connection, name)
                query = query.where(RELEASE.c.budget == name)
            return [
                Charge(
                    row.budget, written(row.cost), row.state, row.reserved_at, row.ended_at, lines.entry_of(row.entry)
                )
                for row in connection.execute(query)
            ]


class LedgerBudget:
    """A budget of a ledger, to be given to a release as ``budget=``."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self.name = name

    def balance(self) -> Balance:
        """The budget as it stands."""
        with self._database.reading() as connection:
            return lines.balance_of(connection, lines.kept(connection, self.name))

    def reserve(self, entry: Entry, question: str) -> LedgerReservation:
        """Charge the release, before any row is read, or find it under its name.

        A release that was charged and never ended is taken up again at no further cost: nobody has seen it.

        Raises:
            BudgetError: if the budget does not cover it, or its name belongs to a release with other arguments.
            LedgerError: if the ledger cannot be written.
        """
        price = cost(entry.guarantee.epsilon)
        with self._database.writing(_UNCHARGED) as connection:
            # Held until the end of the transaction: nobody else adds to the sum meanwhile.
            budget = lines.kept(connection, self.name, lock=True)
            earlier = self._earlier(connection, entry.release_id)
            if earlier is not None:
                if earlier.question != question:
                    raise BudgetError(
                        f"The release {entry.release_id!r} of the budget {self.name!r} was asked for with other "
                        f"arguments on {earlier.reserved_at}. Repeat them, or give this release another release_id."
                    )
                return LedgerReservation(self._database, int(earlier.id), lines.answer_of(earlier))
            lines.check_covered(connection, budget, price)
            inserted = connection.execute(
                RELEASE.insert().values(
                    budget=self.name,
                    release_id=entry.release_id,
                    question=question,
                    cost=price,
                    state=lines.RESERVED,
                    reserved_at=lines.now(),
                    entry=json.dumps(entry.record()),
                )
            )
            key: Any = inserted.inserted_primary_key
        return LedgerReservation(self._database, int(key[0]), None)

    def _earlier(self, connection: Connection, release_id: str) -> Row[Any] | None:
        query = select(RELEASE).where(RELEASE.c.budget == self.name, RELEASE.c.release_id == release_id)
        return connection.execute(query).one_or_none()


class LedgerReservation:
    """What one release was charged in a ledger."""

    def __init__(self, database: Database, number: int, stored: Release | None) -> None:
        self._database = database
        self._number = number
        self.stored = stored

    def commit(self, answer: Release) -> Release:
        """Store the answer, unless another run of the release came first; what is stored comes back.

        Raises:
            LedgerError: if it cannot be stored; then it must not be seen.
        """
        with self._database.writing(_WITHHELD.format(answer.entry.release_id)) as connection:
            mine = RELEASE.c.id == self._number
            stored = lines.answer_of(connection.execute(select(RELEASE).where(mine).with_for_update()).one())
            if stored is not None:
                return stored
            text = json.dumps({"values": answer.values, "key": answer.key, "entry": answer.entry.record()})
            connection.execute(
                RELEASE.update().where(mine).values(state=lines.RELEASED, ended_at=lines.now(), answer=text)
            )
        return answer

    def fail(self) -> None:
        """Note that the release failed; without a word if the ledger is out of reach, as a crash would leave it."""
        unfinished = (RELEASE.c.id == self._number) & (RELEASE.c.state == lines.RESERVED)
        with suppress(LedgerError), self._database.writing() as connection:
            connection.execute(RELEASE.update().where(unfinished).values(state=lines.FAILED, ended_at=lines.now()))
