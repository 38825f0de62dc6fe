"""The certified comparisons, against exact rationals."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_dp.exact.bounds import exp_lower
from spark_dp.exact.rising import LOG_BITS, Rising, draws_within

SCALE = 2**70
WEIGHTS = st.integers(1, 100 * SCALE)


def product(values, draws):
    total = Fraction(1)
    for value in values:
        for term in range(draws):
            total *= Fraction(value, SCALE) + term
    return total


@given(st.integers(1, 12), st.lists(st.tuples(WEIGHTS, WEIGHTS), min_size=1, max_size=2), st.integers(1, 5000))
def test_a_comparison_agrees_with_the_product_of_all_terms(draws, pairs, thousandths):
    epsilon = Fraction(thousandths, 1000)
    above, below = ([pair[side] for pair in pairs] for side in (0, 1))
    e = exp_lower(epsilon)
    ratio = product(above, draws) / product(below, draws)
    tested = Rising(draws, epsilon, e, SCALE)
    # Between the two bounds of e^ε lies nothing that 200 random pairs would hit.
    assert tested.within(above, below) == (ratio <= e)
    excess = Fraction(tested.excess(above, below), 1 << LOG_BITS)
    assert (excess > 0) == (ratio > e)


@pytest.mark.parametrize("draws", [1, 2, 3])
def test_what_is_out_by_one_unit_is_told_apart(draws):
    epsilon = Fraction("0.1")
    tested = Rising(draws, epsilon, exp_lower(epsilon), SCALE)
    below = 5 * SCALE
    low, high = below, 2 * below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if tested.within([middle], [below]) else (low, middle)
    bound = exp_lower(epsilon)
    assert product([low], draws) / product([below], draws) <= bound
    assert product([high], draws) / product([below], draws) > bound


def test_an_equality_is_not_certain_and_so_refused():
    """log Γ is a ball, never a point: what could be either side counts as too much."""
    assert not Rising(5, Fraction(0), Fraction(1), 1).within([7], [7])
    assert Rising(1, Fraction(0), Fraction(1), 1).within([7], [7])


def test_the_precision_of_the_caller_is_left_as_it_was():
    import flint

    before = flint.ctx.prec
    Rising(5, Fraction(1), Fraction(2), 1).within([7], [6])
    assert flint.ctx.prec == before


@given(st.fractions(Fraction(1001, 1000), 5), st.decimals("0.01", "9", places=3))
def test_the_number_of_draws_is_the_largest_that_fits(ratio, epsilon):
    draws = draws_within(ratio, Fraction(epsilon))
    bound = Fraction(Decimal(epsilon).exp())
    slack = Fraction(1, 10**20)
    assert ratio**draws <= bound * (1 + slack)
    assert ratio ** (draws + 1) > bound * (1 - slack)
