"""by=: a sample in every group of a public domain, from one job."""

from unittest.mock import ANY

import pytest
from allowance import Allowance

import spark_dp as dp
from spark_dp.errors import ColumnError, DomainError, MethodError, NumSamplesError

DOMAIN = {"region": ["north", "south", "west"], "sex": ["f", "m"]}


@pytest.fixture
def people(spark):
    rows = [("north", "f", 1)] * 40 + [("south", "m", 2)] * 30 + [("east", "f", 3)] * 9 + [(None, "m", 4)] * 3
    return spark.createDataFrame(rows, "region string, sex string, other int")


@pytest.mark.parametrize("method", ["auto", "roo", "ss-roo", "perturbed-histogram"])
@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
def test_every_group_has_its_samples_also_an_empty_one(people, method, relation):
    sample = people.dp_sample("sex", 50, method, by="region", domain=DOMAIN, num_samples=4, relation=relation)
    assert sample.columns == ["region", "sex"]
    rows = sample.collect()
    assert [row.region for row in rows] == ["north"] * 4 + ["south"] * 4 + ["west"] * 4
    # ε/2 = 25 hides nothing of 30 rows, at 4 draws neither.
    assert {row.sex for row in rows if row.region == "north"} == {"f"}
    assert {row.sex for row in rows if row.region == "south"} == {"m"}
    assert {row.sex for row in rows} <= {"f", "m"}
    assert sample.collect() == rows


def test_the_record_names_the_groups_and_the_whole_epsilon(people):
    sample = people.dp_sample("sex", "0.5", "roo", by="region", domain=DOMAIN, num_samples=2)
    record = sample.schema["sex"].metadata["spark_dp"]
    assert record == {
        "method": "roo",
        "epsilon": "0.5",
        "relation": "any",
        "columns": ["sex"],
        "k": 2,
        "num_samples": 2,
        "version": dp.__version__,
        "by": ["region"],
        "privacy_unit": None,
        "release_id": ANY,
    }


def test_several_columns_by_several(spark):
    frame = spark.createDataFrame([(1, True, "x", 5)] * 20, "a int, b boolean, c string, d int")
    domain = {"a": dp.Integers(0, 2), "b": [False, True], "c": ["x", "y"], "d": dp.Bins(0, 10, 2)}
    rows = frame.dp_sample(["c", "d"], 50, by=["a", "b"], domain=domain).collect()
    assert [(row.a, row.b) for row in rows] == [(a, b) for a in range(3) for b in (False, True)]
    assert next((row.c, 5 <= row.d <= 10) for row in rows if (row.a, row.b) == (1, True)) == ("x", True)


def test_all_groups_are_one_charge_of_the_whole_epsilon(people):
    budget = Allowance()
    people.dp_sample("sex", 1, by="region", domain=DOMAIN, budget=budget)
    (entry,) = budget.entries
    assert (entry.epsilon, entry.by, entry.columns) == ("1", ("region",), ("sex",))


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        ({"by": "regio"}, ColumnError, "no column 'regio'"),
        ({"by": "sex"}, ColumnError, "names a column twice"),
        ({"by": []}, ColumnError, "name of a column"),
        ({"domain": {"sex": ["f", "m"]}}, DomainError, "Column 'region' has no public domain"),
        ({"domain": ["f", "m"]}, DomainError, "each needs its own domain"),
        ({"method": "subrr", "relation": "replace"}, MethodError, "that of a group is private"),
        ({"num_samples": 400_000}, NumSamplesError, "in each of 3 groups"),
        ({"num_samples": 10**9}, NumSamplesError, "in each of 3 groups"),
        ({"by": "other", "domain": {"sex": ["f"], "other": dp.Bins(0, 9, 3)}}, DomainError, "makes the groups"),
    ],
)
def test_a_bad_call_is_refused_before_it_costs_anything(people, change, kind, says):
    budget = Allowance()
    with pytest.raises(kind, match=says):
        people.dp_sample(**{"col": "sex", "eps": 1, "by": "region", "domain": DOMAIN, **change}, budget=budget)
    assert not budget.entries
