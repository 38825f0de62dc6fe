"""All small histograms and all their neighbors, with every probability of a release as an exact rational."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from spark_dp.audit.exponential import protected_draws
from spark_dp.audit.measures import Apart, measure_of
from spark_dp.audit.neighbors import Histogram, changed, histograms, later_neighbors
from spark_dp.audit.size import Size
from spark_dp.mechanisms.base import Mechanism
from spark_dp.privacy import Relation

#: A float holds e to this power.
_LARGEST_LOSS = 700

#: Told how many histograms are done, of how many.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Pair:
    """Two neighbors, and how far apart what is released of them is.

    Args:
        counts: a histogram.
        neighbor: a neighbor of it.
        apart: the largest ratio of a probability; of noise, the largest loss, which is its logarithm.
            Infinite where something can be released of one of them only.
    """

    counts: Histogram
    neighbor: Histogram
    apart: Apart

    @property
    def smallest(self) -> int:
        """The smallest of the counts that differ."""
        return min(min(both) for both in changed(self.counts, self.neighbor))

    @property
    def replaces(self) -> bool:
        """Whether a record is replaced, and not added."""
        return sum(self.counts) == sum(self.neighbor)


@dataclass(frozen=True)
class EnumerationCheck:
    """The largest privacy loss between small neighbors.

    Args:
        size: what was enumerated.
        draws: whose probabilities were compared together: of those of the size, or all where one stands for them.
        histograms: how many.
        pairs: how many pairs of neighbors.
        worst: the pair that is farthest apart; None if there is no pair.
        loss: its privacy loss, the logarithm of the largest ratio of the probabilities of all draws.
        share: that loss in ε.
        holds: whether no pair is farther apart than ε allows, decided in rationals.
        losses: smallest count that differs, whether a record is replaced, share of ε: of all pairs, each kind once.
    """

    size: Size
    draws: int
    histograms: int
    pairs: int
    worst: Pair | None
    loss: float
    share: float
    holds: bool
    losses: frozenset[tuple[int, bool, float]] = field(repr=False)

    @property
    def ratio(self) -> float:
        """The largest ratio of the probabilities of all draws."""
        return math.exp(self.loss) if self.loss < _LARGEST_LOSS else math.inf


def check_enumeration(mechanism: Mechanism, size: Size, progress: Progress | None = None) -> EnumerationCheck:
    """Compare all neighbors of that size.

    Args:
        mechanism: whose release.
        size: k, n and draws of the mechanism that is enumerated in its place.
        progress: told after every histogram.
    """
    listed = list(_answered(mechanism, size))
    measure, epsilon = measure_of(mechanism, size), float(mechanism.epsilon.value)
    worst, pairs, losses = None, 0, set()
    for pair in _pairs(measure.apart, listed, mechanism.relation, progress):
        pairs += 1
        losses.add((pair.smallest, pair.replaces, round(measure.loss(pair.apart) / epsilon, 4)))
        if worst is None or pair.apart > worst.apart:
            worst = pair
    loss = measure.loss(worst.apart) if worst else 0.0
    return EnumerationCheck(
        size=size,
        draws=mechanism.num_samples if protected_draws(mechanism) == 1 else size.draws,
        histograms=len(listed),
        pairs=pairs,
        worst=worst,
        loss=loss,
        share=loss / epsilon,
        holds=worst is None or worst.apart <= measure.limit,
        losses=frozenset(losses),
    )


def _answered(mechanism: Mechanism, size: Size) -> Iterator[Histogram]:
    """The histograms that are enumerated: those of n records under replace, otherwise of up to n."""
    fewest = size.n if mechanism.relation is Relation.REPLACE else 0
    return (counts for n in range(fewest, size.n + 1) for counts in histograms(n, size.k))


def _pairs(
    apart: Callable[[Histogram, Histogram], Apart],
    listed: Sequence[Histogram],
    relation: Relation,
    progress: Progress | None,
) -> Iterator[Pair]:
    for done, counts in enumerate(listed, start=1):
        for neighbor in later_neighbors(counts, relation):
            yield Pair(counts, neighbor, apart(counts, neighbor))
        if progress is not None:
            progress(done, len(listed))
