"""Releases under a name: the same rows again, whatever they are made of, and no second charge.

Would catch: a rerun that reads the table, points in bins or synthetic rows that come out differently, arguments
that are not compared, a refusal that charges.
"""

from datetime import date

import pytest

import spark_dp as dp
from spark_dp.errors import BudgetError, PrivateComputationError, ReleaseIdError

CALLS = {
    "several draws": ("dp_sample", {"col": "v", "domain": dp.Integers(0, 9), "num_samples": 30}),
    "points in bins": ("dp_sample", {"col": "v", "domain": dp.Bins(0, 10, 4), "num_samples": 30}),
    "points in time": (
        "dp_sample",
        {"col": "t", "domain": dp.Bins(date(2026, 1, 1), date(2026, 12, 31), 3), "num_samples": 9},
    ),
    "jointly": (
        "dp_sample",
        {"col": ["v", "s"], "domain": {"v": dp.Bins(0, 10, 4), "s": ["a", "b"]}, "num_samples": 30},
    ),
    "in groups": ("dp_sample", {"col": "v", "by": "s", "domain": {"v": dp.Integers(0, 9), "s": ["a", "b"]}}),
    "of units": ("dp_sample", {"col": "v", "domain": dp.Integers(0, 9), "num_samples": 30, "privacy_unit": "s"}),
    "of all rows": ("dp_sample", {"col": "v", "method": "subrr", "domain": dp.Integers(0, 9), "relation": "replace"}),
    "beyond the driver": (
        "dp_sample",
        {"col": ["v", "w"], "domain": {"v": dp.Integers(0, 9), "w": dp.Integers(0, 10**9)}, "num_samples": 5},
    ),
    "synthetic": (
        "dp_sample",
        {"col": "v", "method": "perturbed-histogram", "domain": dp.Bins(0, 10, 4), "num_samples": 1_000_001},
    ),
    "counts": ("dp_histogram", {"col": "v", "domain": dp.Bins(0, 10, 4)}),
}


@pytest.fixture
def table(spark):
    columns = ["id % 10 as v", "if(id % 3 = 0, 'a', 'b') as s", "id as w", "date'2026-01-01' + int(id % 300) as t"]
    return spark.range(2000).selectExpr(*columns)


@pytest.fixture
def gone(table):
    """The same columns, whose rows cannot be read any more."""
    from pyspark.sql import functions as F

    return table.where(F.raise_error(F.lit("read again")).cast("string").isNotNull())


def rows(frame):
    return frame.orderBy(*frame.columns).limit(500).collect()


@pytest.mark.parametrize("name", CALLS)
def test_the_same_call_gives_the_stored_release_and_reads_nothing(table, gone, tmp_path, name):
    call, arguments = CALLS[name]
    budget = dp.Ledger(tmp_path / "ledger.db").budget("b", total=1)
    first = getattr(table, call)(**arguments, eps=1, budget=budget, release_id="nightly")
    # The number of rows is public under replace, and read before the budget is asked.
    again = getattr(table if name == "of all rows" else gone, call)(
        **arguments, eps=1, budget=dp.Ledger(tmp_path / "ledger.db").budget("b", total=1), release_id="nightly"
    )
    assert rows(again) == rows(first)
    assert again.schema == first.schema
    for field in again.schema:
        if field.name != "noisy_count":
            assert field.metadata["spark_dp"]["release_id"] == "nightly"
    assert budget.balance().spent == "1"


@pytest.mark.parametrize("change", [{"eps": 2}, {"domain": dp.Integers(0, 8)}, {"num_samples": 2}, {"col": "w"}])
def test_other_arguments_under_the_name_are_refused_and_cost_nothing(table, tmp_path, change):
    budget = dp.Ledger(tmp_path / "ledger.db").budget("b", total=9)
    call = {"col": "v", "eps": 1, "domain": dp.Integers(0, 9), "budget": budget, "release_id": "r"}
    table.dp_sample(**call)
    with pytest.raises(BudgetError, match="'r' of the budget 'b' was asked for with other arguments"):
        table.dp_sample(**call | change)
    assert budget.balance().spent == "1"


def test_without_a_name_each_release_is_another_one(table, tmp_path):
    budget = dp.Ledger(tmp_path / "ledger.db").budget("b", total=2)
    samples = [table.dp_sample("v", 1, domain=dp.Integers(0, 9), budget=budget) for _ in range(2)]
    names = [sample.schema["v"].metadata["spark_dp"]["release_id"] for sample in samples]
    assert [charge.entry.release_id for charge in dp.Ledger(tmp_path / "ledger.db").history()] == names
    with pytest.raises(BudgetError, match="ε = 0 left of 2"):
        table.dp_sample("v", 1, domain=dp.Integers(0, 9), budget=budget)


def test_a_failure_while_rows_are_read_stays_charged_and_shows_as_such(gone, table, tmp_path):
    budget = dp.Ledger(tmp_path / "ledger.db").budget("b", total=1)
    call = {"col": "v", "eps": 1, "domain": dp.Integers(0, 9), "budget": budget, "release_id": "r"}
    with pytest.raises(PrivateComputationError):
        gone.dp_sample(**call)
    assert [charge.state for charge in dp.Ledger(tmp_path / "ledger.db").history()] == ["failed"]
    with pytest.raises(BudgetError, match="left"):
        table.dp_sample(**call | {"release_id": "another"})
    # Nobody saw a draw: the same release may be tried again.
    assert table.dp_sample(**call).count() == 1
    assert budget.balance().spent == "1"


@pytest.mark.parametrize("call", ["dp_sample", "dp_histogram"])
def test_a_name_that_nothing_remembers_is_refused(untouchable, call):
    with pytest.raises(ReleaseIdError, match="nothing here remembers"):
        getattr(untouchable, call)("i", 1, domain=[1, 2], release_id="r")
