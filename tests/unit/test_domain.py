"""Domains: what they accept, how they rank, and that they survive JSON."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_dp import Product, Values
from spark_dp.domain import ColumnType, from_json
from spark_dp.errors import DomainError

UTC = timezone.utc
LISTS = {
    "string": ["", " ", "a ", "a", "it's", "`q`", "naïve", "Ω", "日本", "a.b", '"', "\\", "\0"],
    "integer": [0, -1, 2**63 - 1, -(2**63)],
    "decimal": [Decimal(0), Decimal("1.50"), Decimal("-1e-9"), Decimal(99999999999999999999999999999999999999)],
    "date": [date(1, 1, 1), date(2024, 2, 29), date(9999, 12, 31)],
    "timestamp": [datetime(1, 1, 2, tzinfo=UTC), datetime(2024, 2, 29, 23, 59, 59, 999999, tzinfo=UTC)],
    "timestamp_ntz": [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 1)],  # noqa: DTZ001 — without a zone on purpose
    "boolean": [True, False],
    "binary": [b"", b"\x00", b"\x00\xff"],
}


@pytest.mark.parametrize("kind", LISTS)
def test_every_kind_ranks_and_survives_json(kind):
    values = Values(LISTS[kind])
    assert values.kind == kind
    assert values.size == len(LISTS[kind])
    for rank, value in enumerate(LISTS[kind]):
        assert values.rank(value) == rank
        assert values.unrank(rank) == value
    restored = from_json(values.to_json())
    assert restored == values
    assert [type(value) for value in restored.values] == [type(value) for value in values.values]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, unique=True))
def test_any_text_survives_json(texts):
    assert from_json(Values(texts).to_json()).values == tuple(texts)


@given(
    st.lists(
        st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=8), min_size=1
    )
)
def test_decimals_are_one_value_however_they_are_written(decimals):
    distinct = list(dict.fromkeys(decimals))
    values = Values(distinct)
    for decimal in distinct:
        assert values.rank(decimal) == values.rank(Decimal(format(decimal, "f") + "00")) is not None


@pytest.mark.parametrize(
    ("given_list", "expected"),
    [
        (np.array([3, 1]), [3, 1]),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array(["2024-02-29"], "datetime64[D]"), [date(2024, 2, 29)]),
        (np.array(["2024-02-29T01"], "datetime64[ns]"), [datetime(2024, 2, 29, 1)]),  # noqa: DTZ001
        (pd.Series(pd.to_datetime(["2024-02-29"], utc=True)), [datetime(2024, 2, 29, tzinfo=UTC)]),
        (pd.Series(["a", "b"]), ["a", "b"]),
        (range(3), [0, 1, 2]),
        ((name for name in "xy"), ["x", "y"]),
        ([datetime(2024, 1, 1, 5, tzinfo=timezone(timedelta(hours=5)))], [datetime(2024, 1, 1, tzinfo=UTC)]),
        ([1, Decimal("0.5")], [Decimal(1), Decimal("0.5")]),
        ([bytearray(b"a")], [b"a"]),
    ],
)
def test_lists_come_in_many_forms(given_list, expected):
    assert Values(given_list).values == tuple(expected)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "is empty"),
        (iter(()), "is empty"),
        (["a", "b", "a"], "lists 'a' more than once"),
        ([0, -0], "more than once"),
        ([Decimal("1.5"), Decimal("1.50")], "more than once"),
        (["a", None], "Value number 2 of the domain is null"),
        ([float("nan")], "null"),
        (pd.Series([pd.NaT]), "null"),
        ([pd.NA], "null"),
        (["a", 1], "mixes integer and string"),
        ([True, 1], "mixes boolean and integer"),
        ([1.5], "floating-point"),
        ([["a"]], "is a list; a domain lists strings"),
        (["\ud800"], "surrogates"),
        ([Decimal("inf")], "not finite"),
        ([Decimal("1e999999999")], "more digits"),
        ([datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))], "years 1 to 9999"),
        ([pd.Timestamp("2024-01-01 00:00:00.000000001")], "finer than a microsecond"),
        (np.array(["2024-01-01T00:00:00.000000001"], "datetime64[ns]"), "finer than a microsecond"),
        ("abc", "A domain is a list"),
        (b"abc", "A domain is a list"),
        ({"a": 1}, "A domain is a list"),
        (7, "A domain is a list"),
    ],
)
def test_what_is_no_domain_is_refused_with_the_reason(values, reason):
    with pytest.raises(DomainError, match=reason):
        Values(values)


def test_a_list_too_long_is_refused_before_it_fills_the_memory():
    def endless():
        number = 0
        while True:
            yield number
            number += 1

    with pytest.raises(DomainError, match="more than 4,194,304"):
        Values(endless())


BIGINT = ColumnType("bigint", "integer", low=-(2**63), high=2**63 - 1)
TINYINT = ColumnType("tinyint", "integer", low=-128, high=127)
MONEY = ColumnType("decimal(5,2)", "decimal", precision=5, scale=2)
STRING = ColumnType("string", "string")
DATE = ColumnType("date", "date")
INSTANT = ColumnType("timestamp", "timestamp")
LOCAL = ColumnType("timestamp_ntz", "timestamp_ntz")
BOOLEAN = ColumnType("boolean", "boolean")
BINARY = ColumnType("binary", "binary")


@pytest.mark.parametrize(
    ("values", "to", "expected"),
    [
        ([1, 2], BIGINT, [1, 2]),
        (["1", "-2"], BIGINT, [1, -2]),
        ([1, -128, 127], TINYINT, [1, -128, 127]),
        ([1, 999], MONEY, [Decimal(1), Decimal(999)]),
        ([Decimal("999.99"), Decimal("0.5")], MONEY, [Decimal("999.99"), Decimal("0.5")]),
        (["1.50"], MONEY, [Decimal("1.5")]),
        (["2024-02-29"], DATE, [date(2024, 2, 29)]),
        (["2024-02-29T00:00:00Z"], INSTANT, [datetime(2024, 2, 29, tzinfo=UTC)]),
        (["2024-02-29T00:00:00"], LOCAL, [datetime(2024, 2, 29)]),  # noqa: DTZ001
        (["true", "false"], BOOLEAN, [True, False]),
        (["00ff"], BINARY, [b"\x00\xff"]),
    ],
)
def test_a_cast_keeps_the_ranks(values, to, expected):
    assert Values(values).cast("c", to).values == tuple(expected)


@pytest.mark.parametrize(
    ("values", "to", "reason"),
    [
        ([1, 2], STRING, "holds integer values, the column is of type string"),
        ([date(2024, 1, 1)], INSTANT, "holds date values"),
        ([True], BIGINT, "holds boolean values"),
        ([128], TINYINT, "128 does not fit column 'c' of type tinyint"),
        ([Decimal("0.001")], MONEY, "does not fit"),
        ([1000], MONEY, "does not fit"),
        ([Decimal(1)], BIGINT, "holds decimal values"),
        (["one"], BIGINT, "'one' is not a whole number"),
        (["1_000"], BIGINT, "not a whole number"),
        (["1", "01"], BIGINT, "lists 1 more than once"),
        (["2023-02-29"], DATE, "cannot be cast"),
        (["yes"], BOOLEAN, "neither 'true' nor 'false'"),
        (["xyz"], BINARY, "cannot be cast"),
        (["2024-01-01T00:00:00"], INSTANT, "no time zone"),
        (["2024-01-01T00:00:00Z"], LOCAL, "time zone"),
        ([datetime(2024, 1, 1)], INSTANT, "add a time zone"),  # noqa: DTZ001
        ([datetime(2024, 1, 1, tzinfo=UTC)], LOCAL, "drop the time zone"),
    ],
)
def test_a_cast_that_would_lose_something_is_refused(values, to, reason):
    with pytest.raises(DomainError, match=reason):
        Values(values).cast("c", to)


def test_a_product_ranks_every_combination_once():
    joint = Product({"a": Values(["x", "y"]), "b": Values([1, 2, 3]), "c": Values([True, False])})
    combinations = [joint.unrank(rank) for rank in range(joint.size)]
    assert len(set(combinations)) == joint.size == 12
    assert [joint.rank(combination) for combination in combinations] == list(range(12))
    assert joint.rank(("x", 9, True)) is None
    assert from_json(joint.to_json()) == joint


def test_a_product_of_nothing_is_refused():
    with pytest.raises(DomainError, match="no domains"):
        Product({})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"domain": "values"}',
        '{"domain": "values", "kind": "date", "values": ["x"]}',
        '{"domain": "values", "kind": "string", "values": [1]}',
        '{"domain": "values", "kind": "string"}',
    ],
)
def test_json_of_something_else_is_refused(text):
    with pytest.raises(DomainError):
        from_json(text)


def test_a_value_outside_has_no_rank():
    values = Values([1, 2])
    assert [values.rank(value) for value in (3, "1", None, float("nan"))] == [None] * 4


def test_a_domain_shows_its_size_and_not_its_list():
    assert repr(Values(range(1000))) == "Values(integer, size=1000)"
