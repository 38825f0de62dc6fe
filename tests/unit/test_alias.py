"""The alias table, followed through every slot: whom it draws, and how often, as rationals.

Would catch: a value without weight that is drawn, an alias taken below its threshold, a threshold off by
one or rounded down, an entry that is no 64-bit integer.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_dp.exact.alias import AliasTable


def probabilities(table):
    """Of each slot's number, read from the entries as Spark reads them."""
    slots, units = 1 << table.bits, 1 << table.threshold_bits
    found = [Fraction(0)] * slots
    for slot, entry in enumerate(table.entries):
        assert -(2**63) <= entry < 2**63
        # u draws the slot itself where (entry >> bits) − u is not negative.
        own = min(units, max(0, (entry >> table.bits) + 1))
        found[slot] += Fraction(own, units * slots)
        found[slot ^ (entry & (slots - 1))] += Fraction(units - own, units * slots)
    return found


def off(weights):
    """The total variation of the table to the weights, and its bound."""
    table = AliasTable.of(weights)
    assert len(table.entries) == 1 << table.bits >= max(2, len(weights))
    wanted = weights if any(weights) else [1] * len(weights)
    found = probabilities(table)
    assert sum(found) == 1
    # Nobody draws what has no weight, and least of all a slot behind the last value.
    assert not any(found[len(weights) :])
    assert not any(share for share, weight in zip(found, wanted, strict=False) if not weight)
    differences = (abs(share - Fraction(weight, sum(wanted))) for share, weight in zip(found, wanted, strict=False))
    return sum(differences) / 2, Fraction(1, 2 ** (64 - table.bits))


@pytest.mark.parametrize(
    "weights",
    [
        [7],
        [0],
        [1, 1],
        [0, 0, 0],
        [0, 5, 0],
        [1, 2, 3],
        [3, 1],
        [1, 2**62],
        [2**200, 3**100, 0, 1],
        [*range(1000)],
        [1] * 1025,
        [10**6, *[1] * 5000],
    ],
    ids=lambda weights: f"{len(weights)} from {weights[0]}",
)
def test_every_rank_has_its_weight(weights):
    distance, bound = off(weights)
    assert distance <= bound


def test_a_weight_that_divides_the_slots_has_no_error():
    assert off([3, 1, 4])[0] == 0
    assert off([0, 0, 0, 0])[0] == 0


@given(st.lists(st.one_of(st.integers(0, 5), st.integers(0, 2**90)), min_size=1, max_size=40))
def test_any_weights_are_drawn_within_the_bound(weights):
    distance, bound = off(weights)
    assert distance <= bound


def test_the_bound_is_below_2_to_the_minus_40_for_every_domain_that_has_noise():
    from spark_dp.mechanisms.noise import MAX_NOISY_CELLS

    assert 2.0 ** ((MAX_NOISY_CELLS - 1).bit_length() - 64) < 2.0**-40
