"""dp_sample from end to end: what comes back, and that it was drawn once."""

import os
import subprocess
import sys
from datetime import date, datetime, timezone
from decimal import Decimal
from unittest.mock import ANY

import pytest
from allowance import Refusing

import spark_dp as dp
from spark_dp.errors import NumSamplesError, PrivateComputationError
from spark_dp.mechanisms.registry import MECHANISMS


@pytest.fixture
def letters(spark):
    return spark.createDataFrame([("a",)] * 30 + [("b",)] * 20 + [("zzz",)] * 10 + [(None,)] * 5, "letter string")


@pytest.mark.parametrize(
    ("method", "relation"),
    [(name, relation.value) for name, cls in MECHANISMS.items() for relation in sorted(cls.relations)],
)
def test_a_sample_holds_values_of_the_domain(letters, method, relation):
    sample = letters.dp_sample("letter", 2, method, domain=["a", "b", "c"], num_samples=50, relation=relation)
    rows = sample.collect()
    assert len(rows) == 50
    assert {row.letter for row in rows} <= {"a", "b", "c"}


def test_the_record_names_the_method_that_auto_chose(letters):
    few = letters.dp_sample("letter", 1, domain=["a", "b"], num_samples=2)
    many = letters.dp_sample("letter", 1, domain=["a", "b"], num_samples=100)
    assert few.schema["letter"].metadata["spark_dp"]["method"] == "ss-roo"
    assert many.schema["letter"].metadata["spark_dp"]["method"] == "perturbed-histogram"


def test_different_records_are_as_many_as_rows(letters):
    """n, the number of all rows, is public under replace: too large a sample is refused before it costs anything."""

    def drawn(number, budget=None):
        return letters.dp_sample(
            "letter", 1, "subrr", domain=["a", "b"], relation="replace", num_samples=number, budget=budget
        )

    assert drawn(65).count() == 65
    with pytest.raises(NumSamplesError, match="num_samples = 66 is more than the 65 there are"):
        drawn(66, Refusing())


def test_a_sample_is_drawn_once(letters):
    sample = letters.dp_sample("letter", 1, domain=list("abcdefgh"), num_samples=30)
    first = sample.collect()
    assert all(sample.collect() == first for _ in range(10))
    assert sample.repartition(3).orderBy("letter").collect() == sorted(first)
    # Another call is another release.
    assert any(
        letters.dp_sample("letter", 1, domain=list("abcdefgh"), num_samples=30).collect() != first for _ in range(3)
    )


def test_the_function_is_the_method(letters):
    assert (
        dp.dp_sample(letters, "letter", 1, domain=["a"]).collect()
        == letters.dp_sample("letter", 1, domain=["a"]).collect()
    )
    assert letters.transform(dp.dp_sample, "letter", 1, domain=["a"]).count() == 1


@pytest.mark.parametrize(
    ("spark_type", "value"),
    [
        ("string", "it's `x` "),
        ("tinyint", -128),
        ("bigint", 2**63 - 1),
        ("decimal(38,18)", Decimal("0.000000000000000001")),
        ("date", date(2024, 2, 29)),
        ("timestamp", datetime(2013, 11, 3, 6, 30, tzinfo=timezone.utc)),
        ("timestamp_ntz", datetime(2013, 3, 10, 2, 30)),  # noqa: DTZ001
        ("boolean", True),
        ("binary", b"\x00\xff"),
    ],
)
def test_a_sample_has_the_type_of_its_column(spark, spark_type, value):
    from pyspark.sql import functions as F

    frame = spark.createDataFrame([], f"v {spark_type}")
    sample = frame.dp_sample("v", 1, domain=[value])
    assert sample.schema["v"].dataType == frame.schema["v"].dataType
    if spark_type == "timestamp":
        assert sample.select(F.unix_micros("v")).first()[0] == int(value.timestamp()) * 10**6
    else:
        assert sample.first().v == value


def test_several_columns_are_sampled_jointly(spark):
    frame = spark.createDataFrame([("f", 20), ("m", 30)] * 10, "sex string, age int")
    rows = frame.dp_sample(
        ["sex", "age"], 50, "roo", domain={"sex": ["f", "m"], "age": [20, 30]}, num_samples=1
    ).collect()
    assert rows[0].asDict().keys() == {"sex", "age"}
    # ε = 50 hides nothing: a draw that mixed the columns up would show ("f", 30).
    assert tuple(rows[0]) in {("f", 20), ("m", 30)}
    product = dp.Product({"sex": dp.Values(["f", "m"]), "age": dp.Values([20, 30])})
    assert tuple(frame.dp_sample(["sex", "age"], 50, domain=product).first()) in {("f", 20), ("m", 30)}


def test_the_record_of_the_release_is_in_the_metadata(letters, tmp_path, spark):
    sample = letters.dp_sample("letter", "0.50", domain=["a", "b"], num_samples=2)
    record = {
        "method": "ss-roo",
        "epsilon": "0.5",
        "relation": "any",
        "columns": ["letter"],
        "k": 2,
        "num_samples": 2,
        "version": dp.__version__,
        "by": [],
        "privacy_unit": None,
        "release_id": ANY,
    }
    assert sample.schema["letter"].metadata["spark_dp"] == record
    sample.write.parquet(str(tmp_path / "sample"))
    assert spark.read.parquet(str(tmp_path / "sample")).schema["letter"].metadata["spark_dp"] == record


@pytest.mark.parametrize("name", ["a.b", "a`b", "a b", "ä", "select", "a'b", "c0", "1", "rank", "count", "v0"])
@pytest.mark.parametrize("k", [2, 100])
def test_any_column_name_works(spark, name, k):
    frame = spark.createDataFrame([(1, 2), (1, 3)], ["other", "x"]).toDF("other", name)
    sample = frame.dp_sample(name, 50, domain=list(range(k)))
    assert sample.columns == [name]
    assert sample.first()[0] in (2, 3) if k > 2 else (0, 1)
    declared = dp.declare_domain(frame, name, [2, 3])
    assert declared.columns == frame.columns
    assert declared.dp_sample(name, 50).first()[0] in (2, 3)


@pytest.mark.parametrize("rows", [[], [(None,)] * 20, [("z",)] * 20], ids=["no rows", "only nulls", "all outside"])
@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
def test_without_a_row_in_the_domain_a_sample_is_uniform(spark, rows, relation):
    # Independent draws: an urn without a record repeats its first value.
    sample = spark.createDataFrame(rows, "v string").dp_sample(
        "v", 50, "roo", domain=["a", "b"], num_samples=60, relation=relation
    )
    # Each value is missed with probability 2^-60 (under replace, where 20 random values stand in: 2^-20).
    assert {row.v for row in sample.collect()} == {"a", "b"}


def test_a_domain_of_one_value_gives_that_value(letters):
    assert {row.letter for row in letters.dp_sample("letter", 1, domain=["q"], num_samples=5).collect()} == {"q"}


def test_names_that_differ_in_case_are_two_columns_where_the_session_says_so(spark):
    spark.conf.set("spark.sql.caseSensitive", "True")
    try:
        frame = spark.createDataFrame([(1, 2)], "x int, y int").toDF("x", "X")
        assert frame.dp_sample("X", 50, domain=[1, 2]).first()[0] == 2
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_a_declared_domain_is_kept_by_parquet(letters, spark, tmp_path):
    declared = dp.declare_domain(letters, "letter", ["a", "b"])
    declared.write.parquet(str(tmp_path / "declared"))
    again = spark.read.parquet(str(tmp_path / "declared"))
    assert {row.letter for row in again.dp_sample("letter", 1, num_samples=20).collect()} <= {"a", "b"}
    # A domain in the call wins.
    assert again.dp_sample("letter", 1, domain=["q"]).first().letter == "q"


def test_a_boolean_column_needs_no_domain(spark):
    sample = spark.createDataFrame([(True,)], "b boolean").dp_sample("b", 1, "roo", num_samples=40)
    assert {row.b for row in sample.collect()} == {True, False}


@pytest.mark.parametrize(
    ("spark_type", "values"),
    [
        ("string", ["a", "b "]),
        ("int", [1, 2]),
        ("decimal(5,2)", [Decimal("1.50")]),
        ("date", [date(2024, 2, 29)]),
        (
            "timestamp",
            [datetime(2013, 11, 3, 5, 30, tzinfo=timezone.utc), datetime(2013, 11, 3, 6, 30, tzinfo=timezone.utc)],
        ),
        ("timestamp_ntz", [datetime(2013, 3, 10, 2, 30)]),  # noqa: DTZ001
        ("binary", [b"\x00"]),
    ],
)
def test_a_reference_table_is_a_domain(spark, spark_type, values):
    from spark_dp.spark.columns import sampled_columns
    from spark_dp.spark.domains import resolve

    empty = spark.createDataFrame([], f"v {spark_type}")
    listed = dp.Values(values)
    table = spark.createDataFrame([(text,) for text in listed.texts], "t string")
    from pyspark.sql import functions as F

    text = F.col("t")
    table = table.select(
        (F.unhex(text) if spark_type == "binary" else text.cast(spark_type)).alias("v"), F.lit(1).alias("more")
    )
    resolved = resolve(sampled_columns(empty, "v"), table)
    assert sorted(resolved.values) == sorted(listed.values)


def test_a_failure_while_rows_are_read_tells_nothing(untouchable):
    with pytest.raises(PrivateComputationError) as error:
        untouchable.dp_sample("i", 1, domain=[1, 2])
    assert "a private row was read" not in str(error.value)
    assert error.value.__context__ is None
    assert error.value.__cause__ is None


def test_the_methods_are_attached_once(spark, recwarn):
    from spark_dp.spark.attach import attach

    attach({"dp_sample": dp.dp_sample, "dp_histogram": dp.dp_histogram})
    assert type(spark.range(1)).dp_sample is dp.dp_sample
    assert type(spark.range(1)).dp_histogram is dp.dp_histogram
    assert not recwarn.list


def test_the_methods_are_attached_to_connect_frames_too():
    pytest.importorskip("grpc")
    from pyspark.sql.connect.dataframe import DataFrame

    assert DataFrame.dp_sample is dp.dp_sample


@pytest.mark.parametrize("first", ["pyspark.sql.connect.dataframe", "spark_dp"])
def test_connect_frames_have_the_methods_whatever_is_imported_first(first, tmp_path):
    pytest.importorskip("grpc")
    program = f"import {first}, spark_dp\nfrom pyspark.sql.connect.dataframe import DataFrame\n"
    program += "assert DataFrame.dp_sample is spark_dp.dp_sample\n"
    # From a file: Connect takes a program that is none for a doctest of its own.
    (tmp_path / "program.py").write_text(program)
    environ = {**os.environ, "PYTHONWARNINGS": "ignore"}
    subprocess.run([sys.executable, "program.py"], check=True, cwd=tmp_path, env=environ)


def test_a_foreign_method_of_the_same_name_is_replaced_with_a_warning():
    from spark_dp.spark.attach import attach_to

    class Frame:
        def dp_sample(self):
            """Somebody else's."""

    with pytest.warns(UserWarning, match=r"DataFrame.dp_sample was already defined"):
        attach_to(Frame, {"dp_sample": dp.dp_sample})
    assert Frame.dp_sample is dp.dp_sample


def test_where_settings_may_not_be_read_their_defaults_are_assumed():
    from pyspark.errors import PySparkException

    from spark_dp.spark.columns import setting

    class Serverless:
        class conf:  # noqa: N801 — as Spark has it
            @staticmethod
            def get(name):
                raise PySparkException("CONFIG_NOT_AVAILABLE")

    assert setting(Serverless, "spark.sql.caseSensitive", "false") == "false"
