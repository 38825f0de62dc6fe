"""`spark-dp sample` and `histogram`, also as a job: what they read, write and tell, and how bad calls end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import spark_dp as dp
from spark_dp import cli
from spark_dp.errors import OutputError
from spark_dp.spark.local import local_environment

ROOT = Path(__file__).resolve().parents[2]
SUBMIT = Path(sys.executable).with_name("spark-submit")


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
def run(tables, tmp_path, capsys):
    """Runs the command in this session on a good call with changes; None leaves an option out, True has no value."""

    def run(command="sample", **changes):
        options = {
            "input": str(tables / "people.parquet"),
            "column": "sex",
            "domain": str(tables / "sexes.parquet"),
            "eps": "1",
            "num-samples": "6",
            "output": str(tmp_path / "sample.parquet"),
            **{name.replace("_", "-"): value for name, value in changes.items()},
        }
        argv = [command]
        for name, value in options.items():
            for one in value if isinstance(value, list) else [value]:
                argv += [] if one is None else [f"--{name}"] if one is True else [f"--{name}", one]
        with pytest.raises(SystemExit) as ended:
            cli.main(argv)
        status = ended.value.code
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
    assert status == 0, complained
    rows = spark.read.parquet(str(tmp_path / "sample.parquet")).collect()
    assert len(rows) == 6
    assert {row[0] if len(row) == 1 else tuple(row) for row in rows} <= values
    assert "1-differential privacy" in told
    assert f"Output:    {tmp_path}/sample.parquet" in told


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
    assert "Sample:    " + ", ".join(["q"] * 20) + ", … (5 more)" in told


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
        ({"num_samples": "1.5"}, "Invalid value for '--num-samples'"),
        ({"column": "sexx"}, "Did you mean 'sex'?"),
        ({"column": None}, "Missing option '--column'"),
        ({"domain": None}, "no public domain: the values that may come out must be known"),
        ({"domain": ["[1]", "[2]"]}, "1 --column and 2 --domain"),
        ({"domain": "[1, 2"}, "no JSON list"),
        ({"domain": "{1, 2"}, "This is not JSON"),
        ({"by": "age", "by_domain": ["[1]", "[2]"]}, "1 --by and 2 --by-domain"),
        ({"by": "age"}, "private rows. Give them with --by-domain"),
        ({"privacy_unit": "who"}, "no column 'who'"),
        ({"domain": "[1, 2]"}, "holds integer values"),
        ({"domain": "{tables}/ages.csv"}, "none named 'sex'"),
        ({"domain": "{tables}/ages.csv#code"}, "but none named 'code'"),
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
    assert told == ""
    assert says in " ".join(complained.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


def test_a_failure_of_spark_ends_with_status_one_and_no_private_text(run, spark, tmp_path):
    spark.range(3).selectExpr("cast(raise_error('row 17') as string) as sex").createOrReplaceTempView("failing")
    status, _, complained = run(input="failing")
    assert status == 1
    assert complained.count("\n") == 2
    assert "row 17" not in complained
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif("config.getoption('--connect')", reason="spark-submit starts its own classic session")
@pytest.mark.parametrize("eps", ["1", "-1"])
def test_spark_submit_runs_it(tables, tmp_path, eps):
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
        told = [line for line in done.stdout.splitlines() if line.startswith("spark-dp: ")]
        assert len(told) == 1
        assert told[0].startswith("spark-dp: error: eps = -1 must be positive")
        assert not (tmp_path / "sample").exists()
    else:
        assert done.returncode == 0, done.stdout
        assert "1-differential privacy" in done.stdout
        assert "Traceback" not in done.stdout
        assert " WARN " not in done.stdout
        assert (tmp_path / "sample" / "_SUCCESS").exists()


def test_what_is_not_written_is_printed_whole(run, tmp_path):
    told = run(output=None, domain='["q"]', num_samples="25")[1]
    assert "Sample:    " + ", ".join(["q"] * 25) + "\n" in told
    assert "more" not in told
    assert "How often each value was drawn:\n  q  " in told
    counts = run("histogram", output=None, num_samples=None, column="age", domain=json.dumps(list(range(40))))[1]
    assert counts.count("\n  ") == 40
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["sample", "histogram"])
def test_json_is_alone_on_stdout(run, command):
    draws = {"num_samples": None} if command == "histogram" else {}
    status, told, _ = run(command, output=None, domain='["f", "m"]', json=True, **draws)
    document = json.loads(told)
    assert status == 0
    assert document["guarantee"].startswith("1-differential privacy")
    assert document["release"]["columns"] == ["sex"]
    assert len(document["rows"]) == (2 if command == "histogram" else 6)
    assert {row["sex"] for row in document["rows"]} <= {"f", "m"}
    if command == "histogram":
        assert all(isinstance(row["noisy_count"], int) for row in document["rows"])


def test_json_beside_an_output_names_it(run, tmp_path):
    document = json.loads(run(json=True)[1])
    assert document["output"] == f"{tmp_path}/sample.parquet"
    assert "rows" not in document


def test_a_histogram_is_written(run, spark, tmp_path):
    assert run("histogram", num_samples=None, by=None)[0] == 0
    assert spark.read.parquet(str(tmp_path / "sample.parquet")).columns == ["sex", "noisy_count"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"num_samples": "1001"}, "more than the 1,000 that are printed. Say where to write them: --output."),
        ({"budget": "people"}, "--budget needs the ledger that keeps it"),
        ({"total": "3"}, "--total belongs to a budget"),
        ({"budget": "people", "ledger": "{folder}/none.db"}, "There is no ledger at"),
        ({"format": "xlsx"}, "'xlsx' is no format of tables"),
        ({"release_id": "a"}, "nothing here remembers it"),
    ],
)
def test_what_cannot_be_printed_or_paid_is_refused(run, tmp_path, changes, says):
    filled = {name: value.replace("{folder}", str(tmp_path)) for name, value in changes.items()}
    status, told, complained = run(output=None, **filled)
    assert (status, told) == (2, "")
    assert says in complained
    assert not list(tmp_path.iterdir())


def test_a_budget_is_charged_once_for_one_release(run, tmp_path):
    paid = {"ledger": str(tmp_path / "l.db"), "budget": "people", "release_id": "first", "output": None}
    first = run(total="1.5", **paid)
    assert first[0] == 0
    assert run(**paid)[1] == first[1]
    assert [(balance.spent, balance.remaining) for balance in dp.Ledger(tmp_path / "l.db").balances()] == [("1", "0.5")]
    status, told, complained = run(**{**paid, "release_id": "second"})
    assert (status, told) == (2, "")
    assert "has ε = 0.5 left of 1.5, and the release costs 1" in complained


def test_the_doctor_draws_a_sample(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["doctor", "--spark", "--json"])
    found = {finding["name"]: finding for finding in json.loads(capsys.readouterr().out)}
    assert (found["a sample"]["state"], ended.value.code) == ("ok", 0)
    assert "1 row drawn on Spark" in found["a sample"]["found"]


@pytest.mark.parametrize("as_json", [True, None])
def test_what_cannot_be_written_is_printed_since_it_was_paid_for(run, tmp_path, monkeypatch, as_json):
    def fail(*_arguments):
        raise OutputError("Spark cannot write to the disk, which is full")

    monkeypatch.setattr("spark_dp.spark.writing.write_files", fail)
    status, told, complained = run(domain='["q"]', json=as_json)
    assert status == 1
    assert "the disk, which is full" in complained
    if as_json:
        assert json.loads(told)["rows"] == [{"sex": "q"}] * 6
    else:
        assert "Sample:    q, q, q, q, q, q\n" in told
    assert not list(tmp_path.iterdir())
