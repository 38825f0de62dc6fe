"""Bad calls are refused from public facts: with what is wrong and how to mend it, and no row read.

The table raises when any of its rows is read, so an ArgumentError shows that none was.
"""

import pytest
from allowance import Refusing

import spark_dp as dp
from spark_dp.errors import (
    ArgumentError,
    ColumnError,
    DomainError,
    EpsilonError,
    MethodError,
    NumSamplesError,
    RelationError,
    SourceError,
)

GOOD = {"col": "i", "eps": 1, "method": "roo", "domain": [1, 2]}


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        *(({"eps": eps}, EpsilonError, "eps") for eps in (0, -1, float("nan"), float("inf"), "abc", True, 1e9, None)),
        ({"method": "dsroo"}, MethodError, "Did you mean 'ds-roo'"),
        ({"method": 3}, MethodError, "Known: 'auto', 'roo', 'ds-roo', 'ss-roo'"),
        ({"method": "subrr"}, RelationError, "subrr has no proven guarantee under relation='any'. Use 'replace'"),
        ({"method": "ss-roo", "eps": "1e-9", "num_samples": 10**6}, MethodError, "Use method='dirichlet'"),
        ({"method": "ds-roo", "eps": "1e-9"}, MethodError, "Use method='roo'"),
        ({"method": "subrr", "domain": None, "eps": 0}, EpsilonError, "eps"),
        *(({"num_samples": number}, NumSamplesError, "num_samples") for number in (0, -3, 1.5, True, "2", 10**9 + 1)),
        ({"num_samples": 10**6 + 1}, NumSamplesError, "1,000,000 that roo can draw.*Use method='perturbed-histogram'"),
        (
            {"method": "auto", "num_samples": 10**6 + 1, "domain": dp.Integers(0, 2**20)},
            NumSamplesError,
            "domain of 1,048,577 values",
        ),
        (
            {"method": "auto", "num_samples": 10**6 + 1, "domain": dp.Bins(-(2**63), 2**63 - 1, 3)},
            NumSamplesError,
            "bins of column 'i'.*Give narrower bins",
        ),
        ({"relation": "swap"}, RelationError, "'any', 'replace', 'add-remove'"),
        ({"col": "j"}, ColumnError, "no column 'j'"),
        ({"col": "I"}, ColumnError, "Did you mean 'i'"),
        ({"col": 7}, ColumnError, "name of a column"),
        ({"col": []}, ColumnError, "name of a column"),
        ({"col": ["i", "i"]}, ColumnError, "twice"),
        ({"col": "st.inner"}, ColumnError, r"withColumn\('inner', F.col\('st.inner'\)\)"),
        ({"col": "st"}, ColumnError, "type struct<inner:string>, which cannot be sampled"),
        ({"col": "a"}, ColumnError, "type array<int>"),
        ({"col": "m"}, ColumnError, "type map<int,int>"),
        ({"col": "f"}, DomainError, r"type double.*dp\.Bins"),
        ({"col": "g"}, DomainError, r"type float.*dp\.Bins"),
        ({"domain": dp.Bins(0, 1, 10)}, DomainError, "No value of type bigint"),
        (
            {"domain": dp.Integers(0, 2**22), "method": "perturbed-histogram"},
            MethodError,
            "noise for each of the 4,194,305",
        ),
        ({"col": "d", "domain": dp.Bins(0, 10, 10)}, DomainError, "bins of kind number, the column is of type date"),
        ({"domain": None}, DomainError, r"no public domain.*domain=\[...\].*declare_domain"),
        ({"domain": []}, DomainError, "empty"),
        ({"domain": [1, 1]}, DomainError, "more than once"),
        ({"domain": [1, None]}, DomainError, "null"),
        ({"domain": [True]}, DomainError, "holds boolean values, the column is of type bigint"),
        ({"domain": ["one"]}, DomainError, "'one' cannot be cast to column 'i' of type bigint"),
        ({"domain": [2**63]}, DomainError, "does not fit column 'i'"),
        ({"domain": [1.5]}, DomainError, "floating-point"),
        ({"domain": "12"}, DomainError, "A domain is a list"),
        ({"col": "f", "domain": None}, DomainError, r"no public domain.*Give them: domain=dp\.Bins"),
        ({"domain": 12}, DomainError, "A domain is a list"),
        ({"domain": {"j": [1]}}, DomainError, "not sampled"),
        ({"col": ["i", "b"]}, DomainError, "each needs its own domain"),
        ({"col": ["i", "b"], "domain": {"b": [True]}}, DomainError, "Column 'i' has no public domain"),
        ({"col": "s", "domain": [1, 2]}, DomainError, "holds integer values"),
        ({"col": "d", "domain": ["2023-02-29"]}, DomainError, "2023-02-29"),
    ],
)
def test_a_bad_call_is_refused_before_a_row_is_read(untouchable, change, kind, says):
    with pytest.raises(kind, match=says) as error:
        untouchable.dp_sample(**{**GOOD, **change}, budget=Refusing())
    assert isinstance(error.value, ArgumentError)
    assert isinstance(error.value, ValueError)


def test_a_reference_table_without_the_column_is_refused_with_the_call_to_make(untouchable, spark):
    airports = spark.createDataFrame([("JFK", "Kennedy")], "faa string, name string")
    with pytest.raises(DomainError, match=r"alias\('s'\)") as error:
        untouchable.dp_sample("s", 1, domain=airports)
    assert "['faa', 'name']" in str(error.value)


@pytest.mark.parametrize(("rows", "says"), [([], "empty"), ([("a",), (None,)], "null"), ([("a",), ("a",)], "distinct")])
def test_a_reference_table_is_held_to_the_same_rules(untouchable, spark, rows, says):
    with pytest.raises(DomainError, match=says):
        untouchable.dp_sample("s", 1, domain=spark.createDataFrame(rows, "s string"))


def test_a_reference_table_of_another_type_is_refused(untouchable, spark):
    with pytest.raises(DomainError, match="holds integer values, the column is of type string"):
        untouchable.dp_sample("s", 1, domain=spark.createDataFrame([(1,)], "s int"))
    with pytest.raises(DomainError, match="floating-point"):
        untouchable.dp_sample("i", 1, domain=spark.createDataFrame([(1.0,)], "i double"))


def test_an_ambiguous_column_is_refused(spark):
    twice = spark.createDataFrame([(1, 2)], "x int, y int").toDF("x", "x")
    with pytest.raises(ColumnError, match="ambiguous"):
        twice.dp_sample("x", 1, domain=[1])
    cased = spark.createDataFrame([(1, 2)], "x int, y int").toDF("x", "X")
    with pytest.raises(ColumnError, match=r"\['x', 'X'\]"):
        cased.dp_sample("x", 1, domain=[1])


def test_a_stream_is_refused(spark):
    stream = spark.readStream.format("rate").load()
    with pytest.raises(SourceError, match="foreachBatch"):
        stream.dp_sample("value", 1, domain=[1])


@pytest.mark.parametrize("frame", [None, [1, 2], "table"])
def test_what_is_no_dataframe_is_refused(frame):
    with pytest.raises(SourceError, match="give a Spark DataFrame"):
        dp.dp_sample(frame, "x", 1, domain=[1])


def test_a_pandas_frame_is_refused():
    import pandas as pd

    with pytest.raises(SourceError, match=r"pandas.*DataFrame cannot be sampled"):
        dp.dp_sample(pd.DataFrame({"x": [1]}), "x", 1, domain=[1])


def test_a_declared_domain_is_checked_when_it_is_declared(untouchable):
    with pytest.raises(DomainError, match="empty"):
        dp.declare_domain(untouchable, "s", [])
    with pytest.raises(ColumnError, match="no column"):
        dp.declare_domain(untouchable, "q", [1])
    with pytest.raises(ColumnError, match="name of a column"):
        dp.declare_domain(untouchable, ["s", "i"], [1])


def test_damaged_metadata_is_refused(untouchable):
    from spark_dp.spark.frames import with_metadata

    position = untouchable.columns.index("s")
    damaged = with_metadata(untouchable, {position: {"spark_dp_domain": "not json"}})
    with pytest.raises(DomainError, match="not JSON"):
        damaged.dp_sample("s", 1)
