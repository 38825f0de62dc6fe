"""Enumeration of small histograms and of their neighbors, and the exact privacy loss over all of them."""

from fractions import Fraction
from functools import lru_cache


def histograms(n, k):
    """Every histogram of n records over k values."""
    if k == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in histograms(n - first, k - 1):
            yield (first, *rest)


def moved(counts, source, target):
    """The histogram with one record moved; a source or target of None adds or removes one."""
    changed = list(counts)
    if source is not None:
        changed[source] -= 1
    if target is not None:
        changed[target] += 1
    return tuple(changed)


def neighbors(counts, relation):
    """Every neighbor of a histogram; the relation is symmetric, so larger ones only for add-remove."""
    symbols = range(len(counts))
    if relation in ("any", "replace"):
        for source in symbols:
            for target in symbols:
                if source != target and counts[source]:
                    yield moved(counts, source, target)
    if relation in ("any", "add-remove"):
        for target in symbols:
            yield moved(counts, None, target)


def largest_ratio(mechanism, counts_list, relation):
    """The largest probability ratio of any draw between the histograms and their neighbors, exactly.

    Histograms that only relabel one another are looked at once: relabeling is a test of its own.
    """
    pmf = lru_cache(maxsize=None)(lambda counts: tuple(mechanism.pmf(list(counts))))
    largest = Fraction(0)
    for counts in counts_list:
        if list(counts) != sorted(counts):
            continue
        here = pmf(counts)
        for neighbor in neighbors(counts, relation):
            for p, q in zip(here, pmf(neighbor), strict=True):
                largest = max(largest, p / q, q / p)
    return largest
