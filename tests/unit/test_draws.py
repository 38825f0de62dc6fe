"""Every way to take several draws, through all that chance can do: the whole tree of random numbers.

Would catch: an urn that adds to the wrong value or too much, a record taken twice, a draw that asks
for a number below the wrong bound.
"""

import itertools
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from tree import every_outcome

from spark_dp.exact import draws
from spark_dp.exact.categorical import Categorical

CASES = {
    "one number for all": ([0, 2, 1], 2, None, 1),
    "each its own": ([0, 2, 1], 2, [0, 3], 1),
    "nothing seen": ([0, 0, 0], 1, None, 1),
    "all seen": ([1, 1, 2], 1, [2, 1, 0], 5),
}


def weights(counts, scale, extra, unseen):
    ranks = [rank for rank, count in enumerate(counts) if count]
    added = dict(zip(ranks, extra or [unseen] * len(ranks), strict=True))
    return [count * scale + added.get(rank, unseen) for rank, count in enumerate(counts)]


def distribution(scheme, case, number):
    """The probability of every sequence, over every random number the scheme may be given."""
    counts, scale, extra, unseen = case
    seen = np.flatnonzero(counts)
    tested = Categorical(len(counts), seen, np.array(counts)[seen], scale, extra, unseen)
    return every_outcome(lambda source: tuple(scheme(tested, number, source)))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_independent_draws(case):
    each = weights(*case)
    expected = {
        (first, second): Fraction(each[first] * each[second], sum(each) ** 2)
        for first, second in itertools.product(range(3), repeat=2)
    }
    assert distribution(draws.independent, case, 2) == {sequence: p for sequence, p in expected.items() if p}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_urn_gains_one_record_of_what_was_drawn(case):
    each, scale = weights(*case), case[1]
    expected = {}
    for sequence in itertools.product(range(3), repeat=3):
        urn, p = list(each), Fraction(1)
        for symbol in sequence:
            p *= Fraction(urn[symbol], sum(urn))
            urn[symbol] += scale
        expected[sequence] = p
    assert distribution(draws.polya_urn, case, 3) == {sequence: p for sequence, p in expected.items() if p}


@pytest.mark.parametrize(("counts", "pseudo"), [([0, 2, 1], 1), ([1, 1, 1], 2), ([3, 0], 1)])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_distinct_records(counts, pseudo, number):
    """By enumerating the records drawn, in every order, and whether each keeps its value."""
    records = [symbol for symbol, count in enumerate(counts) for _ in range(count)]
    keep = Fraction(len(records), len(records) + len(counts) * pseudo)
    expected = defaultdict(Fraction)
    orders = list(itertools.permutations(range(len(records)), number))
    for order in orders:
        for fates in itertools.product([None, *range(len(counts))], repeat=number):
            sequence = tuple(
                records[record] if fate is None else fate for record, fate in zip(order, fates, strict=True)
            )
            p = Fraction(1, len(orders))
            for fate in fates:
                p *= keep if fate is None else (1 - keep) / len(counts)
            expected[sequence] += p
    found = distribution(draws.distinct_records, (counts, 1, None, pseudo), number)
    assert found == {sequence: p for sequence, p in expected.items() if p}


def test_as_many_draws_as_records_reveal_each_once():
    records = 50
    tested = Categorical(records, np.arange(records), np.ones(records, np.int64), 1, [0] * records, 0)
    from spark_dp.exact.source import SYSTEM

    assert sorted(draws.distinct_records(tested, records, SYSTEM)) == list(range(records))
