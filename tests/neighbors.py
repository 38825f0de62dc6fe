"""Enumeration of small histograms and of their neighbors, and the exact privacy loss over all of them."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache


def histograms(n, k):
    """Every histogram of n records over k values."""
    if k == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in histograms(n - first, k - 1):
            yield (first, *rest)


def answered(mechanism, largest_n, k):
    """Every histogram of up to so many records that the mechanism can answer for."""
    # What draws different records needs as many.
    smallest_n = mechanism.num_samples if mechanism.depends_on_n else 0
    return (counts for n in range(smallest_n, largest_n + 1) for counts in histograms(n, k))


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


def exponential(eps):
    """e^ε, to 60 digits and rounded up."""
    with localcontext(Context(prec=60)):
        return Fraction(Decimal(str(eps)).exp()) * (1 + Fraction(1, 10**58))


def largest_ratio(distribution, counts_list, relation):
    """The largest probability ratio of any outcome between the histograms and their neighbors, exactly.

    Histograms that only relabel one another are looked at once: relabeling is a test of its own.

    Args:
        distribution: counts to a sequence or a dict of probabilities.
        counts_list: the histograms.
        relation: which are neighbors.
    """

    @cache
    def probabilities(counts):
        found = distribution(list(counts))
        exact = tuple(found.values()) if isinstance(found, dict) else tuple(found)
        return [(p, float(p)) for p in exact]

    # Floats pass over what cannot be the largest; rationals decide among the rest.
    largest, bar = Fraction(0), 0.0
    for counts in counts_list:
        if list(counts) != sorted(counts):
            continue
        here = probabilities(counts)
        for neighbor in neighbors(counts, relation):
            for (p, p_near), (q, q_near) in zip(here, probabilities(neighbor), strict=True):
                if max(p_near / q_near, q_near / p_near) >= bar:
                    largest = max(largest, p / q, q / p)
                    bar = float(largest) * (1 - 1e-9)
    return largest
