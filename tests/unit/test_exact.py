"""The exact arithmetic and the exact draws, each against an independent computation."""

from collections import Counter
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_dp.exact import source as source_module
from spark_dp.exact.bounds import BITS, exp_lower
from spark_dp.exact.categorical import Categorical, nth_missing
from spark_dp.exact.source import SYSTEM


@given(st.decimals("0", "50", places=9))
def test_the_bound_lies_below_the_exponential_and_close_to_it(x):
    bound = exp_lower(Fraction(x))
    with localcontext(Context(prec=90)):
        exponential = Fraction(x.exp())
    slack = Fraction(1, 10**60)
    assert bound <= exponential + slack
    assert exponential - bound <= Fraction(2, 2**BITS) + slack


@pytest.mark.parametrize("x", ["1e-15", "1e-9", "0.1"])
def test_the_bound_keeps_small_arguments_apart_from_zero(x):
    with localcontext(Context(prec=90)):
        expected = Fraction(Decimal(x).exp()) - 1
    assert abs((exp_lower(Fraction(x)) - 1) / expected - 1) < Fraction(1, 2**70)


def test_the_bound_is_certified_for_positive_arguments_only():
    with pytest.raises(ValueError, match="x >= 0"):
        exp_lower(Fraction(-1))


@given(
    k=st.integers(1, 9),
    counts=st.dictionaries(st.integers(0, 8), st.integers(1, 5)),
    scale=st.integers(1, 4),
    data=st.data(),
)
def test_every_ticket_is_worth_one_unit_of_weight(k, counts, scale, data):
    """All tickets 0..Z−1 are picked once: each rank must come up exactly as often as its weight says."""
    counts = {rank: count for rank, count in counts.items() if rank < k}
    ranks, seen = np.array(sorted(counts), np.int64), np.array([counts[rank] for rank in sorted(counts)], np.int64)
    shared = data.draw(st.booleans())
    unseen = data.draw(st.integers(1, 3))
    extra = None if shared else data.draw(st.lists(st.integers(0, 4), min_size=len(ranks), max_size=len(ranks)))
    tested = Categorical(k, ranks, seen, scale, extra, unseen)
    added = dict.fromkeys(ranks.tolist(), unseen) if shared else dict(zip(ranks.tolist(), extra, strict=True))
    expected = {rank: counts.get(rank, 0) * scale + added.get(rank, unseen) for rank in range(k)}
    assert tested.total == sum(expected.values())
    picked = Counter(tested.pick(ticket) for ticket in range(tested.total))
    assert picked == {rank: weight for rank, weight in expected.items() if weight}


def test_a_pick_costs_the_values_seen_and_not_the_domain():
    tested = Categorical(10**18, np.array([5, 7]), np.array([1, 1]), 1, [1, 1], 1)
    assert tested.pick(tested.total - 1) == 10**18 - 1


@given(st.sets(st.integers(0, 30)))
def test_the_missing_numbers_come_in_order(present):
    missing = [number for number in range(40) if number not in present]
    found = [nth_missing(np.array(sorted(present), np.int64), index) for index in range(len(missing))]
    assert found == missing


@pytest.mark.parametrize(("bound", "limit"), [(3, 2**64 - 2), (2**62 + 1, 3 * (2**62 + 1) - 1)])
def test_words_that_would_favor_small_remainders_are_rejected(monkeypatch, bound, limit):
    words = iter([np.array([limit + 1, limit, 2**64 - 1], np.uint64), np.array([5, 1], np.uint64)])
    monkeypatch.setattr(source_module.os, "urandom", lambda _size: next(words).tobytes())
    assert np.concatenate(list(SYSTEM.below_many(bound, 3))).tolist() == [limit % bound, 5 % bound, 1]


def test_many_uniform_numbers_are_as_many_as_asked_for():
    assert list(SYSTEM.below_many(7, 0)) == []
    drawn = np.concatenate(list(SYSTEM.below_many(7, (1 << 20) + 5)))
    assert len(drawn) == (1 << 20) + 5
    assert set(drawn.tolist()) == set(range(7))
