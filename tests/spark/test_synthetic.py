"""Synthetic columns: rows that Spark makes from released weights, the key of the release and their number.

Would catch: a key that is the same for every release or another for every action, rows in runs or
otherwise in order, weights that are not the released ones, a point that leaves its bin or depends on
what chose the bin, a list cut at the wrong place, a plan that reads rows on the driver.
"""

import itertools
import time
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from unittest.mock import ANY

import numpy as np
import pytest
from scipy.stats import chi2

import spark_dp as dp
from spark_dp.budget import Release
from spark_dp.exact.source import SYSTEM
from spark_dp.spark import sampling, synthetic
from spark_dp.spark.columns import sampled_columns
from spark_dp.spark.counting import ranked_rows
from spark_dp.spark.domains import resolve

UTC = timezone.utc
ALPHA = 1e-6
ROWS = 200_000
#: Releases of one key draw the same ranks.
SAME = "5a" * 16


def weighted(weights, rows, key=None):
    """A release of so many draws from these weights."""
    entry = dp.Entry("perturbed-histogram", "1", "any", ("v",), len(weights), rows, "0")
    return Release(tuple(weights), key or f"{SYSTEM.below(1 << 128):032x}", entry)


def synthesized(spark, spark_type, domain, weights, rows=ROWS, key=None):
    """A synthetic column v of the type, from these weights."""
    columns = sampled_columns(spark.createDataFrame([], f"v {spark_type}"), "v")
    axis = resolve(columns, domain)
    return synthetic.synthetic_frame(spark, columns, axis, weighted(weights, rows, key)), axis


def fits(observed, expected):
    """Whether counts may come from these expected ones, at level ALPHA."""
    observed, expected = np.asarray(observed, float).ravel(), np.asarray(expected, float).ravel()
    assert not observed[expected == 0].any()
    observed, expected = observed[expected > 0], expected[expected > 0]
    statistic = ((observed - expected) ** 2 / expected).sum()
    return chi2.sf(statistic, len(expected) - 1) > ALPHA


@pytest.fixture
def released(monkeypatch):
    """The weights that were released."""
    found = []

    def release(*arguments):
        drawn = original(*arguments)
        found.append(drawn.values)
        return drawn

    original = sampling.release_weights
    monkeypatch.setattr(sampling, "release_weights", release)
    return found


@pytest.mark.parametrize("method", ["auto", "perturbed-histogram", "laplace-projection"])
def test_more_rows_than_a_list_holds_are_drawn_from_the_released_weights(spark, released, method):
    letters = spark.createDataFrame([("a",)] * 500 + [("b",)] * 300 + [("c",)] * 20 + [("zzz",)] * 90, "letter string")
    domain = ["a", "b", "c", "never"]
    sample = letters.dp_sample("letter", 50, method, domain=domain, num_samples=1_000_001)
    counts = {row.letter: row["count"] for row in sample.groupBy("letter").count().collect()}
    assert sum(counts.values()) == 1_000_001
    (weights,) = released
    total = sum(weights)
    expected = [weight / total * 1_000_001 for weight in weights]
    assert expected[3] == 0
    assert fits([counts.get(letter, 0) for letter in domain], expected)
    assert sample.schema["letter"].metadata["spark_dp"] == {
        "method": "perturbed-histogram" if method == "auto" else method,
        "epsilon": "50",
        "relation": "any",
        "columns": ["letter"],
        "k": 4,
        "num_samples": 1_000_001,
        "version": dp.__version__,
        "by": [],
        "privacy_unit": None,
        "release_id": ANY,
    }


def test_a_synthetic_column_is_drawn_once(spark):
    sample, _ = synthesized(spark, "int", dp.Integers(0, 99), [1] * 100, 5000)
    first = [row.v for row in sample.collect()]
    assert [row.v for row in sample.collect()] == first
    assert sorted(row.v for row in sample.repartition(7).collect()) == sorted(first)
    assert [row.v for row in sample.limit(10).collect()] == first[:10]
    other, _ = synthesized(spark, "int", dp.Integers(0, 99), [1] * 100, 5000)
    again = [row.v for row in other.collect()]
    assert 0 < sum(a == b for a, b in zip(first, again, strict=True)) < 200  # of 5000, 50 by chance


@pytest.mark.parametrize("weights", [[1, 1, 1, 1, 1], [5, 0, 1, 2, 3], [0, 0, 0]])
def test_rows_come_in_no_order(spark, weights):
    sample, _ = synthesized(spark, "int", dp.Integers(0, len(weights) - 1), weights)
    drawn = np.array([row.v for row in sample.collect()])
    share = np.array(weights if any(weights) else [1] * len(weights)) / (sum(weights) or len(weights))
    assert fits(np.bincount(drawn, minlength=len(weights)), share * len(drawn))
    for lag in (1, 2, 3, 1024):
        before, after = drawn[:-lag], drawn[lag:]
        pairs = np.bincount(before * len(weights) + after, minlength=len(weights) ** 2)
        assert fits(pairs, np.outer(share, share) * len(before))


MANY = 5000
KINDS = {
    "text": ("string", ["", "a\x1fb", "\x1e\x1d", "ä, 'x' ", "\n", "\\", "value\x00"]),
    "text of one value": ("string", ["only"]),
    "integers listed": ("tinyint", [-128, 5, 127]),
    "decimals": ("decimal(38,18)", [Decimal("0.000000000000000001"), Decimal(10**19), Decimal(-5)]),
    "dates listed": ("date", [date(1, 1, 1), date(1582, 10, 10), date(9999, 12, 31)]),
    "timestamps": ("timestamp", [datetime(2013, 11, 3, hour, 30, tzinfo=UTC) for hour in (5, 6)]),
    "timestamps_ntz": ("timestamp_ntz", [datetime(2013, 3, 10, 2, 30), datetime(1, 1, 1)]),  # noqa: DTZ001
    "booleans": ("boolean", [True, False]),
    "bytes": ("binary", [b"", b"\x00\xff", b"a"]),
    "integers": ("bigint", dp.Integers(2**63 - 5, 2**63 - 1)),
    "small integers": ("smallint", dp.Integers(-2, 2)),
    "dates": ("date", dp.Dates(date(1582, 9, 30), date(1582, 10, 20))),
    "the first dates": ("date", dp.Dates(date(1, 1, 1), date(1, 1, 3))),
    "the last dates": ("date", dp.Dates(date(9999, 12, 29), date(9999, 12, 31))),
    "text, many": ("string", [f"value {number}" for number in range(MANY)]),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_row_is_the_value_of_its_rank(spark, name):
    spark_type, domain = KINDS[name]
    k = len(domain) if isinstance(domain, list) else domain.size
    # The ranks themselves are integers from 0 on.
    ranks, _ = synthesized(spark, "int", dp.Integers(0, k - 1), [1, *[2] * (k - 1)], 300, SAME)
    sample, axis = synthesized(spark, spark_type, domain, [1, *[2] * (k - 1)], 300, SAME)
    frame = spark.createDataFrame([], f"v {spark_type}")
    assert sample.schema["v"].dataType == frame.schema["v"].dataType
    expected = [axis.unrank(row.v) for row in ranks.collect()]
    if spark_type == "timestamp":
        from pyspark.sql import functions as F

        sample = sample.select(F.unix_micros("v").alias("v"))
        expected = [(value - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) for value in expected]
    found = [bytes(row.v) if spark_type == "binary" else row.v for row in sample.collect()]
    assert found == expected


BINS = {
    "double": ("double", dp.Bins(-0.3, 0.7, 7)),
    "double, subnormal": ("double", dp.Bins(0, 1e-320, 5)),
    "double, wide": ("double", dp.Bins(edges=[-1e308, 0, 5e-324, 0.1, 7e307])),
    "double, next to one another": ("double", dp.Bins(edges=[1, 1 + 2**-52, 1 + 2**-51, 2])),
    "float": ("float", dp.Bins(0.1, 0.7, 6)),
    "float, rounded out of the bin": ("float", dp.Bins(16777215.5, 16777225.5, 5)),
    "float, edges": ("float", dp.Bins(edges=[-3e38, -1e-45, 0.1, 3e38])),
    "int": ("int", dp.Bins(0.5, 100, 9)),
    "int, one unit": ("int", dp.Bins(0, 5, 5)),
    "bigint, as wide as can be": ("bigint", dp.Bins(-(2**63), 2**63 - 1, 4)),
    "decimal": ("decimal(10,2)", dp.Bins(0, 1, 10)),
    "decimal, far from 0": ("decimal(38,18)", dp.Bins(10**19, 10**19 + 4, 3)),
    "decimal, negative": ("decimal(38,0)", dp.Bins(-(10**37), -(10**37) + 2**62, 2)),
    "date": ("date", dp.Bins(date(1, 1, 1), date(9999, 12, 31), 9)),
    "timestamp": (
        "timestamp",
        dp.Bins(datetime(2013, 11, 3, tzinfo=UTC), datetime(2013, 11, 4, tzinfo=UTC), 24),
    ),
    "timestamp, all": (
        "timestamp",
        dp.Bins(datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC), 11),
    ),
    "timestamp_ntz": (
        "timestamp_ntz",
        dp.Bins(datetime(2013, 3, 10), datetime(2013, 3, 11), 24),  # noqa: DTZ001
    ),
    "timestamp_ntz, all": (
        "timestamp_ntz",
        dp.Bins(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), 11),  # noqa: DTZ001
    ),
    "double, many": ("double", dp.Bins(0, 1, MANY)),
}


@pytest.mark.parametrize("name", BINS)
def test_a_point_lies_in_the_drawn_bin(spark, name):
    spark_type, domain = BINS[name]
    weights = list(range(1, domain.size + 1))
    ranks, _ = synthesized(spark, "int", dp.Integers(0, domain.size - 1), weights, 3000, SAME)
    sample, axis = synthesized(spark, spark_type, domain, weights, 3000, SAME)
    assert sample.schema["v"].dataType == spark.createDataFrame([], f"v {spark_type}").schema["v"].dataType
    found = [row["rank"] for row in ranked_rows(sample, sampled_columns(sample, "v"), axis, [], outside=True).collect()]
    assert found == [row.v for row in ranks.collect()]


@pytest.mark.parametrize(
    ("spark_type", "domain", "parts"),
    [
        ("double", dp.Bins(0, 2, 2), dp.Bins(0, 2, 20)),
        ("float", dp.Bins(0, 2, 2), dp.Bins(0, 2, 20)),
        ("int", dp.Bins(edges=[0, 10, 19]), dp.Bins(edges=[*range(20), 19.5])),
        ("bigint", dp.Bins(-(2**62), 2**62, 2), dp.Bins(-(2**62), 2**62, 20)),
        ("decimal(12,2)", dp.Bins(edges=[0, 10, Decimal("19.99")]), dp.Bins(edges=[*range(20), Decimal("19.99")])),
        (
            "timestamp_ntz",
            dp.Bins(datetime(2000, 1, 1), datetime(2000, 1, 3), 2),  # noqa: DTZ001
            dp.Bins(datetime(2000, 1, 1), datetime(2000, 1, 3), 20),  # noqa: DTZ001
        ),
    ],
)
def test_a_point_is_uniform_in_its_bin_whatever_chose_the_bin(spark, spark_type, domain, parts):
    """With weights 3 : 1 half of a slot draws one bin, half the other: points by the same hash would show it."""
    sample, _ = synthesized(spark, spark_type, domain, [3, 1])
    axis = resolve(sampled_columns(sample, "v"), parts)
    ranked = ranked_rows(sample, sampled_columns(sample, "v"), axis, [], outside=True)
    observed = {row["rank"]: row["count"] for row in ranked.groupBy("rank").count().collect()}
    assert set(observed) <= set(range(20))
    assert fits([observed.get(part, 0) for part in range(20)], [0.075 * ROWS] * 10 + [0.025 * ROWS] * 10)


def test_points_of_two_columns_and_of_neighboring_rows_are_independent(spark):
    frame = spark.createDataFrame([], "x double, y double")
    columns = sampled_columns(frame, ["x", "y"])
    domain = resolve(columns, {"x": dp.Bins(0, 8, 1), "y": dp.Bins(0, 8, 1)})
    sample = synthetic.synthetic_frame(spark, columns, domain, weighted([1], ROWS))
    points = np.array([(int(row.x), int(row.y)) for row in sample.collect()])
    flat = [(points[:, 0], points[:, 1])] + [(points[:-lag, 0], points[lag:, 0]) for lag in (1, 2, 3)]
    for first, second in flat:
        assert fits(np.bincount(first * 8 + second, minlength=64), [len(first) / 64] * 64)


def test_columns_are_drawn_jointly(spark):
    frame = spark.createDataFrame([], "sex string, age int, x double, day date")
    columns = sampled_columns(frame, frame.columns)
    axes = {"sex": ["f", "m"], "age": dp.Integers(20, 22), "x": dp.Bins(0, 2, 2)}
    domain = resolve(columns, {**axes, "day": dp.Dates(date(2024, 2, 28), date(2024, 3, 1))})
    weights = [(7 * cell) % 5 for cell in range(domain.size)]
    sample = synthetic.synthetic_frame(spark, columns, domain, weighted(weights, ROWS))
    assert sample.columns == frame.columns
    assert sample.dtypes == frame.dtypes
    observed = [0] * domain.size
    from pyspark.sql import functions as F

    for row in sample.groupBy("sex", "age", F.floor("x").alias("x"), "day").count().collect():
        observed[domain.rank((row.sex, row.age, float(row.x), row.day))] += row["count"]
    assert fits(observed, [weight / sum(weights) * ROWS for weight in weights])


@pytest.mark.parametrize("name", ["a.b", "a`b", "id", "rank", "h", "p1", "value1", "ä"])
def test_any_column_name_works(spark, monkeypatch, name):
    monkeypatch.setattr(sampling, "MAX_DRAWS", 10)
    frame = spark.createDataFrame([(1, 2.5)], "x int, y double").toDF("x", name)
    sample = frame.dp_sample(name, 50, "laplace-projection", domain=dp.Bins(0, 10, 2), num_samples=100)
    assert sample.columns == [name]
    assert all(0 <= row[0] <= 10 for row in sample.collect())
    assert sample.schema[name].metadata["spark_dp"]["num_samples"] == 100


def test_long_lists_are_joined_with_the_same_rows(spark, monkeypatch):
    """The tables of large domains stay out of the plan's text; what is drawn does not depend on it."""

    def rows():
        found = []
        for spark_type, domain in (("string", list("abc")), ("float", dp.Bins(0, 1, 3)), ("date", BINS["date"][1])):
            k = len(domain) if isinstance(domain, list) else domain.size
            sample, _ = synthesized(spark, spark_type, domain, range(1, k + 1), 500, SAME)
            found.append(sorted(row.v for row in sample.collect()))
        return found

    literal = rows()
    monkeypatch.setattr(synthetic, "_LONGEST_LITERAL", 1)
    assert rows() == literal


def test_a_collated_column_keeps_its_collation(spark):
    import pyspark

    if int(pyspark.__version__.split(".")[0]) < 4:
        pytest.skip("collations come with Spark 4")
    sample, _ = synthesized(spark, "string collate UNICODE_CI", ["a", "A"], [1, 1], 200)
    assert "UNICODE_CI" in sample.schema["v"].dataType.simpleString()
    assert {row.v for row in sample.collect()} == {"a", "A"}


@pytest.mark.parametrize("k", [9, 1000])
def test_a_billion_rows_are_a_plan_that_the_driver_does_not_run(spark, monkeypatch, k):
    letters = spark.createDataFrame([("value 0",)] * 50, "letter string")
    domain = resolve(sampled_columns(letters, "letter"), [f"value {number}" for number in range(k)])

    def refuse(*_arguments, **_options):
        raise AssertionError("rows came to the driver")

    with monkeypatch.context() as patched:
        for name in ("collect", "toPandas", "toArrow", "toLocalIterator", "count", "head"):
            patched.setattr(type(letters), name, refuse, raising=False)
        started = time.monotonic()
        columns = sampled_columns(letters, "letter")
        sample = synthetic.synthetic_frame(spark, columns, domain, weighted([1] * k, 10**9))
        assert time.monotonic() - started < 30  # making the rows would take minutes
    assert len(set(itertools.chain.from_iterable(sample.limit(100).collect()))) > 5


def test_a_plan_holds_its_tables_as_literals_in_compiled_code(spark, capsys):
    sample, _ = synthesized(spark, "string", ["a", "b", "c"], [1, 2, 3], 100)
    sample.explain(extended=True)
    plan = capsys.readouterr().out.split("== Optimized Logical Plan ==")[1]
    # The list is folded: nothing is taken apart row by row.
    assert "[a,b,c]" in plan
    assert "split(" not in plan
    assert "*(1) Project" in plan.split("== Physical Plan ==")[1]
