"""dp_histogram from end to end: every value with its noisy count, drawn once."""

from datetime import date
from unittest.mock import ANY

import pytest
from allowance import Refusing

import spark_dp as dp
from spark_dp.errors import ArgumentError, ColumnError, DomainError, PrivateComputationError
from spark_dp.mechanisms import noise


@pytest.fixture
def letters(spark):
    return spark.createDataFrame([("a",)] * 30 + [("b",)] * 20 + [("zzz",)] * 10 + [(None,)] * 5, "letter string")


def test_every_value_has_a_noisy_count_also_where_no_row_holds_it(letters):
    # ε = 50: noise of 1 or more has probability 3e-11, that of 2 none that could be seen.
    histogram = letters.dp_histogram("letter", 50, domain=["c", "a", "b"])
    assert histogram.columns == ["letter", "noisy_count"]
    assert dict(histogram.dtypes)["noisy_count"] == "bigint"
    rows = histogram.collect()
    assert [row.letter for row in rows] == ["c", "a", "b"]
    assert [row.noisy_count for row in rows] == pytest.approx([0, 30, 20], abs=1)


@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
def test_the_noise_is_there(letters, relation):
    domain = [str(number) for number in range(200)]
    counts = [row.noisy_count for row in letters.dp_histogram("letter", 1, domain=domain, relation=relation).collect()]
    # λ is 1 or 2: 200 cells without noise have probability below (1/2)^200, and some are negative.
    assert len(set(counts)) > 3
    assert relation == "replace" or min(counts) < 0


def test_rows_outside_the_domain_are_spread_over_it_under_replace(letters):
    total = sum(
        row.noisy_count for row in letters.dp_histogram("letter", 50, domain=["a", "b"], relation="replace").collect()
    )
    assert total == pytest.approx(65, abs=2)


def test_a_histogram_is_drawn_once(letters):
    histogram = letters.dp_histogram("letter", "0.1", domain=list("abcdefgh"))
    first = histogram.collect()
    assert all(histogram.collect() == first for _ in range(5))
    assert sorted(histogram.repartition(3).collect()) == sorted(first)
    assert any(letters.dp_histogram("letter", "0.1", domain=list("abcdefgh")).collect() != first for _ in range(3))


def test_several_columns_are_counted_jointly_in_their_own_types(spark):
    frame = spark.createDataFrame([("f", date(2024, 2, 29))] * 7, "sex string, day date")
    days = [date(2024, 2, 28), date(2024, 2, 29)]
    histogram = dp.dp_histogram(frame, ["sex", "day"], 50, domain={"sex": ["f", "m"], "day": days})
    assert histogram.schema["day"].dataType == frame.schema["day"].dataType
    counts = {(row.sex, row.day): row.noisy_count for row in histogram.collect()}
    assert counts.keys() == {(sex, day) for sex in "fm" for day in days}
    assert counts["f", days[1]] == pytest.approx(7, abs=1)


def test_the_record_of_the_release_is_in_the_metadata_of_every_column(letters):
    histogram = letters.dp_histogram("letter", "0.50", domain=["a", "b"])
    record = {
        "method": "histogram",
        "epsilon": "0.5",
        "relation": "any",
        "columns": ["letter"],
        "k": 2,
        "num_samples": 0,
        "version": dp.__version__,
        "by": [],
        "privacy_unit": None,
        "release_id": ANY,
    }
    assert [histogram.schema[name].metadata["spark_dp"] for name in histogram.columns] == [record] * 2


@pytest.mark.parametrize("change", [{"eps": 0}, {"col": "j"}, {"col": "f"}, {"relation": "swap"}, {"domain": None}])
def test_a_bad_call_is_refused_before_a_row_is_read(untouchable, change):
    with pytest.raises(ArgumentError):
        untouchable.dp_histogram(**{"col": "i", "eps": 1, "domain": [1, 2], **change}, budget=Refusing())


def test_a_domain_too_large_for_noise_is_refused(untouchable, monkeypatch):
    monkeypatch.setattr(noise, "MAX_NOISY_CELLS", 99)
    with pytest.raises(DomainError, match=r"noise for each of the 100 values.*dp_sample"):
        untouchable.dp_histogram("i", 1, domain=range(100), budget=Refusing())


@pytest.mark.parametrize("name", ["noisy_count", "Noisy_Count"])
def test_a_column_of_the_name_of_the_counts_is_refused_with_the_way_out(spark, name):
    frame = spark.createDataFrame([(1,)], f"{name} int")
    with pytest.raises(ColumnError, match="withColumnRenamed"):
        frame.dp_histogram(name, 1, domain=[1, 2], budget=Refusing())


def test_a_failure_while_rows_are_read_tells_nothing(untouchable):
    with pytest.raises(PrivateComputationError) as error:
        untouchable.dp_histogram("i", 1, domain=[1, 2])
    assert "a private row was read" not in str(error.value)


def test_what_is_no_batch_dataframe_is_refused(spark):
    with pytest.raises(ArgumentError, match="give a Spark DataFrame"):
        dp.dp_histogram([1, 2], "x", 1, domain=[1])
    with pytest.raises(ArgumentError, match="foreachBatch"):
        spark.readStream.format("rate").load().dp_histogram("value", 1, domain=[1])
