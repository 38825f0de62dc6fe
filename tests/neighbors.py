"""The exact privacy loss over small histograms and their neighbors, which spark_dp.audit enumerates."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache

from spark_dp.audit.measures import largest_ratio as ratio_of_two
from spark_dp.audit.neighbors import histograms, neighbors


def answered(mechanism, largest_n, k):
    """Every histogram of up to so many records that the mechanism can answer for."""
    # What draws different records needs as many.
    smallest_n = mechanism.num_samples if mechanism.depends_on_n else 0
    return (counts for n in range(smallest_n, largest_n + 1) for counts in histograms(n, k))


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
        return tuple(found.values()) if isinstance(found, dict) else tuple(found)

    pairs = (
        (counts, neighbor)
        for counts in counts_list
        if list(counts) == sorted(counts)
        for neighbor in neighbors(counts, relation)
    )
    return max((ratio_of_two(*map(probabilities, pair)) for pair in pairs), default=Fraction(0))
