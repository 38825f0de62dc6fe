"""Three ways to take several draws from one distribution, all exact and linear in their number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from spark_dp.exact.source import Source


class Distribution(Protocol):
    """What draws are taken from: the counts of one place, or of many."""

    scale: int
    records: int
    total: int

    def pick(self, ticket: int) -> int:
        """The rank that a ticket in [0, total) stands for."""
        ...

    def reveals(self, ticket: int) -> bool:
        """Whether a ticket stands for a record, and not for what was added."""
        ...

    def revealed(self, record: int) -> int:
        """The rank of record number 0..records−1."""
        ...


def independent(distribution: Distribution, draws: int, source: Source) -> list[int]:
    """Ranks drawn independently, each with the probabilities weight / total."""
    return [distribution.pick(source.below(distribution.total)) for _ in range(draws)]


def polya_urn(distribution: Distribution, draws: int, source: Source) -> list[int]:
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


def distinct_records(distribution: Distribution, draws: int, source: Source) -> list[int]:
    """Ranks of which those that reveal come from different records, for at most as many draws as records.

    Each draw decides on its own whether to reveal. The revealing ones go through a random permutation
    of the records.
    """
    records = different(distribution.records, source)
    drawn: list[int] = []
    for _ in range(draws):
        ticket = source.below(distribution.total)
        reveals = distribution.reveals(ticket)
        drawn.append(distribution.revealed(next(records)) if reveals else distribution.pick(ticket))
    return drawn


def different(records: int, source: Source) -> Iterator[int]:
    """All numbers below ``records`` in random order, of which only what was moved is stored."""
    moved: dict[int, int] = {}
    for last in range(records - 1, -1, -1):
        place = source.below(last + 1)
        yield moved.get(place, place)
        moved[place] = moved.get(last, last)
