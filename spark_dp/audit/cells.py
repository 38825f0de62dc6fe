"""Outcomes, counted: how often each was found, and how often it was to be expected."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

#: Outcomes that are expected less often are counted together.
_LEAST_EXPECTED = 20
#: So many cells take noise, of about the same probability where its scale allows.
_CELLS_OF_NOISE = 32

Outcome = TypeVar("Outcome", bound=Hashable)


@dataclass(frozen=True)
class Cell:
    """Outcomes that are counted together.

    Args:
        probability: theirs.
        observed: how many of all draws they were.
    """

    probability: float
    observed: int


def counted(probabilities: Mapping[Outcome, float], drawn: Mapping[Outcome, int]) -> tuple[Cell, ...]:
    """A cell for each outcome, one for all the rare ones, and one for what cannot be if it was drawn.

    >>> counted({"a": 0.7, "b": 0.29, "c": 0.01}, {"a": 69, "b": 30, "d": 1})
    (Cell(probability=0.7, observed=69), Cell(probability=0.3, observed=30), Cell(probability=0, observed=1))
    """
    number = sum(drawn.values())
    cells: list[Cell] = []
    rare, rare_drawn = 0.0, 0
    # From the rarest on, until those put together are no longer rare.
    for outcome in sorted(probabilities, key=probabilities.__getitem__):
        probability, observed = probabilities[outcome], drawn.get(outcome, 0)
        if probability and (min(probability, rare or 1) * number < _LEAST_EXPECTED):
            rare, rare_drawn = rare + probability, rare_drawn + observed
        elif probability:
            cells.append(Cell(probability, observed))
    if rare:
        cells.append(Cell(rare, rare_drawn))
    impossible = number - sum(cell.observed for cell in cells)
    cells.sort(key=lambda cell: -cell.probability)
    return (*cells, Cell(0, impossible)) if impossible else tuple(cells)


def counted_noise(noises: Iterable[int], scale: float) -> tuple[Cell, ...]:
    """Noise of probability P(x) ∝ e^(−|x|/scale) in intervals, the outer ones without an end.

    >>> [f"{cell.probability:.3f}" for cell in counted_noise([0] * 1000, 0.5)]
    ['0.762', '0.119', '0.119']
    """
    shares = [part / _CELLS_OF_NOISE for part in range(1, _CELLS_OF_NOISE // 2 + 1)]
    lower = {round(scale * math.log(2 * share)) for share in shares}
    ends = sorted({-1, 0, *lower, *(-end - 1 for end in lower)})
    reached = [0.0, *(_at_most(end, scale) for end in ends), 1.0]
    probabilities = {place: upper - below for place, (below, upper) in enumerate(pairwise(reached))}
    return counted(probabilities, Counter(bisect_left(ends, noise) for noise in noises))


def _at_most(x: int, scale: float) -> float:
    """The probability that the noise is at most x: r^(−x)/(1 + r) for x ≤ 0 with r = e^(−1/scale), and its mirror."""
    tail = math.exp(-(-x if x < 0 else x + 1) / scale) / (1 + math.exp(-1 / scale))
    return tail if x < 0 else 1 - tail
