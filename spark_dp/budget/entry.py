"""What ran, in public facts, and who pays for it: apart from whoever prices it or keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from spark_dp.privacy import Epsilon, Guarantee, Relation


@dataclass(frozen=True)
class Entry:
    """A release as the public may know it: nothing in it depends on a row.

    Args:
        method: name of the mechanism, or "histogram" for noisy counts.
        epsilon: ε of the whole release as decimal text.
        relation: neighboring relation.
        columns: the sampled columns.
        k: size of the domain.
        num_samples: samples released, in each group; 0 for a histogram.
        version: of spark_dp.
        by: the columns whose values are sampled each on its own.
        privacy_unit: the column of which all rows with one value are protected together; None if each row is.
        release_id: the name under which it is remembered, given or made by chance.
    """

    method: str
    epsilon: str
    relation: str
    columns: tuple[str, ...]
    k: int
    num_samples: int
    version: str
    by: tuple[str, ...] = ()
    privacy_unit: str | None = None
    release_id: str = ""

    @property
    def guarantee(self) -> Guarantee:
        """What the release promises."""
        return Guarantee(Epsilon.parse(self.epsilon), Relation.parse(self.relation), self.privacy_unit)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Entry:
        """The entry that a :meth:`record` tells."""
        return cls(**{**record, "columns": tuple(record["columns"]), "by": tuple(record["by"])})

    def record(self) -> dict[str, object]:
        """The entry as JSON can write it, for column metadata and public records."""
        return {**asdict(self), "columns": list(self.columns), "by": list(self.by)}


@dataclass(frozen=True)
class Release:
    """What leaves the boundary: drawn or noisy integers and public facts.

    Args:
        values: the rank of each sample, group after group; or, by rank, the noisy count of each value of the
            domain, or its weight in draws that are still to be made.
        key: 128 bits, hexadecimal, from which everything random is made that does not depend on a row, such as
            the place of a point in its bin.
        entry: what ran.
    """

    values: tuple[int, ...]
    key: str
    entry: Entry

    @property
    def guarantee(self) -> Guarantee:
        """What the release promises."""
        return self.entry.guarantee


class Reservation(Protocol):
    """ε that one release has been charged."""

    @property
    def stored(self) -> Release | None:
        """What was released under the same id before; then nothing is charged and nothing may be drawn."""
        ...

    def commit(self, answer: Release) -> Release:
        """Remember the answer before anyone sees it.

        Returns:
            The answer to give: the one remembered, where another run of the same release came first.

        Raises:
            BudgetError: if it cannot be remembered; then it must not be seen.
        """
        ...

    def fail(self) -> None:
        """Note that reading or drawing failed. The charge stays."""
        ...


class Budget(Protocol):
    """An allowance of ε that releases draw on.

    There is no way to give back: once a row was read, the release may have been seen.
    """

    def reserve(self, entry: Entry, question: str) -> Reservation:
        """Charge the release, before any row is read, or find it.

        Args:
            entry: what will run.
            question: the same text for the same arguments, and for others another one.

        Raises:
            BudgetError: if the allowance does not cover it, or ``entry.release_id`` names a release with other
                arguments; then nothing is read.
        """
        ...
