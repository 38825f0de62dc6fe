"""Bins, integers and dates: against numpy.histogram, and what cannot be one.

Would catch: an edge in the wrong bin, a last bin that is open, a float that rounds out of its bin,
a bin that nothing can be drawn from.
"""

import math
from collections import Counter
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_dp import Bins, Dates, Integers, Product, Values
from spark_dp.domain import ColumnType, from_json
from spark_dp.errors import DomainError
from spark_dp.exact.source import SYSTEM

UTC = timezone.utc
DOUBLE, FLOAT = ColumnType("double", "float"), ColumnType("float", "float")
INT = ColumnType("int", "integer", -(2**31), 2**31 - 1)
CENTS = ColumnType("decimal(10,2)", "decimal", precision=10, scale=2)


def by_numpy(x, bins):
    """The bin that numpy.histogram counts a number in, None if it counts it in none."""
    how = {"bins": bins.size, "range": (float(bins.edges[0]), float(bins.edges[-1]))}
    if not bins.uniform:
        how = {"bins": [float(edge) for edge in bins.edges]}
    if not math.isfinite(x):
        return None
    counts = np.histogram([x], **how)[0]
    return int(counts.argmax()) if counts.any() else None


def around(edges):
    """Every edge, its neighbors among the floats, and what lies between two."""
    for low, high in pairwise(edges):
        yield from (low, math.nextafter(low, -math.inf), math.nextafter(low, math.inf), (low + high) / 2)
    yield from (edges[-1], math.nextafter(edges[-1], math.inf), math.nextafter(edges[-1], -math.inf))


@given(
    lower=st.floats(-1e6, 1e6),
    width=st.floats(1e-3, 1e6),
    count=st.integers(1, 200),
    x=st.floats(allow_nan=False) | st.floats(-2e6, 2e6),
)
def test_floats_lie_where_numpy_counts_them(lower, width, count, x):
    bins = Bins(lower, lower + width, count)
    cast = bins.cast("x", DOUBLE)
    edges = np.linspace(float(bins.edges[0]), float(bins.edges[-1]), count + 1).tolist()
    for value in (x, *around(edges)):
        assert cast.rank(value) == by_numpy(value, bins), value


@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=9, unique=True), st.floats())
def test_floats_lie_where_numpy_counts_them_with_edges_of_any_distance(edges, x):
    bins = Bins(edges=sorted(edges))
    cast = bins.cast("x", DOUBLE)
    for value in (x, *around(sorted(edges))):
        assert cast.rank(value) == by_numpy(value, bins), value


@pytest.mark.parametrize("value", [0.0, -0.0, 5e-324, -5e-324, math.nan, math.inf, -math.inf, 1.0, 0.1, 0.3])
@pytest.mark.parametrize("bins", [Bins(0, 1, 10), Bins(-1, 1, 7), Bins(edges=[0, 5e-324, 1]), Bins(0, 1, 1)])
def test_numbers_that_tempt_lie_where_numpy_counts_them(bins, value):
    assert bins.cast("x", DOUBLE).rank(value) == (None if math.isnan(value) else by_numpy(value, bins))


@given(st.integers(-50, 50), st.integers(1, 100), st.integers(1, 30), st.integers(-200, 200))
def test_whole_numbers_and_decimals_are_exact(lower, width, count, x):
    bins = Bins(lower, lower + width, count)
    # 3/10 is the edge itself, which as a float lies below it.
    for value, exact in ((x, Fraction(x)), (Decimal(x) / 100, Fraction(x, 100))):
        below = sum(1 for edge in bins.edges if edge <= exact) - 1
        expected = None if not bins.edges[0] <= exact <= bins.edges[-1] else min(below, count - 1)
        assert bins.rank(value) == expected
        column = CENTS if isinstance(value, Decimal) else INT
        if column is CENTS or width >= count:
            assert bins.cast("x", column).rank(value) == expected


@pytest.mark.parametrize("outside", ["drop", "clip"])
def test_what_lies_outside_is_dropped_or_counted_in_the_nearest_bin(outside):
    bins = Bins(0, 10, 5, outside=outside)
    for cast in (bins, bins.cast("x", DOUBLE), bins.cast("x", INT)):
        assert [cast.rank(value) for value in (-1, 0, 10, 11)] == [0 if outside == "clip" else None, 0, 4] + (
            [4] if outside == "clip" else [None]
        )
        assert cast.rank(None) is None
    assert bins.cast("x", DOUBLE).rank(math.nan) is None
    assert bins.cast("x", DOUBLE).rank(math.inf) == (4 if outside == "clip" else None)


TYPES = [
    (Bins(0, 120, 24), INT, int),
    (Bins(-1, 1, 8), CENTS, Decimal),
    (Bins(0.1, 0.7, 6), DOUBLE, float),
    (Bins(edges=[0, 1e-300, 1, 1e300]), DOUBLE, float),
    (Bins(0.1, 0.7, 6), FLOAT, float),
    (Bins(16_777_216, 16_777_220, 2), FLOAT, float),
    # Wider than any double; and one number of 32 bits inside, to which the upper edge would be rounded.
    (Bins(edges=[-1.7e308, 1.7e308]), DOUBLE, float),
    (Bins(edges=[1.0000001, 1.00000013]), FLOAT, float),
    (Bins(date(2024, 1, 1), date(2024, 12, 31), 12), ColumnType("date", "date"), date.fromisoformat),
    (
        Bins(datetime(2013, 11, 3, tzinfo=UTC), datetime(2013, 11, 4, tzinfo=UTC), 24),
        ColumnType("timestamp", "timestamp"),
        datetime.fromisoformat,
    ),
    (
        Bins(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), 7),  # noqa: DTZ001
        ColumnType("timestamp_ntz", "timestamp_ntz"),
        datetime.fromisoformat,
    ),
]


@pytest.mark.parametrize(
    ("bins", "column", "read"), TYPES, ids=[f"{bins} of {column.name}" for bins, column, _ in TYPES]
)
def test_a_drawn_bin_becomes_a_value_inside_it(bins, column, read):
    cast = bins.cast("x", column)
    ranks = [rank for rank in range(cast.size) for _ in range(40)]
    for rank, text in zip(ranks, cast.drawn(ranks, SYSTEM), strict=True):
        assert cast.rank(read(text)) == rank
    for rank in range(cast.size):
        first, last = map(read, cast.ends(rank))
        assert cast.rank(first) == rank
        assert column.kind == "float" or cast.rank(last) == rank


def test_a_point_is_uniform_inside_its_bin():
    drawn = Counter(Bins(0, 12, 2).cast("x", INT).drawn([1] * 7000, SYSTEM))
    # The last bin is closed: 6 to 12. Seven values, each 1000 ± 6 standard deviations.
    assert sorted(map(int, drawn)) == list(range(6, 13))
    assert all(abs(number - 1000) < 180 for number in drawn.values())
    points = np.array([float(text) for text in Bins(0, 4, 2).cast("x", DOUBLE).drawn([1] * 4000, SYSTEM)])
    assert np.abs(np.histogram(points, bins=4, range=(2, 4))[0] - 1000).max() < 170


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Bins(0, 10), "lower, upper and count"),
        (lambda: Bins(0, 10, 5, edges=[1, 2]), "lower, upper and count"),
        (Bins, "lower, upper and count"),
        (lambda: Bins(10, 0, 5), "increase"),
        (lambda: Bins(edges=[1]), "two or more"),
        (lambda: Bins(edges=[1, 3, 2]), "increase"),
        (lambda: Bins(0, 10, 0), "count = 0"),
        (lambda: Bins(0, 10, 2.5), "count = 2.5"),
        (lambda: Bins(0, 10, 2**22 + 1), "count = 4194305"),
        (lambda: Bins(0, math.inf, 5), "finite"),
        (lambda: Bins(0, math.nan, 5), "finite"),
        (lambda: Bins("a", "b", 5), "no edge of a bin"),
        (lambda: Bins(*[True, False], 5), "no edge of a bin"),
        (lambda: Bins(0, date(2024, 1, 1), 5), "mix date and number"),
        (lambda: Bins(0, 10, 5, outside="keep"), "neither 'drop' nor 'clip'"),
        (lambda: Bins(0, 3, 7).cast("x", INT), "No value of type int of column 'x' lies in the bin from"),
        (lambda: Bins(0, 2**40, 4).cast("x", INT), "reach 1099511627776, which column 'x' of type int cannot hold"),
        (lambda: Bins(1e16, 1e16 + 4, 8).cast("x", DOUBLE), "No value of type double"),
        (lambda: Bins(16_777_216, 16_777_220, 8).cast("x", FLOAT), "No value of type float"),
        (lambda: Bins(-1e308, 1e308, 2).cast("x", DOUBLE), "wider than floating-point numbers reach"),
        (lambda: Bins(0, 1, 2).cast("x", ColumnType("date", "date")), "bins of kind number"),
        (lambda: Bins(date(2024, 1, 1), date(2024, 1, 3), 2).cast("x", INT), "bins of kind date"),
        (lambda: Integers(3, 1), "Give the smaller one first"),
        (lambda: Integers(0.5, 1), "low = 0.5 must be of kind integer"),
        (lambda: Integers("1", 2), "of kind string"),
        (lambda: Integers(0, 300).cast("x", ColumnType("tinyint", "integer", -128, 127)), "only -128 to 127"),
        (lambda: Integers(0, 3).cast("x", DOUBLE), "Bins take every number"),
        (lambda: Dates(date(2024, 2, 1), date(2024, 1, 1)), "Give the earlier one first"),
        (lambda: Dates("2024-01-01", date(2024, 1, 1)), "start = '2024-01-01' must be of kind date"),
        (lambda: Dates(date(2024, 1, 1), date(2024, 1, 2)).cast("x", INT), "Dates are for columns of dates"),
        (lambda: Values([1, 2]).cast("x", DOUBLE), "Give bins"),
    ],
)
def test_what_cannot_be_a_domain_is_refused_with_the_way_out(make, says):
    with pytest.raises(DomainError, match=says):
        make()


DOMAINS = [
    Bins(0, 120, 24),
    Bins(0.1, Decimal("0.7"), 6, outside="clip"),
    Bins(edges=[Fraction(1, 3).limit_denominator(3).numerator, 2.5, 10**30]),
    Bins(date(2024, 1, 1), date(2024, 12, 31), 5),
    Bins(datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 2, tzinfo=UTC), 7),
    Bins(edges=[datetime(1, 1, 1), datetime(9999, 1, 1)]),  # noqa: DTZ001
    Integers(-5, 2**62),
    Dates(date(1, 1, 1), date(9999, 12, 31)),
    Product({"age": Bins(0, 120, 24), "sex": Values(["f", "m"]), "year": Integers(1900, 2024)}),
]


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_every_domain_survives_json(domain):
    assert from_json(domain.to_json()) == domain


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"domain": "bins"}', '{"domain": "bins", "kind": "number", "edges": ["1/0", "2"]}'),
        '{"domain": "bins", "kind": "date", "lower": "x", "upper": "y", "count": 2, "outside": "drop"}',
        *('{"domain": "dates", "start": "2024-13-01"}', '{"domain": "integers"}', '{"domain": "product"}'),
    ],
)
def test_json_of_something_else_is_refused(text):
    with pytest.raises(DomainError):
        from_json(text)


@pytest.mark.parametrize("axis", [Integers(-3, 9), Dates(date(2024, 2, 27), date(2024, 3, 2))], ids=str)
def test_ranges_rank_what_they_hold(axis):
    for rank in range(axis.size):
        assert axis.rank(axis.unrank(rank)) == rank
    step = timedelta(days=1) if isinstance(axis, Dates) else 1
    assert axis.rank(axis.unrank(0) - step) is None
    assert axis.rank(axis.unrank(axis.size - 1) + step) is None
    assert axis.rank(None) is None
    assert axis.rank("x") is None
    assert axis.rank(bool(axis)) is None
    assert axis.rank(datetime(2024, 2, 28)) is None  # noqa: DTZ001


def test_a_product_may_have_more_cells_than_could_be_listed():
    joint = Product({str(place): Integers(1, 10**6) for place in range(3)})
    assert joint.size == 10**18
    assert joint.unrank(joint.rank((1, 2, 10**6))) == (1, 2, 10**6)
    with pytest.raises(DomainError, match="more than a 64-bit rank"):
        Product({str(place): Integers(1, 10**7) for place in range(3)})


def test_json_without_a_kind_is_of_numbers():
    assert from_json('{"domain": "bins", "lower": 0, "upper": 1.5, "count": 3}') == Bins(0, 1.5, 3)
