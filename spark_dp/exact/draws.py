"""Three ways to take several draws from one distribution, all exact and linear in their number."""

from __future__ import annotations

from spark_dp.exact.categorical import Categorical
from spark_dp.exact.source import Source


def independent(distribution: Categorical, draws: int, source: Source) -> list[int]:
    """Ranks drawn independently, each with the probabilities weight / total."""
    return [distribution.pick(source.below(distribution.total)) for _ in range(draws)]


def polya_urn(distribution: Categorical, draws: int, source: Source) -> list[int]:
    """Ranks from an urn into which each draw puts one record more of the value drawn.

    Of the total after i draws, i records are copies of earlier draws, so that a ticket among them
    names the draw it repeats.
    """
    drawn: list[int] = []
    for _ in range(draws):
        ticket = source.below(distribution.total + len(drawn) * distribution.scale)
        copied = (ticket - distribution.total) // distribution.scale
        drawn.append(distribution.pick(ticket) if copied < 0 else drawn[copied])
    return drawn


def distinct_records(distribution: Categorical, draws: int, source: Source) -> list[int]:
    """Ranks of which those that reveal come from different records, for at most as many draws as records.

    Each draw decides on its own whether to reveal. The revealing ones go through a random permutation
    of the records, of which only what was moved is stored.
    """
    drawn: list[int] = []
    moved: dict[int, int] = {}
    last = distribution.records - 1
    for _ in range(draws):
        ticket = source.below(distribution.total)
        if distribution.reveals(ticket):
            place = source.below(last + 1)
            drawn.append(distribution.revealed(moved.get(place, place)))
            moved[place] = moved.get(last, last)
            last -= 1
        else:
            drawn.append(distribution.pick(ticket))
    return drawn
