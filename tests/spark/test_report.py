"""dp.report: what a release is told to be, from the release alone.

Would catch: a bar of another value, a time that moves into another zone, a
domain that the release forgets, markup that a value brings with it.
"""

import datetime as dt
import decimal

import pytest

import spark_dp as dp
from spark_dp.errors import DomainError, SourceError


@pytest.fixture(scope="module")
def people(spark):
    rows = [("f", "north", 34.5)] * 300 + [("m", "south", 57.0)] * 200
    return spark.createDataFrame(rows, "sex string, region string, age double")


def test_a_sample_in_words_and_bars(people):
    drawn = people.dp_sample("sex", 50, domain=["f", "m", "x"], num_samples=40)
    found = dp.report(drawn)
    assert found.entry.method == drawn.schema["sex"].metadata["spark_dp"]["method"]
    assert found.guarantee.in_words() in str(found)
    assert "every row, every count, the number of rows, and whether a draw" in str(found)
    counts = {row.sex: row["count"] for row in drawn.groupBy("sex").count().collect()}
    assert found.bars == tuple((sex, counts.get(sex, 0)) for sex in ("f", "m", "x"))
    assert sum(counts.values()) == found.released == 40
    assert len(found.rows) == 20
    assert "… (20 more)" in str(found)
    assert repr(found) == str(found)


def test_one_sample_has_no_bars(people):
    found = dp.report(people.dp_sample("sex", 50, domain=["f", "m"]))
    assert found.bars == ()
    assert "drawn:" not in str(found)


def test_a_histogram_shows_its_noisy_counts(people):
    noisy = people.dp_histogram("age", 50, domain=dp.Bins(0, 60, 3))
    found = dp.report(noisy)
    assert found.bars == tuple((f"{row.age_lower}, {row.age_upper}", row.noisy_count) for row in noisy.collect())
    assert "Noisy counts:" in str(found)
    large = dp.report(people.dp_histogram("age", 50, domain=dp.Bins(0, 60, 60)))
    assert len(large.bars) == 30
    assert large.bars[0][1] == 300
    assert "and 30 other values of the domain" in str(large)


def test_groups_bins_and_columns_jointly(people):
    grouped = dp.report(
        people.dp_sample(
            "sex", 50, by="region", domain={"sex": ["f", "m"], "region": ["north", "south"]}, num_samples=5
        )
    )
    assert grouped.bars == (("north, f", 5), ("north, m", 0), ("south, f", 0), ("south, m", 5))
    assert "num_samples 5 in each group" in str(grouped)
    ages = dp.report(people.dp_sample("age", 50, domain=dp.Bins(0, 60, 2), num_samples=30))
    assert [label for label, _ in ages.bars] == ["0 to 30", "30 to 60"]
    joint = dp.report(
        people.dp_sample(["sex", "region"], 50, domain={"sex": ["f"], "region": ["north"]}, num_samples=3)
    )
    assert joint.bars == (("f, north", 3),)
    assert joint.rows == (("f", "north"),) * 3


def test_a_synthetic_column_is_counted_on_spark(people):
    found = dp.report(people.dp_sample("sex", 50, domain=["f", "m"], num_samples=1_200_000))
    assert sum(count for _, count in found.bars) == found.released == 1_200_000
    assert len(found.rows) == 20


@pytest.mark.parametrize(
    ("kind", "value", "label", "text"),
    [
        ("timestamp", "2024-11-03 05:30:00Z", "2024-11-03 05:30", "2024-11-03 01:30:00"),
        ("date", dt.date(1, 1, 1), "0001-01-01", "0001-01-01"),
        ("decimal(5,2)", decimal.Decimal("1.50"), "1.5", "1.50"),
        ("binary", b"\x00\xff", r"\x00\xff", "00FF"),
        ("boolean", True, "True", "true"),
        ("bigint", 2**62, str(2**62), str(2**62)),
    ],
)
def test_values_of_every_kind(spark, kind, value, label, text):
    given = value if kind != "timestamp" else dt.datetime.fromisoformat(value)
    frame = spark.range(9).selectExpr(f"cast(null as {kind}) v")
    found = dp.report(frame.dp_sample("v", 50, domain=[given], num_samples=2))
    assert found.rows == ((text,), (text,))
    assert found.bars == ((found.bars[0][0], 2),)
    assert label in found.bars[0][0]


def test_a_release_keeps_its_record_and_domain_where_it_is_written(spark, people, tmp_path):
    drawn = people.dp_sample("sex", 50, domain=["f", "m", "x"], num_samples=7)
    drawn.write.parquet(f"{tmp_path}/s")
    stored = spark.read.parquet(f"{tmp_path}/s")
    assert dp.report(stored).bars == dp.report(drawn).bars
    # A declared domain, too: what was released can be sampled as any table.
    assert stored.dp_sample("sex", 50).count() == 1


def test_a_long_domain_is_not_kept_and_can_be_given(people):
    names = ["f", "m", *(f"somebody whose name is rather long {number}" for number in range(3000))]
    drawn = people.dp_sample("sex", 50, domain=names, num_samples=9)
    assert dp.report(drawn).bars == ()
    found = dp.report(drawn, names)
    assert sum(count for _, count in found.bars) == 9
    assert f"and {3002 - len(found.bars):,} other values" in str(found)
    with pytest.raises(DomainError):
        dp.report(drawn, [1, 2])


def test_what_is_no_release_is_refused(people):
    for other in (people, 7, people.dp_sample("sex", 50, domain=["f"]).selectExpr("upper(sex) as sex")):
        with pytest.raises(SourceError, match="This is no release"):
            dp.report(other)


def test_html_holds_the_same_and_no_markup_of_a_value(spark):
    value = "<script>alert('x')</script>"
    frame = spark.createDataFrame([(value,)] * 50, "v string")
    shown = dp.report(frame.dp_sample("v", 50, domain=[value, "b"], num_samples=4))._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "50-differential privacy" in shown
    assert shown.count("<table") == 1
