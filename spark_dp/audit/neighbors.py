"""Small histograms, and the pairs of them that are neighbors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spark_dp.privacy import Relation

Histogram = tuple[int, ...]


def histograms(n: int, k: int) -> Iterator[Histogram]:
    """Every histogram of n records over k values.

    >>> list(histograms(2, 2))
    [(0, 2), (1, 1), (2, 0)]
    """
    if k == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in histograms(n - first, k - 1):
            yield (first, *rest)


def neighbors(counts: Histogram, relation: Relation | str) -> Iterator[Histogram]:
    """Every neighbor of a histogram.

    The relation is symmetric: where records are added or removed, only the neighbors with one more
    are listed, and those with one less have this one among theirs.

    >>> list(neighbors((0, 2), "any"))
    [(1, 1), (1, 2), (0, 3)]
    """
    symbols = range(len(counts))
    if relation in (Relation.ANY, Relation.REPLACE):
        for source in symbols:
            for target in symbols:
                if source != target and counts[source]:
                    yield _moved(counts, source, target)
    if relation in (Relation.ANY, Relation.ADD_REMOVE):
        for target in symbols:
            yield _moved(counts, None, target)


def later_neighbors(counts: Histogram, relation: Relation | str) -> Iterator[Histogram]:
    """The neighbors that come after the histogram in the order of tuples: each pair from one side only.

    >>> list(later_neighbors((1, 1), "replace"))
    [(2, 0)]
    """
    return (neighbor for neighbor in neighbors(counts, relation) if neighbor > counts)


def changed(counts: Histogram, neighbor: Histogram) -> Iterable[tuple[int, int]]:
    """The counts that differ, in both.

    >>> list(changed((0, 5, 2), (1, 4, 2)))
    [(0, 1), (5, 4)]
    """
    return ((before, after) for before, after in zip(counts, neighbor, strict=True) if before != after)


def _moved(counts: Histogram, source: int | None, target: int) -> Histogram:
    """The histogram with one record moved; without a source it is added."""
    after = list(counts)
    if source is not None:
        after[source] -= 1
    after[target] += 1
    return tuple(after)
