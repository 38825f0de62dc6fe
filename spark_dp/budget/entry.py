"""One line of a ledger: what ran, in public facts, apart from whoever prices it."""

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


class Budget(Protocol):
    """An allowance of ε that releases draw on.

    There is no way to give back: once a row was read, the release may have been seen.
    """

    def reserve(self, entry: Entry) -> None:
        """Charge the release, before any row is read.

        Raises:
            BudgetError: if the allowance does not cover it; then nothing is read.
        """
        ...
