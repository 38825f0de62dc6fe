"""Domains whose counts stay on the executors: the same draws, and next to nothing on the driver."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from allowance import Refusing
from scipy.stats import chi2

import spark_dp as dp
from spark_dp.errors import DomainError, MethodError, NumSamplesError
from spark_dp.spark import sampling
from spark_dp.spark.byvalue import by_value

MILLION = dp.Integers(0, 999_999)
WEIGHTED = ["roo", "ds-roo", "ss-roo", "dirichlet", "smoothed-histogram", "auto"]


@pytest.fixture
def pairs(spark):
    """200 combinations of a million times a million, each of three rows."""
    return spark.range(0, 600, 1, 4).selectExpr("int(id % 200) a", "int(7 * (id % 200)) b", "id % 20 as unit")


@pytest.mark.parametrize("method", WEIGHTED)
@pytest.mark.parametrize("relation", ["any", "add-remove"])
def test_values_come_from_a_domain_that_is_never_listed(pairs, driver_rows, method, relation):
    domain = {"a": MILLION, "b": MILLION}
    rows = pairs.dp_sample(["a", "b"], 50, method, domain=domain, relation=relation).collect()
    # ε = 50: 600 rows outweigh 10^12 values by e^50/10^12 or more.
    assert [row.b for row in rows] == [7 * row.a for row in rows]
    assert len(rows) == 1
    assert driver_rows[0] <= 4


@pytest.mark.parametrize("method", ["roo", "dirichlet", "subrr", "auto"])
def test_rows_outside_the_domain_become_values_of_it_under_replace(pairs, method):
    domain = {"a": dp.Integers(5_000_000, 5_999_999), "b": MILLION}
    rows = pairs.dp_sample(["a", "b"], 50, method, domain=domain, relation="replace", num_samples=3).collect()
    assert all(5_000_000 <= row.a < 6_000_000 for row in rows)
    assert len(set(rows)) == 3


def test_the_draws_follow_the_same_probabilities_as_on_the_driver(spark, monkeypatch):
    monkeypatch.setattr(sampling, "MAX_CELLS", 1)
    counts, draws = [0, 300, 700, 1], 8000
    frame = spark.range(0, 1001, 1, 3).selectExpr("case when id < 300 then 1 when id < 1000 then 2 else 3 end v")
    sample = frame.dp_sample("v", 50, "roo", domain=[0, 1, 2, 3], num_samples=draws)
    found = np.bincount([row.v for row in sample.collect()], minlength=4)
    expected = draws * np.array([float(p) for p in dp.mechanism("roo", 50, 4, num_samples=draws).pmf(counts)])
    assert ((found - expected) ** 2 / expected).sum() < chi2.isf(1e-6, 3)
    wrong = np.roll(expected, 1)
    assert ((found - wrong) ** 2 / wrong).sum() > chi2.isf(1e-6, 3)


@pytest.mark.parametrize("method", ["ss-roo", "dirichlet", "subrr"])
def test_lists_bins_and_nulls(spark, monkeypatch, method):
    monkeypatch.setattr(sampling, "MAX_CELLS", 3)
    rows = [("a", 0.5)] * 50 + [("b", None)] * 3 + [(None, 0.1)] * 2 + [("z", 0.9)]
    frame = spark.createDataFrame(rows, "s string, x double")
    domain = {"s": ["a", "b"], "x": dp.Bins(0, 1, 2)}
    relation = "replace" if method == "subrr" else "any"
    drawn = frame.dp_sample(["s", "x"], 50, method, domain=domain, relation=relation, num_samples=5).collect()
    assert len(drawn) == 5
    assert {row.s for row in drawn} <= {"a", "b"}
    if relation == "any":
        assert all((row.s, row.x >= 0.5) == ("a", True) for row in drawn)


def test_units_of_a_huge_domain(pairs):
    domain = {"a": MILLION, "b": MILLION}
    row = pairs.dp_sample(["a", "b"], 50, "ss-roo", domain=domain, privacy_unit="unit").first()
    assert row.b == 7 * row.a


def test_a_table_without_a_row_gives_uniform_values(spark):
    empty = spark.createDataFrame([], "a int, b int")
    rows = empty.dp_sample(["a", "b"], 1, domain={"a": MILLION, "b": MILLION}, num_samples=2).collect()
    assert all(0 <= row.a < 10**6 and 0 <= row.b < 10**6 for row in rows)


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        ({"method": "perturbed-histogram"}, MethodError, "noise for each of the 1,000,000,000,000 values"),
        ({"method": "ss-roo", "relation": "replace"}, MethodError, "dirichlet"),
        ({"method": "ds-roo", "relation": "replace"}, MethodError, "dirichlet"),
        ({"num_samples": 10_001}, NumSamplesError, "offers a candidate for each sample"),
        ({"by": "b"}, DomainError, "must fit the driver"),
    ],
)
def test_what_cannot_be_drawn_so_is_refused_before_a_row_is_read(untouchable, change, kind, says):
    call = {"col": ["i", "b"], "eps": 1, "domain": {"i": dp.Integers(0, 10**12 // 2 - 1)}, **change}
    call["col"] = "i" if "by" in change else call["col"]
    with pytest.raises(kind, match=says):
        untouchable.dp_sample(**call, budget=Refusing())


def test_an_executor_needs_no_spark_dp(tmp_path):
    """What is sent runs in a Python that cannot import the package."""
    from functools import partial

    from pyspark import cloudpickle

    from spark_dp.exact.parts import summed_up
    from spark_dp.exact.source import SYSTEM
    from spark_dp.spark.apart import one_row

    above = dp.mechanism("ss-roo", 1, 10).above_floor
    sum_up = partial(summed_up, above=above, draws=2, source=SYSTEM, distinct=False)
    (tmp_path / "code").write_bytes(cloudpickle.dumps(by_value(partial(one_row, sum_up))))
    program = (
        "import pickle, sys; sys.modules['spark_dp'] = None; import pyarrow as pa\n"
        f"run = pickle.load(open({str(tmp_path / 'code')!r}, 'rb'))\n"
        "batch = pa.RecordBatch.from_pydict({'rank': [3, None], 'count': [5, 2]})\n"
        "(row,) = [row for out in run(iter([batch])) for row in out.to_pylist()]\n"
        "assert (row['records'], row['outside'], row['candidates']) == (5, 2, [3, 3]), row\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_partition_is_one_row():
    from functools import partial

    from spark_dp.exact.parts import summed_up
    from spark_dp.exact.source import SYSTEM
    from spark_dp.spark.apart import one_row

    sum_up = partial(summed_up, above=lambda count: 2**70 * count, draws=1, source=SYSTEM, distinct=False)
    batches = [pa.RecordBatch.from_pydict({"rank": [rank], "count": [2]}) for rank in range(3)]
    (out,) = one_row(sum_up, iter(batches))
    (row,) = out.to_pylist()
    assert (row["records"], row["above"], row["seen"], row["minimum"]) == (6, str(6 * 2**70), 3, 2)
