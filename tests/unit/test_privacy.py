"""ε, relations and the guarantee in words."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from spark_dp.errors import EpsilonError, RelationError
from spark_dp.privacy import Epsilon, Guarantee, Relation


@pytest.mark.parametrize(
    ("eps", "value"),
    [
        (1, Fraction(1)),
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (" 0.10 ", Fraction(1, 10)),
        ("1e-9", Fraction(1, 10**9)),
        (Decimal("2.50"), Fraction(5, 2)),
        (np.float64(0.3), Fraction(3, 10)),
        (np.float32(0.3), Fraction(3, 10)),
        (np.int64(2), Fraction(2)),
        (50, Fraction(50)),
    ],
)
def test_epsilon_is_the_decimal_that_was_written(eps, value):
    assert Epsilon.parse(eps).value == value


@pytest.mark.parametrize(
    ("eps", "reason"),
    [
        (0, "must be positive"),
        (-1, "must be positive"),
        ("-0.0", "must be positive"),
        (float("nan"), "must be finite"),
        (float("inf"), "must be finite"),
        ("abc", "not a decimal number"),
        ("", "not a decimal number"),
        ("1/3", "not a decimal number"),
        (None, "not a decimal number"),
        ([1], "not a decimal number"),
        (True, "is a boolean"),
        (np.bool_(True), "is a boolean"),  # noqa: FBT003
        (51, "protects nobody"),
        (1e300, "protects nobody"),
        ("1e999999999", "protects nobody"),
        ("1e-10", "smallest unit"),
        ("1e-999999999", "smallest unit"),
    ],
)
def test_what_is_no_epsilon_is_refused_with_the_reason_and_a_way_out(eps, reason):
    with pytest.raises(EpsilonError, match=reason) as error:
        Epsilon.parse(eps)
    assert "eps" in str(error.value)
    assert any(word in str(error.value) for word in ("Give", "Most releases"))


@pytest.mark.parametrize(("eps", "text"), [("0.50", "0.5"), (10, "10"), ("1e-9", "0.000000001"), ("1E+1", "10")])
def test_epsilon_is_written_in_plain_decimals(eps, text):
    assert str(Epsilon.parse(eps)) == text


def test_relations_are_told_by_name():
    assert [Relation.parse(name) for name in ("any", "replace", "add-remove")] == list(Relation)
    assert Relation.parse(Relation.ANY) is Relation.ANY


@pytest.mark.parametrize(
    ("name", "advice"), [("replacement", "'replace'"), ("add_remove", "'add-remove'"), (3, "'any'")]
)
def test_an_unknown_relation_is_refused_with_the_nearest_name(name, advice):
    with pytest.raises(RelationError, match=advice):
        Relation.parse(name)


@pytest.mark.parametrize("eps", ["0.001", "0.1", "1", "2", "20", "50"])
def test_the_factor_in_words_is_never_understated(eps):
    words = Guarantee(Epsilon.parse(eps), Relation.ANY).in_words()
    factor = float(words.rsplit(" ", 1)[1].rstrip(".").replace(",", ""))
    assert math.exp(float(eps)) <= factor <= math.exp(float(eps)) * 1.001
    assert "adding, removing or replacing any one row" in words
