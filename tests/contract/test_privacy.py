"""Exact differential privacy of every mechanism: all small neighbors in rationals, larger ones at random.

Would catch: a schedule that falls too fast, a minimum off by one, a rounding in the wrong
direction, a relation mixed up with another.
"""

import itertools
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neighbors import histograms, largest_ratio, neighbors

from spark_dp import mechanism
from spark_dp.counts import Counts
from spark_dp.mechanisms import schedules
from spark_dp.mechanisms.base import Smoothing, _with_outside_replaced
from spark_dp.mechanisms.ds_roo import DsRoo
from spark_dp.privacy import Epsilon, Relation

LARGEST_N = {1: 12, 2: 40, 3: 14, 4: 12}


def small_histograms(k):
    return (counts for n in range(LARGEST_N[k] + 1) for counts in histograms(n, k))


@pytest.mark.parametrize("k", LARGEST_N)
def test_no_ratio_exceeds_e_to_the_epsilon(name, relation, eps, k):
    tested = mechanism(name, eps, k, relation=relation)
    # A lower bound of e^ε: what passes here passes for e^ε itself.
    assert largest_ratio(tested, small_histograms(k), relation) <= tested.exp_epsilon


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("name", ["roo", "ds-roo"])
def test_the_guarantee_is_tight_under_replace(name, eps, k):
    tested = mechanism(name, eps, k, relation="replace")
    ratio = largest_ratio(tested, small_histograms(k), "replace")
    assert ratio >= tested.exp_epsilon * (1 - Fraction(1, 10**6))


@pytest.mark.parametrize("draws", [2, 3])
def test_several_draws_share_one_epsilon(name, relation, draws):
    tested = mechanism(name, "0.7", 3, relation=relation, num_samples=draws)
    worst = Fraction(0)
    for counts in (counts for n in range(6) for counts in histograms(n, 3)):
        here = tested.pmf(list(counts))
        for neighbor in neighbors(counts, relation):
            there = tested.pmf(list(neighbor))
            for joint in itertools.product(range(3), repeat=draws):
                ratio = Fraction(1)
                for symbol in joint:
                    ratio *= here[symbol] / there[symbol]
                worst = max(worst, ratio, 1 / ratio)
    with localcontext(Context(prec=60)):
        assert worst <= Fraction(Decimal("0.7").exp()) * (1 + Fraction(1, 10**50))


@given(data=st.data())
@settings(max_examples=300)
def test_no_ratio_exceeds_it_at_large_n(name, relation, data):
    k = data.draw(st.integers(2, 6))
    eps = data.draw(st.sampled_from(["0.02", "0.1", "0.5", "1", "2.5"]))
    floor = data.draw(st.integers(0, 100))
    counts = data.draw(st.lists(st.integers(floor, floor + 3) | st.integers(floor, 10**9), min_size=k, max_size=k))
    tested = mechanism(name, eps, k, relation=relation)
    here = tested.pmf(counts)
    for neighbor in neighbors(counts, relation):
        for p, q in zip(here, tested.pmf(list(neighbor)), strict=True):
            assert q <= tested.exp_epsilon * p
            assert p <= tested.exp_epsilon * q


@pytest.mark.parametrize("name", ["roo", "ds-roo"])
def test_rows_outside_the_domain_are_protected_under_replace(name, eps):
    """A row outside is a (k+1)-th symbol; its random replacement is part of the mechanism."""
    k, tested = 2, mechanism(name, eps, 2, relation="replace")

    def pmf(counts):
        *inside, outside = counts
        mean = [Fraction(0)] * k
        for replacements in itertools.product(range(k), repeat=outside):
            completed = _with_outside_replaced(Counts.dense(inside, outside), Scripted(replacements))
            mean = [m + p / k**outside for m, p in zip(mean, tested.pmf(completed), strict=True)]
        return mean

    for counts in (counts for n in range(1, 7) for counts in histograms(n, k + 1)):
        for neighbor in neighbors(counts, "replace"):
            for p, q in zip(pmf(counts), pmf(neighbor), strict=True):
                assert p <= tested.exp_epsilon * q


class Scripted:
    """A source whose draws are given."""

    def __init__(self, values):
        self._values = values

    def below_many(self, bound, size):
        import numpy as np

        assert size == len(self._values)
        yield np.array(self._values, dtype=np.int64)


class NaiveSchedule(DsRoo):
    """u_m = max(0, t − m) although records are replaced."""

    @property
    def schedule(self):
        return schedules.add_remove(self.exp_epsilon, self.scale)


class MinimumOffByOne(DsRoo):
    """The smoothing of m + 1."""

    def smoothing(self, counts):
        m = counts.minimum + 1
        return Smoothing(self.schedule[m] if m < len(self.schedule) else 0)


class NewMinimumOnly(DsRoo):
    """The smallest count among the values seen instead of over the domain."""

    def smoothing(self, counts):
        m = int(counts.counts.min()) if len(counts.counts) else 0
        return Smoothing(self.schedule[m] if m < len(self.schedule) else 0)


class RoundedDown(DsRoo):
    """Every entry one unit too small."""

    def smoothing(self, counts):
        return Smoothing(max(0, super().smoothing(counts).unseen - 1))


@pytest.mark.parametrize("relation", ["any", "replace"])
@pytest.mark.parametrize("mutant", [NaiveSchedule, MinimumOffByOne, NewMinimumOnly, RoundedDown])
def test_a_broken_schedule_is_caught(mutant, relation):
    tested = mutant(Epsilon.parse("0.4054651081"), 3, Relation.parse(relation))
    histograms_here = (counts for n in range(LARGEST_N[3] + 1) for counts in histograms(n, 3))
    assert caught(lambda: largest_ratio(tested, histograms_here, relation) > tested.exp_epsilon)


def caught(exceeds):
    try:
        return exceeds()
    except ZeroDivisionError:  # a value became impossible in one of two neighbors: no bound at all
        return True
