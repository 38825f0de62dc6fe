"""Ranks of bins, integers and dates: both counters against the domain itself, value by value.

Would catch: an edge in the wrong bin after a division, an overflow or a cast that raises under ANSI, a
NaN that is counted, a day shifted by a time zone, an hour that comes twice or not at all.
"""

import math
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest

import spark_dp as dp
from spark_dp import Bins, Dates, Integers, Values
from spark_dp.domain import Intervals
from spark_dp.spark import ranking
from spark_dp.spark.columns import sampled_columns
from spark_dp.spark.counting import count_arrow, count_native, ranked_rows
from spark_dp.spark.domains import resolve

UTC = timezone.utc
DBL_MAX = 1.7976931348623157e308


def around(edges):
    for edge in edges:
        yield from (edge, math.nextafter(edge, -math.inf), math.nextafter(edge, math.inf))


def floats(lower, upper, count):
    edges = np.linspace(lower, upper, count + 1).tolist()
    middles = [low / 2 + high / 2 for low, high in pairwise(edges)]
    special = [0.0, -0.0, 5e-324, -5e-324, math.nan, math.inf, -math.inf, DBL_MAX, -DBL_MAX, None]
    return [*around(edges), *middles, *special]


def moments(start, end, step):
    found = []
    while start <= end:
        found += [start - timedelta(microseconds=1), start, start + timedelta(microseconds=1)]
        start += step
    return found


DAY = datetime(2013, 11, 3, tzinfo=UTC)
CASES = {
    "double": ("double", Bins(0, 1, 10), floats(0, 1, 10)),
    "double, odd width": ("double", Bins(-0.3, 0.7, 7), floats(-0.3, 0.7, 7)),
    "double, many": ("double", Bins(-1e6, 1e6, 1000), floats(-1e6, 1e6, 1000)),
    "double, far from 0": ("double", Bins(1e15, 1e15 + 8, 16), floats(1e15, 1e15 + 8, 16)),
    "double, as wide as can be": ("double", Bins(-DBL_MAX / 2, DBL_MAX / 2, 4), floats(-DBL_MAX / 2, DBL_MAX / 2, 4)),
    "double, subnormal": ("double", Bins(0, 1e-320, 5), floats(0, 1e-320, 5)),
    "double, edges": ("double", Bins(edges=[-1, 0, 5e-324, 0.1, 0.5, 7, 1e300]), floats(-1, 7, 16)),
    "double, one bin": ("double", Bins(0, 1, 1), floats(0, 1, 3)),
    "double, clipped": ("double", Bins(0, 1, 10, outside="clip"), floats(-1, 2, 30)),
    "double, edges, clipped": ("double", Bins(edges=[-1, 0, 0.1], outside="clip"), floats(-1, 2, 30)),
    "float": ("float", Bins(0.1, 0.7, 6), [float(np.float32(x)) for x in np.linspace(0, 1, 301)]),
    "tinyint": ("tinyint", Bins(-100, 100, 7), [*range(-128, 128), None]),
    "int": ("int", Bins(0, 120, 24), [*range(-3, 125), -(2**31), 2**31 - 1, None]),
    "int, clipped": ("int", Bins(0, 10, 5, outside="clip"), [*range(-3, 15), -(2**31), 2**31 - 1, None]),
    "int, odd width": ("int", Bins(0.5, 100, 9), [*range(-3, 125)]),
    "bigint": (
        "bigint",
        Bins(-(2**63), 2**63 - 1, 8),
        [x + d for x in range(-(2**63), 2**63, 2**60) for d in (-1, 0, 1) if x + d >= -(2**63)] + [2**63 - 1],
    ),
    "bigint, far from 0": ("bigint", Bins(2**62, 2**62 + 70, 7), [*range(2**62 - 2, 2**62 + 73)]),
    "bigint, to the end": ("bigint", Bins(2**63 - 100, 2**63 - 1, 3), [2**63 - 1 - x for x in range(103)]),
    "bigint, to the end, clipped": (
        "bigint",
        Bins(2**63 - 100, 2**63 - 1, 3, outside="clip"),
        [2**63 - 1 - x for x in range(103)],
    ),
    "bigint, edges": (
        "bigint",
        Bins(edges=[-(2**63), -1, 0, 10, 2**53 + 1]),
        [-(2**63), -1, 0, 2**53, 2**53 + 1, 2**63 - 1],
    ),
    "decimal": ("decimal(10,2)", Bins(0, 1, 10), [Decimal(x) / 100 for x in range(-2, 103)]),
    "decimal, clipped": ("decimal(10,2)", Bins(0, 1, 10, outside="clip"), [Decimal(x) / 100 for x in range(-2, 103)]),
    "decimal, wide": (
        "decimal(38,18)",
        Bins(0, Decimal("1e-15"), 10),
        [Decimal(x).scaleb(-18) for x in range(-2, 1003)] + [Decimal(10**19)],
    ),
    "decimal, as wide as can be": (
        "decimal(38,0)",
        Bins(0, 10**38 - 1, 3),
        [Decimal(10**38 - 1), Decimal(0), Decimal(-1)],
    ),
    "date": (
        "date",
        Bins(date(2024, 1, 1), date(2024, 12, 31), 12),
        [date(2023, 12, 30) + timedelta(d) for d in range(370)],
    ),
    "date, all": (
        "date",
        Bins(date(1, 1, 1), date(9999, 12, 31), 100),
        [date(1, 1, 1), date(1582, 10, 15), date(9999, 12, 31)],
    ),
    "timestamp, an hour twice": (
        "timestamp",
        Bins(DAY, DAY + timedelta(days=1), 24),
        moments(DAY - timedelta(hours=1), DAY + timedelta(hours=26), timedelta(minutes=30)),
    ),
    "timestamp, all": (
        "timestamp",
        Bins(datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC), 11),
        [datetime(1, 1, 2, tzinfo=UTC), datetime(1582, 10, 4, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)],
    ),
    "timestamp_ntz": (
        "timestamp_ntz",
        Bins(datetime(2013, 3, 10), datetime(2013, 3, 11), 24),  # noqa: DTZ001
        moments(datetime(2013, 3, 9, 23), datetime(2013, 3, 11, 2), timedelta(minutes=30)),  # noqa: DTZ001
    ),
    "timestamp_ntz, all": (
        "timestamp_ntz",
        Bins(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), 11),  # noqa: DTZ001
        [datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(9999, 12, 31, 23, 59, 59, 999999)],  # noqa: DTZ001
    ),
    "integers": ("int", Integers(-2, 7), [*range(-5, 12), None, 2**31 - 1, -(2**31)]),
    "integers, bigint": ("bigint", Integers(2**63 - 5, 2**63 - 1), [2**63 - 6, 2**63 - 5, 2**63 - 1, -(2**63)]),
    "dates": (
        "date",
        Dates(date(2024, 2, 27), date(2024, 3, 2)),
        [date(2024, 2, 25) + timedelta(d) for d in range(10)],
    ),
    "dates, all": (
        "date",
        Dates(date(1, 1, 1), date(9999, 12, 31)),
        [date(1, 1, 1), date(1582, 10, 15), date(9999, 12, 31)],
    ),
}


def table(spark, spark_type, values):
    """The values as a column, by way of texts: Python's own moments would pass through a time zone."""
    from pyspark.sql import functions as F

    texts = [(number, None if value is None else written(value)) for number, value in enumerate(values)]
    frame = spark.createDataFrame(texts, "number int, text string")
    return frame.select("number", F.col("text").cast(spark_type).alias("v"))


def written(value):
    if isinstance(value, datetime):
        return value.isoformat()
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(value), str(value))


#: What is tried first gives way, so that each way to find a bin has to find them all.
WAYS = {"as it is": (), "by a grid": ("_dividing",), "by halving": ("_dividing", "_gridded")}


@pytest.mark.parametrize(("way", "outside"), [("as it is", False), *((way, True) for way in WAYS)])
@pytest.mark.parametrize("name", CASES)
def test_every_value_has_the_rank_of_its_domain(spark, monkeypatch, name, way, outside):
    spark_type, domain, values = CASES[name]
    frame = table(spark, spark_type, values)
    columns = sampled_columns(frame, "v")
    axis = resolve(columns, domain)
    if not isinstance(axis, Intervals) and (WAYS[way] or not outside):
        pytest.skip("a way of bins alone")
    for step in WAYS[way]:
        monkeypatch.setattr(ranking, step, lambda _axis: None)
    rows = ranked_rows(frame, columns, axis, [frame["number"]], outside=outside).collect()
    ranks = {row["number"]: row["rank"] for row in rows}
    assert len(rows) == len(values) or not outside
    right = [axis.rank(value) for value in values]
    assert not [pair for n, pair in enumerate(zip(values, right, strict=True)) if ranks.get(n) != pair[1]]


def test_the_ways_to_find_a_bin_are_all_used(spark):
    ways = set()
    for spark_type, domain, values in CASES.values():
        axis = resolve(sampled_columns(table(spark, spark_type, values[:1]), "v"), domain)
        if isinstance(axis, Intervals):
            gridded = ranking._gridded(axis) is not None
            ways.add("divided" if ranking._dividing(axis) else "gridded" if gridded else "halved")
    assert ways == {"divided", "gridded", "halved"}


@pytest.mark.parametrize(
    ("counter", "name", "outside"),
    [
        *((counter, name, True) for counter in (count_native, count_arrow) for name in CASES),
        *((count_native, name, False) for name in ("double", "int, clipped", "decimal, wide", "integers")),
    ],
)
def test_both_counters_agree_with_the_domain(spark, counter, name, outside):
    spark_type, domain, values = CASES[name]
    if spark_type.startswith("timestamp") and "all" in name and counter is count_arrow:
        pytest.skip("Python's Arrow reads no year 1 in a time zone")
    frame = table(spark, spark_type, values)
    columns = sampled_columns(frame, "v")
    axis = resolve(columns, domain)
    counts = counter(frame.select("v"), columns, axis, outside=outside)
    ranks = [axis.rank(value) for value in values]
    expected = {rank: ranks.count(rank) for rank in set(ranks) if rank is not None}
    assert dict(zip(counts.ranks.tolist(), counts.counts.tolist(), strict=True)) == expected
    assert counts.outside == (ranks.count(None) if outside else 0)


@pytest.mark.parametrize("counter", [count_native, count_arrow])
def test_a_product_of_every_kind_is_counted_jointly(spark, counter):
    from pyspark.sql import functions as F

    frame = spark.range(3000).select(
        (F.col("id") % 7).cast("string").alias("s"),
        (F.col("id") % 130).cast("int").alias("age"),
        (F.col("id") % 31).cast("double").alias("x"),
        F.date_add(F.lit(date(2024, 1, 1)), (F.col("id") % 9).cast("int")).alias("day"),
    )
    domain = {
        "s": Values(["0", "3", "6"]),
        "age": Integers(10, 40),
        "x": Bins(0, 30, 4),
        "day": Dates(date(2024, 1, 2), date(2024, 1, 5)),
    }
    columns = sampled_columns(frame, list(domain))
    joint = resolve(columns, domain)
    counts = counter(frame, columns, joint, outside=True)
    truth = {}
    for row in frame.collect():
        rank = joint.rank((row.s, row.age, row.x, row.day))
        truth[rank] = truth.get(rank, 0) + 1
    assert counts.outside == truth.pop(None)
    assert dict(zip(counts.ranks.tolist(), counts.counts.tolist(), strict=True)) == truth


@pytest.mark.parametrize(
    "name", ["double", "float", "int", "decimal", "date", "timestamp, an hour twice", "timestamp_ntz"]
)
def test_a_sample_of_a_bin_is_a_value_of_the_columns_type_inside_it(spark, name):
    spark_type, domain, values = CASES[name]
    frame = table(spark, spark_type, values).select("v")
    sample = frame.dp_sample("v", 1, domain=domain, num_samples=200)
    assert sample.schema["v"].dataType == frame.schema["v"].dataType
    assert sample.schema["v"].metadata["spark_dp"]["k"] == domain.size
    columns = sampled_columns(sample, "v")
    again = count_native(sample, columns, resolve(columns, domain), outside=True)
    assert (again.n, again.outside) == (200, 0)
    first = sample.collect()
    assert sample.collect() == first


def test_a_histogram_of_bins_names_their_ends(spark):
    frame = spark.createDataFrame([(7.5,)] * 9, "x double")
    histogram = frame.dp_histogram("x", 50, domain=Bins(0, 10, 4))
    assert histogram.columns == ["x_lower", "x_upper", "noisy_count"]
    rows = histogram.collect()
    assert [(row.x_lower, row.x_upper) for row in rows] == [(0.0, 2.5), (2.5, 5.0), (5.0, 7.5), (7.5, 10.0)]
    assert [row.noisy_count for row in rows] == pytest.approx([0, 0, 0, 9], abs=1)
    whole = spark.createDataFrame([(7,)], "x int").dp_histogram("x", 50, domain=Bins(0, 10, 5))
    assert [(row.x_lower, row.x_upper) for row in whole.collect()] == [(0, 1), (2, 3), (4, 5), (6, 7), (8, 10)]
    assert dict(whole.dtypes) == {"x_lower": "int", "x_upper": "int", "noisy_count": "bigint"}


def test_declared_bins_are_kept_by_parquet(spark, tmp_path):
    frame = spark.createDataFrame([(7.5,)] * 9, "x double")
    dp.declare_domain(frame, "x", Bins(0, 10, 4)).write.parquet(str(tmp_path / "declared"))
    again = spark.read.parquet(str(tmp_path / "declared"))
    assert 7.5 <= again.dp_sample("x", 50).first().x <= 10
