"""Real draws of the sampler against their exact distribution, by a χ² test; the counts are made up here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product

from spark_dp.audit.cells import Cell, counted, counted_noise
from spark_dp.audit.chi_square import noncentrality, threshold
from spark_dp.audit.joint import joint
from spark_dp.audit.size import Size
from spark_dp.counts import Counts
from spark_dp.mechanisms.base import Mechanism
from spark_dp.mechanisms.noise import NoiseMechanism
from spark_dp.mechanisms.weights import Scheme, WeightsMechanism
from spark_dp.privacy import Relation

#: A sampler that is right fails once in a million audits, and one that is off by what is said passes as rarely.
LEVEL = MISSED = 1e-6
#: So many are drawn: single draws, several in a row, noises.
_SINGLE, _IN_A_ROW, _NOISES = 40_000, 20_000, 100_000
#: Over so many values at most, by how many draws are looked at together.
_VALUES = {1: 12, 2: 5, 3: 3}


@dataclass(frozen=True)
class SamplerCheck:
    """A χ² test at the level LEVEL.

    Args:
        what: was drawn, for people.
        cells: the outcomes, counted.
    """

    what: str
    cells: tuple[Cell, ...]

    @property
    def number(self) -> int:
        """How many outcomes were drawn."""
        return sum(cell.observed for cell in self.cells)

    @property
    def degrees(self) -> int:
        """Degrees of freedom of χ²; 0 if nothing but one outcome is to be expected."""
        return sum(cell.probability > 0 for cell in self.cells) - 1

    @property
    def statistic(self) -> float:
        """χ²; infinite if something was drawn that cannot be."""
        total = 0.0
        for cell in self.cells:
            expected = cell.probability * self.number
            total += (cell.observed - expected) ** 2 / expected if expected else math.inf
        return total

    @cached_property
    def threshold(self) -> float:
        """What χ² exceeds with the probability LEVEL if the sampler is right."""
        return threshold(LEVEL, self.degrees)

    @property
    def holds(self) -> bool:
        """Whether the draws are such as the exact distribution makes."""
        return not self.degrees or self.statistic <= self.threshold

    @cached_property
    def noticed(self) -> float | None:
        """A total variation to the exact distribution that is missed with the probability MISSED at most.

        Where probabilities p are off by d, χ² of N draws grows by N Σ d²/p ≥ N (Σ|d|)² = 4 N TV². None if
        not even the largest would be noticed.
        """
        if not self.degrees:
            return None
        variation = math.sqrt(noncentrality(LEVEL, MISSED, self.degrees) / self.number) / 2
        return variation if variation < 1 else None


def check_sampler(mechanism: Mechanism, n: int, size: Size) -> SamplerCheck:
    """Draw, and compare.

    Args:
        mechanism: whose draws, or noise.
        n: records of the table that is made up.
        size: has the number of draws of a release, where draws depend on one another.
    """
    if isinstance(mechanism, NoiseMechanism):
        return _check_noise(mechanism, n)
    if isinstance(mechanism, WeightsMechanism):
        return _check_draws(mechanism, n, size)
    raise TypeError(f"{mechanism.name} draws neither from weights nor from noise")


def made_up(n: int, k: int) -> list[int]:
    """Public counts of n records: each value has half of what is left, the last one the rest.

    >>> made_up(12, 4)
    [6, 3, 2, 1]
    """
    counts = []
    for _ in range(k - 1):
        counts.append(n - n // 2)
        n //= 2
    return [*counts, n]


def _check_noise(mechanism: NoiseMechanism, n: int) -> SamplerCheck:
    counts = made_up(n, _NOISES)
    noisy_counts = replace(mechanism, k=_NOISES, n=None).noisy_counts(counts)
    noises = (noisy - count for noisy, count in zip(noisy_counts, counts, strict=True))
    what = f"{_NOISES:,} noises against the discrete Laplace distribution of scale {mechanism.noise_scale:.6g}"
    return SamplerCheck(what, counted_noise(noises, mechanism.noise_scale))


def _check_draws(mechanism: WeightsMechanism, n: int, size: Size) -> SamplerCheck:
    draws = mechanism.num_samples if mechanism.scheme is Scheme.INDEPENDENT else size.draws
    together = min(draws, max(_VALUES))
    k, public_n = min(mechanism.k, _VALUES[together]), n if mechanism.relation is Relation.REPLACE else None
    small = replace(mechanism, k=k, num_samples=draws, n=public_n)
    counts, number = made_up(n, k), _SINGLE if together == 1 else _IN_A_ROW
    drawn = Counter(islice(_in_a_row(small, counts, together), number))
    exact = joint(small, counts, product(range(k), repeat=together))
    rows = "draws" if together == 1 else f"times {together} draws in a row, of releases of {draws:,},"
    what = f"{number:,} {rows} against their exact distribution, from {n:,} made-up records and k = {k}"
    return SamplerCheck(what, counted({sequence: float(p) for sequence, p in exact.items()}, drawn))


def _in_a_row(mechanism: WeightsMechanism, counts: Sequence[int], together: int) -> Iterator[tuple[int, ...]]:
    """So many draws at a time: all of a release if they are independent, else its last ones."""
    private = Counts.dense(counts)
    while True:
        ranks = mechanism.draw(private)
        first = 0 if mechanism.scheme is Scheme.INDEPENDENT else len(ranks) - together
        for start in range(first, len(ranks) - together + 1, together):
            yield tuple(ranks[start : start + together])
