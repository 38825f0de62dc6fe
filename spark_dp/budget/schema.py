"""The tables of a ledger, and how they came to be: one migration after another."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    select,
    text,
)

from spark_dp.errors import LedgerError

TABLES = MetaData()

VERSION = Table("spark_dp_version", TABLES, Column("version", Integer, nullable=False))

#: Amounts are billionths of ε.
BUDGET = Table(
    "spark_dp_budget",
    TABLES,
    Column("name", String(200), primary_key=True),
    Column("total", BigInteger, nullable=False),
    Column("period", String(10)),
    Column("period_total", BigInteger),
)

RELEASE = Table(
    "spark_dp_release",
    TABLES,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("budget", ForeignKey(BUDGET.c.name), nullable=False),
    Column("release_id", String(200), nullable=False),
    Column("question", String(64), nullable=False),
    Column("cost", BigInteger, nullable=False),
    Column("state", String(10), nullable=False),
    # Universal time as text of one width, which sorts as it should.
    Column("reserved_at", String(27), nullable=False),
    Column("ended_at", String(27)),
    Column("entry", Text, nullable=False),
    Column("answer", Text),
    UniqueConstraint("budget", "release_id"),
)

#: What leads from each version to the next; a ledger has had as many of them as its version says.
MIGRATIONS: tuple[Callable[[Connection], None], ...] = (TABLES.create_all,)

#: Any number, the same for all: processes that make the tables of one PostgreSQL database wait for each other.
_LOCK = 0x5DA8_B0D6


def version_of(connection: Connection) -> int:
    """How many migrations the ledger has had; 0 if it is no ledger yet."""
    if not inspect(connection).has_table(VERSION.name):
        return 0
    return int(connection.execute(select(VERSION.c.version)).scalar_one())


def migrate(connection: Connection) -> None:
    """Bring the ledger to the version of this code, in the caller's transaction.

    Raises:
        LedgerError: if a newer spark_dp made it.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    found = version_of(connection)
    check_version(found)
    for step in MIGRATIONS[found:]:
        step(connection)
    connection.execute(VERSION.delete())
    connection.execute(VERSION.insert().values(version=len(MIGRATIONS)))


def check_version(found: int) -> None:
    """Refuse a ledger whose tables this code does not know.

    Raises:
        LedgerError: if a newer spark_dp made it.
    """
    if found > len(MIGRATIONS):
        raise LedgerError(
            f"The ledger is of version {found}, and this spark_dp knows versions up to {len(MIGRATIONS)}. Upgrade "
            "spark_dp; nothing was read or changed."
        )
