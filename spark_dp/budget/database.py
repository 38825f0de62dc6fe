"""Transactions on the database of a ledger: SQLite or PostgreSQL, each with its own way to wait for others."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError as BadURL
from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from spark_dp.budget.schema import MIGRATIONS, check_version, migrate, version_of
from spark_dp.errors import LedgerError

#: Seconds to wait for others who write.
PATIENCE = 60


class Database:
    """One database, opened anew for each transaction: nothing is shared with forked processes or kept half dead.

    Args:
        url: a file, or the URL of a database.
        create: whether to make a ledger where there is none.

    Raises:
        LedgerError: if it cannot be opened.
    """

    def __init__(self, url: str | os.PathLike[str], *, create: bool) -> None:
        self._engine = _engine(_parsed(url))
        self.name = self._engine.url.render_as_string(hide_password=True)
        path = self._engine.url.database
        if self._engine.dialect.name == "sqlite":
            _check_file(str(path), create=create)
        with self.reading() as connection:
            found = version_of(connection)
        check_version(found)
        if found < len(MIGRATIONS):
            with self.writing() as connection:
                migrate(connection)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that changes nothing, and needs no right to."""
        with self._told("read", "Nothing was changed."), self._engine.connect() as connection:
            yield connection.execution_options(changes=False)

    @contextmanager
    def writing(self, otherwise: str = "Nothing was changed.") -> Iterator[Connection]:
        """A transaction; of those on one SQLite file, one at a time from the start.

        Args:
            otherwise: what holds if it fails, for the message.
        """
        with self._told("written", otherwise), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _told(self, done: str, otherwise: str) -> Iterator[None]:
        """With the database's own words for what went wrong, without the statement and its values."""
        try:
            yield
        except SQLAlchemyError as error:
            cause = str(getattr(error, "orig", None) or error).strip().splitlines() or [type(error).__name__]
            raise LedgerError(f"The ledger {self.name} could not be {done}: {cause[0]}. {otherwise}") from None


def _check_file(path: str, *, create: bool) -> None:
    if path.startswith("file:"):
        # SQLite's own kind of address, which says more than a place.
        return
    if not create and not Path(path).exists():
        raise LedgerError(f"There is no ledger at {path!r}. The first release that is charged to it makes one.")
    if not Path(path).absolute().parent.is_dir():
        raise LedgerError(f"There is no folder for the ledger {path!r}. Make it, or name a file elsewhere.")


def _parsed(url: str | os.PathLike[str]) -> URL:
    text = os.fspath(url)
    if text in ("", ":memory:", "sqlite://", "sqlite:///:memory:"):
        raise LedgerError("A ledger in memory forgets what was charged. Give a file, such as Ledger('ledger.db').")
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        parsed = make_url(text)
    except BadURL:
        raise LedgerError(
            "The URL of the ledger cannot be parsed. It should look like sqlite:///ledger.db or "
            "postgresql+psycopg://user@host/database."
        ) from None
    if parsed.drivername == "postgresql":
        # SQLAlchemy would take the driver before this one.
        parsed = parsed.set(drivername="postgresql+psycopg")
    return parsed


def _engine(url: URL) -> Engine:
    backend = url.get_backend_name()
    if backend == "sqlite":
        arguments: dict[str, Any] = {"timeout": PATIENCE}
    elif backend == "postgresql":
        waiting = f"-c lock_timeout={PATIENCE}s -c idle_in_transaction_session_timeout={PATIENCE}s"
        arguments = {"connect_timeout": PATIENCE, "options": waiting}
    else:
        raise LedgerError(
            f"A ledger lives in SQLite or PostgreSQL, not in {backend!r}. Give the name of a file, or "
            "postgresql://user@host/database."
        )
    try:
        engine = create_engine(url, poolclass=NullPool, connect_args=arguments)
    except (ImportError, NoSuchModuleError) as error:
        raise LedgerError(
            f"The driver for {url.drivername!r} is missing ({error}). Install it: pip install 'psycopg[binary]'."
        ) from None
    if backend == "sqlite":
        event.listen(engine, "connect", _leave_transactions_to_us)
        event.listen(engine, "begin", _begin)
    return engine


def _leave_transactions_to_us(connection: Any, _record: object) -> None:
    # Python's driver begins transactions on its own, and too late: after the first statement that reads.
    connection.isolation_level = None


def _begin(connection: Connection) -> None:
    changes = connection.get_execution_options().get("changes", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if changes else "BEGIN")
