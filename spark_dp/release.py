"""The use case: reserve the budget, count, draw. Where counts come from is the caller's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from spark_dp.budget import Budget, Entry
from spark_dp.counts import Counts
from spark_dp.errors import PrivateComputationError
from spark_dp.exact.parts import Parts
from spark_dp.mechanisms import Mechanism
from spark_dp.mechanisms.noise import NoiseMechanism
from spark_dp.privacy import Guarantee
from spark_dp.version import __version__


@dataclass(frozen=True)
class Release:
    """What leaves the boundary: drawn or noisy integers and public facts.

    Args:
        values: the rank of each sample, group after group; or, by rank, the noisy count of each value of the
            domain, or its weight in draws that are still to be made.
        entry: what ran.
    """

    values: tuple[int, ...]
    entry: Entry

    @property
    def guarantee(self) -> Guarantee:
        """What the release promises."""
        return self.entry.guarantee


def release_sample(
    mechanism: Mechanism,
    columns: tuple[str, ...],
    count: Callable[[], Counts | Parts],
    budget: Budget | None = None,
    privacy_unit: str | None = None,
) -> Release:
    """Draw a private sample once, from arguments that were checked before.

    The budget is charged before ``count`` reads the first row and stays charged whatever follows.

    Args:
        mechanism: what draws.
        columns: the sampled columns.
        count: the counts, of one record for each unit.
        budget: what to charge.
        privacy_unit: the column whose values are the units, None if each row is one.

    Raises:
        BudgetError: from the budget, before anything is read.
        PrivateComputationError: if counting or drawing fails.
    """
    entry = _entry(mechanism.name, mechanism, columns, mechanism.num_samples, privacy_unit)
    return _release(mechanism, entry, lambda: mechanism.draw(count()), budget)


def release_groups(
    mechanism: Mechanism,
    whole: Guarantee,
    columns: tuple[str, ...],
    by: tuple[str, ...],
    groups: int,
    count: Callable[[], Counts],
    budget: Budget | None = None,
) -> Release:
    """Draw a sample in each of so many groups, whose counts follow one another; as :func:`release_sample`.

    Args:
        mechanism: what each group runs.
        whole: what all groups together promise.
        columns: the sampled columns.
        by: those whose values make the groups.
        groups: their number.
        count: the counts of all groups.
        budget: what to charge.
    """
    entry = replace(
        _entry(mechanism.name, mechanism, columns, mechanism.num_samples, whole.privacy_unit),
        epsilon=str(whole.epsilon),
        relation=whole.relation.value,
        by=by,
    )

    def draw() -> list[int]:
        return [
            group * mechanism.k + rank
            for group, counts in enumerate(count().split(groups))
            for rank in mechanism.draw(counts)
        ]

    return _release(mechanism, entry, draw, budget)


def release_weights(
    mechanism: NoiseMechanism,
    columns: tuple[str, ...],
    count: Callable[[], Counts],
    budget: Budget | None = None,
    privacy_unit: str | None = None,
) -> Release:
    """Release once what all num_samples draws are made from; otherwise as :func:`release_sample`.

    The draws are post-processing of the weights (all zero: uniform) and may be made anywhere.
    """
    entry = _entry(mechanism.name, mechanism, columns, mechanism.num_samples, privacy_unit)
    return _release(mechanism, entry, lambda: mechanism.released_weights(count()), budget)


def release_histogram(
    mechanism: NoiseMechanism,
    columns: tuple[str, ...],
    count: Callable[[], Counts],
    budget: Budget | None = None,
    privacy_unit: str | None = None,
) -> Release:
    """Release all counts once, with noise; otherwise as :func:`release_sample`."""
    entry = _entry("histogram", mechanism, columns, 0, privacy_unit)
    return _release(mechanism, entry, lambda: mechanism.noisy_counts(count()), budget)


def read_publicly(answer: Callable[[], int]) -> int:
    """A number that is public although private rows are read for it.

    Raises:
        PrivateComputationError: if that fails.
    """
    return _silent(lambda: [answer()])[0]


def _entry(
    method: str, mechanism: Mechanism, columns: tuple[str, ...], num_samples: int, privacy_unit: str | None
) -> Entry:
    return Entry(
        method=method,
        epsilon=str(mechanism.epsilon),
        relation=mechanism.relation.value,
        columns=columns,
        k=mechanism.k,
        num_samples=num_samples,
        version=__version__,
        privacy_unit=privacy_unit,
    )


def _release(mechanism: Mechanism, entry: Entry, answer: Callable[[], Sequence[int]], budget: Budget | None) -> Release:
    mechanism.prepare()
    if budget is not None:
        budget.reserve(entry)
    return Release(tuple(_silent(answer)), entry)


def _silent(answer: Callable[[], Sequence[int]]) -> Sequence[int]:
    """The answer, or an error that says nothing of its cause."""
    values = _attempt(answer)
    if values is None:
        # Raised out here, where no exception is being handled: inside the handler the cause, whose
        # text may quote a row, would hang on to this one as its context.
        raise PrivateComputationError(
            "Reading the private rows failed. The cause is withheld, since it may quote a value; whoever operates "
            "Spark finds it in Spark's own logs. A budget, if there was one, stays charged."
        )
    return values


def _attempt(answer: Callable[[], Sequence[int]]) -> Sequence[int] | None:
    try:
        return answer()
    except Exception:  # noqa: BLE001 — whatever it was, its text may quote a row
        return None
