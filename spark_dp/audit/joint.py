"""The joint distribution of the draws of a release, from its definition and not from the sampler."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from spark_dp.counts import Counts
from spark_dp.mechanisms.weights import Scheme, WeightsMechanism
from spark_dp.privacy import Relation

Draws = tuple[int, ...]


def joint(
    mechanism: WeightsMechanism, counts: Sequence[int], sequences: Iterable[Draws] | None = None
) -> dict[Draws, Fraction]:
    """Exact probability of sequences of draws, given the counts.

    The order of the draws does not matter under any scheme, so that a sequence of fewer than all
    draws has the same probability wherever in the release they stand.

    Args:
        mechanism: whose draws.
        counts: the count of each of its k values.
        sequences: which; all sequences of all its draws if None.
    """
    if sequences is None:
        sequences = itertools.product(range(mechanism.k), repeat=mechanism.num_samples)
    of_one = mechanism.pmf(list(counts))
    if mechanism.scheme is Scheme.INDEPENDENT:
        return {sequence: _product(of_one[symbol] for symbol in sequence) for sequence in sequences}
    # A single probability tells the weights, in records: the pseudo-counts add up to total − n.
    total = _total(mechanism, counts)
    if mechanism.scheme is Scheme.POLYA_URN:
        weights = [p * total for p in of_one]
        return {sequence: _urn(weights, total, sequence) for sequence in sequences}
    return {sequence: _distinct(counts, sum(counts) / total, sequence) for sequence in sequences}


def unordered(k: int, draws: int) -> list[Draws]:
    """One sequence of draws for all that differ in their order only.

    >>> unordered(2, 3)
    [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)]
    """
    return list(itertools.combinations_with_replacement(range(k), draws))


def _total(mechanism: WeightsMechanism, counts: Sequence[int]) -> Fraction:
    """Z, in records."""
    bound = mechanism.with_n(sum(counts)) if mechanism.relation is Relation.REPLACE else mechanism
    smoothing = bound.smoothing(Counts.dense(counts))
    seen = sum(1 for count in counts if count)
    added = sum(smoothing.seen) if smoothing.seen is not None else seen * smoothing.unseen
    return sum(counts) + Fraction(added + (len(counts) - seen) * smoothing.unseen, bound.scale)


def _product(factors: Iterable[Fraction]) -> Fraction:
    pairs = [factor.as_integer_ratio() for factor in factors]
    return Fraction(math.prod(above for above, _ in pairs), math.prod(below for _, below in pairs))


def _urn(weights: Sequence[Fraction], total: Fraction, sequence: Draws) -> Fraction:
    """One draw after another, each from the weights and all draws before it."""
    drawn: Counter[int] = Counter()
    factors = []
    for place, symbol in enumerate(sequence):
        factors.append((weights[symbol] + drawn[symbol]) / (total + place))
        drawn[symbol] += 1
    return _product(factors)


def _distinct(counts: Sequence[int], keep: Fraction, sequence: Draws) -> Fraction:
    """One draw after another: it keeps a record's value, of those that no draw has used yet, or is uniform.

    Args:
        counts: of each value.
        keep: the probability that a draw keeps the value of its record.
        sequence: of draws.
    """
    n, k = sum(counts), len(counts)
    # How many records of each value are used up, and the probability of that and of the draws so far.
    reached: dict[Draws, Fraction] = {(0,) * k: Fraction(1)}
    for symbol in sequence:
        after: defaultdict[Draws, Fraction] = defaultdict(Fraction)
        for used, probability in reached.items():
            after[used] += probability * (1 - keep) / k
            left = counts[symbol] - used[symbol]
            if left:
                taken = (*used[:symbol], used[symbol] + 1, *used[symbol + 1 :])
                after[taken] += probability * keep * Fraction(left, n - sum(used))
        reached = after
    return sum(reached.values(), Fraction(0))
