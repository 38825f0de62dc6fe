"""privacy_unit: one uniformly random row of each unit, whatever Spark does twice.

Would catch: rows that are counted instead of units, a choice by value instead of by row, a choice among
rows outside the domain, a unit that two tasks may count.
"""

import pytest
from allowance import Refusing
from scipy.stats import chi2

import spark_dp as dp
from spark_dp.errors import ColumnError, NumSamplesError
from spark_dp.spark import privacy_unit
from spark_dp.spark.columns import sampled_columns
from spark_dp.spark.counting import collected
from spark_dp.spark.domains import resolve

UNITS = 20_000


def chosen(frame, column, domain, unit="unit", *, outside=False):
    """The counts of one row for each unit."""
    columns = sampled_columns(frame, column)
    resolved = resolve(columns, domain)
    grouped = privacy_unit.grouped_by_unit(frame, columns, resolved, unit, outside=outside)
    counts = collected(grouped, resolved)
    dense = [0] * resolved.size
    for rank, count in zip(counts.ranks.tolist(), counts.counts.tolist(), strict=True):
        dense[rank] = count
    return dense, counts.outside


@pytest.fixture
def visits(spark):
    rows = [(unit, "flu") for unit in range(30) for _ in range(5)] + [
        (30, "cold"),
        (31, "x"),
        (31, None),
        (None, "flu"),
    ]
    return spark.createDataFrame(rows, "unit int, d string").repartition(3)


@pytest.mark.parametrize(("outside", "expected"), [(False, ([30, 1], 0)), (True, ([30, 1], 1))])
def test_each_unit_counts_once(visits, outside, expected):
    assert chosen(visits, "d", ["flu", "cold"], outside=outside) == expected


@pytest.mark.parametrize(("relation", "units"), [("any", 31), ("replace", 32), ("add-remove", 31)])
def test_a_unit_without_a_row_in_the_domain_is_outside_as_the_relation_has_it(visits, relation, units):
    histogram = visits.dp_histogram("d", 50, domain=["flu", "cold"], privacy_unit="unit", relation=relation)
    # λ ≤ 0.04: noise of any size has probability e^-25.
    assert sum(row.noisy_count for row in histogram.collect()) == units


@pytest.mark.parametrize("limit", [None, 1], ids=["packed", "wide ranks"])
def test_every_row_of_a_unit_is_equally_likely(spark, monkeypatch, limit):
    """a comes three times, b twice, c once, in any order; what is outside the domain takes no part."""
    if limit:
        monkeypatch.setattr(privacy_unit, "MAX_CELLS", limit)
    frame = spark.range(0, UNITS * 9, 1, 5).selectExpr(
        f"id % {UNITS} as unit",
        f"element_at(array('b', 'a', 'x', 'a', 'c', null, 'b', 'a', 'x'), 1 + int(id div {UNITS})) v",
    )
    found, _ = chosen(frame, "v", ["a", "b", "c"])
    assert sum(found) == UNITS
    expected = [UNITS * share / 6 for share in (3, 2, 1)]
    assert fit(found, expected) < chi2.isf(1e-6, 2)
    # The test of the test: a choice by value, and one that is 5 % off.
    assert fit([UNITS / 3] * 3, expected) > chi2.isf(1e-6, 2)
    assert fit([1.05 * expected[0], expected[1] - 0.05 * expected[0], expected[2]], expected) > chi2.isf(1e-6, 2)


@pytest.mark.parametrize("limit", [None, 1], ids=["packed", "wide ranks"])
def test_the_place_of_a_row_does_not_matter(spark, monkeypatch, limit):
    """Ten rows of each unit, each with its place in the table as value."""
    if limit:
        monkeypatch.setattr(privacy_unit, "MAX_CELLS", limit)
    frame = spark.range(0, UNITS * 10, 1, 4).selectExpr("id div 10 as unit", "id % 10 as v")
    found, _ = chosen(frame, "v", dp.Integers(0, 9))
    assert fit(found, [UNITS / 10] * 10) < chi2.isf(1e-6, 9)


def test_another_release_chooses_anew(spark):
    frame = spark.range(1000).selectExpr("id % 2 as unit", "id as v")
    assert chosen(frame, "v", dp.Integers(0, 999)) != chosen(frame, "v", dp.Integers(0, 999))


def fit(found, expected):
    return sum((observed - wanted) ** 2 / wanted for observed, wanted in zip(found, expected, strict=True))


def test_after_the_choice_a_single_task_reads_each_result_once(visits, capsys):
    """Two that read would read two runs of a task that chose otherwise, and count a unit in both."""
    columns = sampled_columns(visits, "d")
    grouped = privacy_unit.grouped_by_unit(visits, columns, resolve(columns, ["flu"]), "unit", outside=True)
    grouped.explain()
    plan = capsys.readouterr().out
    after, before = plan.split("MapInArrow")
    assert [line for line in after.splitlines() if "Exchange" in line and "SinglePartition" not in line] == []
    assert after.count("Exchange") == 1
    # Within the choice all rows of a unit meet in one task.
    assert "Exchange hashpartitioning(unit" in before


@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
def test_a_sample_takes_units_for_records(visits, relation):
    sample = visits.dp_sample("d", 50, "ss-roo", domain=["flu", "cold"], privacy_unit="unit", relation=relation)
    record = sample.schema["d"].metadata["spark_dp"]
    assert record["privacy_unit"] == "unit"
    assert "all rows of any one unit" in dp.Entry.read(record).guarantee.in_words()


def test_the_public_number_of_records_is_that_of_units(visits):
    drawn = visits.dp_sample(
        "d", 50, "subrr", domain=["flu", "cold"], privacy_unit="unit", relation="replace", num_samples=32
    )
    assert drawn.count() == 32
    with pytest.raises(NumSamplesError, match="more than the 32 there are"):
        visits.dp_sample("d", 50, "subrr", domain=["flu"], privacy_unit="unit", relation="replace", num_samples=33)


def test_groups_of_units(spark):
    rows = [(unit, "north", "f") for unit in range(40) for _ in range(3)]
    frame = spark.createDataFrame(rows, "unit int, region string, sex string")
    domain = {"region": ["north", "south"], "sex": ["f", "m"]}
    sample = frame.dp_sample("sex", 50, by="region", domain=domain, privacy_unit="unit", num_samples=2)
    assert [row.sex for row in sample.collect()][:2] == ["f", "f"]
    assert sample.schema["sex"].metadata["spark_dp"]["privacy_unit"] == "unit"


def test_a_parquet_source_with_units(spark, tmp_path):
    path = str(tmp_path / "visits")
    spark.createDataFrame([(1, "a")] * 10 + [(2, "a")], "unit int, v string").write.parquet(path)
    histogram = dp.parquet(spark, path).dp_histogram("v", 50, domain=["a"], privacy_unit="unit")
    assert histogram.first().noisy_count == 2


def test_any_name_and_a_sampled_unit(spark):
    frame = spark.createDataFrame([("u`1.x",)] * 3, "`a.b``c` string")
    histogram = frame.dp_histogram("a.b`c", 50, domain=["u`1.x"], privacy_unit="a.b`c")
    assert histogram.first().noisy_count == 1


@pytest.mark.parametrize(
    ("unit", "says"),
    [("j", "no column 'j'"), ("m", "names no one"), ("f", "names no one"), (["i"], "must be the name"), (7, "must be")],
)
@pytest.mark.parametrize("call", ["dp_sample", "dp_histogram"])
def test_what_names_no_unit_is_refused_before_a_row_is_read(untouchable, call, unit, says):
    with pytest.raises(ColumnError, match=says):
        getattr(untouchable, call)("i", 1, domain=[1, 2], privacy_unit=unit, budget=Refusing())
