"""The job: what it reads and writes, what it tells, and that a bad call ends on one clear line."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUBMIT = Path(sys.executable).with_name("spark-submit")


@pytest.fixture(scope="module")
def job():
    spec = importlib.util.spec_from_file_location("job", ROOT / "jobs" / "dp_sample.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    """One private table in every format, and public reference tables."""
    folder = tmp_path_factory.mktemp("tables")
    rows = [("f", 20)] * 30 + [("m", 30)] * 20 + [(None, None)] * 5
    frame = spark.createDataFrame(rows, "sex string, age int")
    for name in ("parquet", "csv", "json", "orc"):
        frame.write.format(name).option("header", value=True).save(str(folder / f"people.{name}"))
    frame.write.parquet(str(folder / "folder"))
    spark.createDataFrame([("f",), ("m",)], "sex string").write.parquet(str(folder / "sexes.parquet"))
    ages = spark.createDataFrame([("20", "x"), ("30", "y")], "years string, label string")
    ages.write.option("header", value=True).csv(str(folder / "ages.csv"))
    frame.createOrReplaceTempView("people")
    return folder


@pytest.fixture
def run(job, tables, tmp_path, capsys):
    """Runs the job in this session on a good call with changes; None leaves an option out."""

    def run(**changes):
        options = {
            "input": str(tables / "people.parquet"),
            "column": "sex",
            "domain": str(tables / "sexes.parquet"),
            "eps": "1",
            "num-samples": "6",
            "output": str(tmp_path / "sample.parquet"),
            **{name.replace("_", "-"): value for name, value in changes.items()},
        }
        argv = []
        for name, value in options.items():
            for one in value if isinstance(value, list) else [value]:
                argv += [] if one is None else [f"--{name}", one]
        try:
            status = job.main(argv)
        except SystemExit as exit_:
            status = exit_.code
        return status, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("changes", "values"),
    [
        ({}, {"f", "m"}),
        ({"method": "roo", "relation": "replace"}, {"f", "m"}),
        ({"input": "{tables}/people.csv"}, {"f", "m"}),
        ({"input": "{tables}/people.orc"}, {"f", "m"}),
        ({"input": "{tables}/people.json", "schema": "sex string, age int"}, {"f", "m"}),
        ({"input": "{tables}/folder"}, {"f", "m"}),
        (
            {"input": "{tables}/people.csv", "schema": "sex string, age int", "column": "age", "domain": "[20, 30]"},
            {20, 30},
        ),
        ({"input": "people"}, {"f", "m"}),
        ({"input": "people", "format": "table"}, {"f", "m"}),
        ({"domain": '["q"]'}, {"q"}),
        ({"column": "age", "domain": "{tables}/ages.csv#years"}, {20, 30}),
        ({"column": ["sex", "age"], "domain": ["{tables}/sexes.parquet", "[20]"]}, {("f", 20), ("m", 20)}),
        ({"column": "age", "domain": '{"domain": "integers", "low": 20, "high": 21}'}, {20, 21}),
        ({"privacy_unit": "age"}, {"f", "m"}),
        ({"by": "age", "by_domain": "[20, 30]", "num_samples": "3"}, {(a, s) for a in (20, 30) for s in "fm"}),
    ],
)
def test_every_kind_of_table_and_domain(run, spark, tables, tmp_path, changes, values):
    filled = json.loads(json.dumps(changes).replace("{tables}", str(tables)))
    status, told, complained = run(**filled)
    assert (status, complained) == (0, "")
    rows = spark.read.parquet(str(tmp_path / "sample.parquet")).collect()
    assert len(rows) == 6
    assert {row[0] if len(row) == 1 else tuple(row) for row in rows} <= values
    assert "1-differential privacy" in told
    assert f"Output     {tmp_path}/sample.parquet" in told


def test_the_output_appears_whole_or_not_at_all(run, tmp_path):
    assert run()[0] == 0
    names = [path.name for path in (tmp_path / "sample.parquet").iterdir() if not path.name.startswith(".")]
    assert len(names) == 2
    assert "_SUCCESS" in names


def test_a_csv_has_a_header(run, spark, tmp_path):
    assert run(output=str(tmp_path / "out.csv"))[0] == 0
    assert spark.read.option("header", value=True).csv(str(tmp_path / "out.csv")).columns == ["sex"]
    assert run(output=str(tmp_path / "plain"), output_format="csv")[0] == 0
    assert list((tmp_path / "plain").glob("*.csv"))


def test_a_sample_is_told_in_full_up_to_twenty(run):
    told = run(domain='["q"]', num_samples="25")[1]
    assert "Sample     " + ", ".join(["q"] * 20) + ", … (5 more)" in told


def test_what_stays_private_depends_on_the_relation(run, tmp_path):
    assert "every count, the number of rows, and whether" in run()[1]
    told = run(relation="replace", output=str(tmp_path / "b"))[1]
    assert "every count, and whether" in told
    assert "num_samples 6, the number of rows" in told


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"eps": "0"}, "eps = 0 must be positive"),
        ({"eps": "abc"}, "not a decimal number"),
        ({"method": "dsroo"}, "Did you mean 'ds-roo'?"),
        ({"relation": "swap"}, "'add-remove'"),
        ({"num_samples": "0"}, "num_samples = 0"),
        ({"num_samples": "1.5"}, "invalid int value: '1.5'"),
        ({"column": "sexx"}, "Did you mean 'sex'?"),
        ({"column": None}, "required: --column"),
        ({"domain": None}, "no public domain"),
        ({"domain": ["[1]", "[2]"]}, "1 --column and 2 --domain"),
        ({"domain": "[1, 2"}, "no JSON list"),
        ({"domain": "{1, 2"}, "This is not JSON"),
        ({"by": "age", "by_domain": ["[1]", "[2]"]}, "1 --by and 2 --by-domain"),
        ({"by": "age"}, "Column 'age' has no public domain"),
        ({"privacy_unit": "who"}, "no column 'who'"),
        ({"domain": "[1, 2]"}, "holds integer values"),
        ({"domain": "{tables}/ages.csv"}, "none named 'sex'"),
        ({"domain": "{tables}/ages.csv#code"}, "has no column 'code'"),
        ({"domain": "{tables}/missing.parquet"}, "missing.parquet"),
        ({"input": "{tables}/missing.parquet"}, "missing.parquet"),
        ({"input": "no_such_table"}, "no_such_table"),
        ({"input": "{tables}/people.json"}, "needs a schema"),
        ({"domain": "{tables}/people.json"}, "is JSON, which has no fixed types"),
        ({"output": "{tables}/folder"}, "exists already"),
        ({"input": "bytes", "column": "b", "domain": '["00"]', "output": "{tables}/b.csv"}, "cannot hold the binary"),
    ],
)
def test_a_bad_call_ends_on_one_clear_line_and_writes_nothing(run, spark, tables, tmp_path, changes, says):
    spark.range(0).selectExpr("cast(null as binary) as b").createOrReplaceTempView("bytes")
    status, told, complained = run(**json.loads(json.dumps(changes).replace("{tables}", str(tables))))
    assert status == 2
    assert "Drawn" not in told
    assert complained.count("\n") == 1
    assert complained.startswith("dp_sample: error: ")
    assert says in complained
    assert not list(tmp_path.iterdir())


def test_a_failure_of_spark_ends_with_status_one_and_no_private_text(run, spark, tmp_path):
    spark.range(3).selectExpr("cast(raise_error('row 17') as string) as sex").createOrReplaceTempView("failing")
    status, _, complained = run(input="failing")
    assert status == 1
    assert complained.count("\n") == 1
    assert "row 17" not in complained
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif("config.getoption('--connect')", reason="spark-submit starts its own classic session")
@pytest.mark.parametrize("eps", ["1", "-1"])
def test_spark_submit_runs_it(tables, tmp_path, eps):
    from spark_dp.spark.local import local_environment

    command = [SUBMIT, "--master", "local[1]", "--conf", "spark.ui.enabled=false", ROOT / "jobs" / "dp_sample.py"]
    command += ["--input", tables / "people.parquet", "--column", "sex", "--domain", tables / "sexes.parquet"]
    command += ["--eps", eps, "--num-samples", "3", "--output", tmp_path / "sample"]
    environment = {**local_environment(os.environ), "SPARK_CONF_DIR": str(ROOT / "conf")}
    # Python's stderr comes out of spark-submit's stdout.
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if eps == "-1":
        assert done.returncode == 2
        told = [line for line in done.stdout.splitlines() if line.startswith("dp_sample: ")]
        assert len(told) == 1
        assert told[0].startswith("dp_sample: error: eps = -1 must be positive")
        assert not (tmp_path / "sample").exists()
    else:
        assert done.returncode == 0, done.stdout
        assert "1-differential privacy" in done.stdout
        assert "Traceback" not in done.stdout
        assert " WARN " not in done.stdout
        assert (tmp_path / "sample" / "_SUCCESS").exists()
