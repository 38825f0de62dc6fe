"""Both counters against a count in plain Python, on values that tempt an engine to err.

Would catch: trimmed or case-folded text, dropped empty strings, a shifted time zone, a decimal at
another scale, a null counted inside, junk rows that reach the driver.
"""

from collections import Counter
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from spark_dp.spark.columns import sampled_columns
from spark_dp.spark.counting import count_arrow, count_native
from spark_dp.spark.domains import resolve

UTC = timezone.utc
# 2013-11-03 01:30 comes twice in New York, the session's zone: once at −4 and once at −5 hours.
TWICE = [datetime(2013, 11, 3, hour, 30, tzinfo=UTC) for hour in (5, 6)]

#: Spark type, values of the domain, values outside it, and how a value is written for Spark's cast.
KINDS = {
    "string": (
        "string",
        [
            "",
            " ",
            "a",
            "a ",
            " a",
            "A",
            "ä",
            "a\u0308",
            "日本",
            "it's",
            'say "x"',
            "`q`",
            "a.b",
            "\\",
            "%",
            "_",
            "\n",
            "NULL",
        ],
        ["b", "aa", "null", "á"],
        str,
    ),
    "tinyint": ("tinyint", [0, 1, -128, 127], [2, -1], str),
    "smallint": ("smallint", [0, -32768, 32767], [5], str),
    "int": ("int", [0, -(2**31), 2**31 - 1], [7], str),
    "bigint": ("bigint", [0, -(2**63), 2**63 - 1, 2**53 + 1], [2**53, 2**53 + 2], str),
    "decimal": (
        "decimal(10,2)",
        [Decimal(0), Decimal("1.5"), Decimal("-1.50"), Decimal("99999999.99")],
        [Decimal("1.51")],
        str,
    ),
    "wide decimal": (
        "decimal(38,18)",
        [Decimal("0.000000000000000001"), Decimal(12345678901234567890)],
        [Decimal(0)],
        str,
    ),
    "date": (
        "date",
        [date(2024, 2, 29), date(1, 1, 1), date(9999, 12, 31), date(1582, 10, 15)],
        [date(2024, 2, 28)],
        str,
    ),
    "timestamp": (
        "timestamp",
        [*TWICE, datetime(1970, 1, 1, tzinfo=UTC), datetime(2024, 2, 29, 23, 59, 59, 999999, tzinfo=UTC)],
        [TWICE[0] + timedelta(hours=2), datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC)],
        datetime.isoformat,
    ),
    "timestamp_ntz": (
        "timestamp_ntz",
        [datetime(2013, 3, 10, 2, 30), datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)],  # noqa: DTZ001
        [datetime(2013, 3, 10, 3, 30)],  # noqa: DTZ001 — 02:30 of that day does not exist in New York
        datetime.isoformat,
    ),
    "boolean": ("boolean", [True], [False], lambda value: str(value).lower()),
    "binary": ("binary", [b"", b"\x00", b"\x00\xff", b"a"], [b"A", b"a\x00"], bytes.hex),
}


def table(spark, name):
    """A column `v` of one kind in which value number i stands i + 1 times, and nulls 5 times."""
    from pyspark.sql import functions as F

    spark_type, inside, outside, write = KINDS[name]
    values = [value for place, value in enumerate([*inside, *outside]) for _ in range(place + 1)]
    texts = [(write(value),) for value in values] + [(None,)] * 5
    frame = spark.createDataFrame(texts, "text string").repartition(3)
    text = F.col("text")
    return frame.select((F.unhex(text) if spark_type == "binary" else text.cast(spark_type)).alias("v"))


def expected(name):
    _, inside, outside, _ = KINDS[name]
    return list(range(1, len(inside) + 1)), sum(range(len(inside) + 1, len(inside) + len(outside) + 1)) + 5


def counted(counter, df, col, domain, *, outside=True):
    columns = sampled_columns(df, col)
    counts = counter(df, columns, resolve(columns, domain), outside=outside)
    dense = [0] * counts.k
    for rank, count in zip(counts.ranks.tolist(), counts.counts.tolist(), strict=True):
        dense[rank] = count
    return dense, counts.outside


@pytest.mark.parametrize("counter", [count_native, count_arrow])
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_counted_exactly(spark, counter, name):
    assert counted(counter, table(spark, name), "v", KINDS[name][1]) == expected(name)


@pytest.mark.parametrize("counter", [count_native, count_arrow])
@pytest.mark.parametrize("sizes", [(3, 4), (3, 60)])
def test_several_columns_are_counted_jointly(spark, counter, sizes):
    rows = [(f"v{number % 5}", number % 70 if number % 11 else None) for number in range(900)]
    frame = spark.createDataFrame(rows, "s string, i int")
    domain = {"s": [f"v{place}" for place in range(sizes[0])], "i": list(range(sizes[1]))}
    dense, outside = counted(counter, frame, ["s", "i"], domain)
    truth = Counter(rows)
    assert dense == [truth[s, i] for s in domain["s"] for i in domain["i"]]
    assert sum(dense) + outside == len(rows)


@pytest.mark.parametrize("counter", [count_native, count_arrow])
@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("k", [5, 200])
def test_no_more_than_one_row_for_each_value_and_one_for_the_rest_reach_the_driver(
    spark, driver_rows, counter, outside, k
):
    from pyspark.sql import functions as F

    junk = spark.range(20_000).select(F.concat(F.lit("junk"), F.col("id").cast("string")).alias("v"))
    inside = spark.range(20_000).select(F.concat(F.lit("v"), (F.col("id") % k).cast("string")).alias("v"))
    domain = [f"v{place}" for place in range(k)]
    dense, rest = counted(counter, junk.union(inside), "v", domain, outside=outside)
    assert (sum(dense), rest) == (20_000, 20_000 if outside else 0)
    assert driver_rows == [k + 1 if outside else k]


@pytest.mark.parametrize("counter", [count_native, count_arrow])
@pytest.mark.parametrize("k", [3, 100])
def test_a_table_without_rows_counts_nothing(spark, counter, k):
    empty = spark.createDataFrame([], "v int")
    assert counted(counter, empty, "v", list(range(k))) == ([0] * k, 0)


@pytest.mark.parametrize("counter", [count_native, count_arrow])
@pytest.mark.parametrize("k", [2, 100])
def test_collated_text_is_still_compared_byte_by_byte(spark, counter, k):
    pytest.importorskip("pyspark", minversion="4.0")
    from pyspark.sql import functions as F

    frame = spark.createDataFrame([("A",), ("a",), ("a",)], "v string").select(F.collate("v", "UTF8_LCASE").alias("v"))
    dense, outside = counted(counter, frame, "v", ["a", *(f"x{place}" for place in range(1, k))])
    assert (dense[0], outside) == (2, 1)
    sample = frame.dp_sample("v", 50, domain=["a"])
    assert sample.schema["v"].dataType == frame.schema["v"].dataType
