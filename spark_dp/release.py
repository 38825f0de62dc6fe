"""The use case: reserve the budget, count, draw. Where counts come from is the caller's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spark_dp.budget import Budget, Entry
from spark_dp.counts import Counts
from spark_dp.errors import PrivateComputationError
from spark_dp.mechanisms import Mechanism
from spark_dp.privacy import Guarantee
from spark_dp.version import __version__


@dataclass(frozen=True)
class Release:
    """What leaves the boundary: drawn ranks and public facts.

    Args:
        ranks: one rank of the domain for each sample.
        entry: what ran.
    """

    ranks: tuple[int, ...]
    entry: Entry

    @property
    def guarantee(self) -> Guarantee:
        """What the release promises."""
        return self.entry.guarantee


def release(
    mechanism: Mechanism, columns: tuple[str, ...], count: Callable[[], Counts], budget: Budget | None = None
) -> Release:
    """Draw a private sample once, from arguments that were checked before.

    The budget is charged before ``count`` reads the first row and stays charged whatever follows.

    Raises:
        BudgetError: from the budget, before anything is read.
        PrivateComputationError: if counting or drawing fails.
    """
    entry = Entry(
        method=mechanism.name,
        epsilon=str(mechanism.epsilon),
        relation=mechanism.relation.value,
        columns=columns,
        k=mechanism.k,
        num_samples=mechanism.num_samples,
        version=__version__,
    )
    if budget is not None:
        budget.reserve(entry)
    ranks = _silent(lambda: mechanism.draw(count()))
    if ranks is None:
        # Raised out here, where no exception is being handled: inside the handler the cause, whose
        # text may quote a row, would hang on to this one as its context.
        raise PrivateComputationError(
            "Reading the private rows failed. The cause is withheld, since it may quote a value; whoever operates "
            "Spark finds it in Spark's own logs. A budget, if there was one, stays charged."
        )
    return Release(tuple(ranks), entry)


def _silent(draw: Callable[[], list[int]]) -> list[int] | None:
    try:
        return draw()
    except Exception:  # noqa: BLE001 — whatever it was, its text may quote a row
        return None
