"""The joint distribution of all draws of a release, from its definition and not from the sampler."""

import itertools
from collections import Counter
from fractions import Fraction

from spark_dp.mechanisms.weights import Scheme


def joint(mechanism, counts):
    """Exact probability of every sequence of draws, given the counts."""
    of_one = mechanism.pmf(list(counts))
    n = sum(counts)
    if mechanism.scheme is Scheme.INDEPENDENT:
        return _sequences(mechanism, lambda sequence: _product(of_one[symbol] for symbol in sequence))
    # A single probability tells the weights, in records: the pseudo-counts add up to total − n.
    total = _total(mechanism, counts)
    weights = [p * total for p in of_one]
    if mechanism.scheme is Scheme.POLYA_URN:
        return _sequences(mechanism, lambda sequence: _urn(weights, total, sequence))
    return _sequences(mechanism, lambda sequence: _distinct(counts, n, n / total, sequence))


def _total(mechanism, counts):
    bound = mechanism.with_n(sum(counts)) if mechanism.relation == "replace" else mechanism
    smoothing = bound.smoothing(bound._checked(list(counts)))
    seen = sum(1 for count in counts if count)
    added = sum(smoothing.seen) if smoothing.seen is not None else seen * smoothing.unseen
    return sum(counts) + Fraction(added + (len(counts) - seen) * smoothing.unseen, bound.scale)


def _sequences(mechanism, probability):
    symbols = range(mechanism.k)
    return {sequence: probability(sequence) for sequence in itertools.product(symbols, repeat=mechanism.num_samples)}


def _product(factors):
    product = Fraction(1)
    for factor in factors:
        product *= factor
    return product


def _urn(weights, total, sequence):
    """One draw after another, each from the weights and all draws before it."""
    return _product(
        (weights[symbol] + sequence[:place].count(symbol)) / (total + place) for place, symbol in enumerate(sequence)
    )


def _distinct(counts, n, keep, sequence):
    """Over all choices of the draws that keep their record's value, records taken without replacement."""
    probability = Fraction(0)
    for kept in itertools.product([True, False], repeat=len(sequence)):
        left, records, term = Counter(dict(enumerate(counts))), n, Fraction(1)
        for symbol, keeps in zip(sequence, kept, strict=True):
            if keeps:
                term *= keep * Fraction(left[symbol], records) if records else 0
                left[symbol] -= 1
                records -= 1
            else:
                term *= (1 - keep) / len(counts)
        probability += term
    return probability
