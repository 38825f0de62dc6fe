"""The Databricks bundle: what it names is there, and the job understands its parameters."""

import fnmatch
import importlib.metadata
import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

yaml = pytest.importorskip("yaml")
pytest.importorskip("typer")

ROOT = Path(__file__).parents[2]
CONF = ROOT / "conf"
BUNDLE = yaml.safe_load((CONF / "databricks.yml").read_text())
(JOB,) = BUNDLE["resources"]["jobs"].values()
(TASK,) = JOB["tasks"]
(ENVIRONMENT,) = JOB["environments"]


def filled(text, target):
    """A parameter as the job gets it on a day of that target."""
    variables = {name: variable["default"] for name, variable in BUNDLE["variables"].items()}
    variables |= BUNDLE["targets"][target].get("variables", {})
    parameters = {parameter["name"]: parameter["default"] for parameter in JOB["parameters"]}
    text = re.sub(r"\$\{var\.(\w+)\}", lambda found: variables[found[1]], text)
    text = re.sub(r"\{\{job\.parameters\.(\w+)\}\}", lambda found: parameters[found[1]], text)
    return text.replace("{{job.start_time.iso_date}}", "2026-11-30")


def parameters(target):
    return [filled(text, target) for text in TASK["spark_python_task"]["parameters"]]


@pytest.fixture
def job(monkeypatch):
    """The module of the task, on something like Databricks, and what it calls."""
    monkeypatch.syspath_prepend(str(ROOT / "jobs"))
    import release_databricks

    secrets = SimpleNamespace(get=lambda *, scope, key: f"the secret {key} of {scope}")
    runtime = ModuleType("databricks.sdk.runtime")
    runtime.dbutils = SimpleNamespace(secrets=secrets)
    for name in ("databricks", "databricks.sdk"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "databricks.sdk.runtime", runtime)
    monkeypatch.setenv("PGPASSWORD", "")  # so that it is put back
    return release_databricks


def test_every_path_is_there():
    assert (CONF / TASK["spark_python_task"]["python_file"]).resolve() == ROOT / "jobs" / "release_databricks.py"
    folders = [(CONF / path).resolve() for path in BUNDLE["sync"]["paths"]]
    assert folders == [CONF, ROOT / "jobs"]
    assert all(folder.is_dir() for folder in folders)


def test_the_environment_has_the_wheel_of_make_dist_with_extras_that_exist():
    assert TASK["environment_key"] == ENVIRONMENT["environment_key"]
    (wheel,) = ENVIRONMENT["spec"]["dependencies"]
    pattern, extras = re.fullmatch(r"\.\./(dist/.+\.whl)\[(.+)\]", wheel).groups()
    from spark_dp import __version__

    assert fnmatch.fnmatch(f"dist/spark_dp-{__version__}-py3-none-any.whl", pattern)
    assert set(extras.split(",")) <= set(importlib.metadata.metadata("spark-dp").get_all("Provides-Extra"))
    assert {"cli", "layer"} <= set(extras.split(","))


@pytest.mark.parametrize("target", BUNDLE["targets"])
def test_the_job_takes_the_password_and_passes_the_rest_on(target, job, monkeypatch):
    called = []
    monkeypatch.setattr(job, "command", lambda arguments: called.append((arguments, os.environ["PGPASSWORD"])))
    job.main(parameters(target))
    scope = {"dev": "spark_dp_dev", "prod": "spark_dp"}[target]
    file = filled("${var.releases}", target)
    assert called == [(["run", "--date", "2026-11-30", file], f"the secret ledger of {scope}")]


def test_the_rest_is_understood_by_the_release_job():
    """Told by what it complains about: the file that is not there, and not an option."""
    rest = parameters("prod")[2:]
    date.fromisoformat(rest[1])

    def told(*more):
        command = [sys.executable, str(ROOT / "jobs" / "release.py"), *rest, *more]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)

    ran = told()
    assert ran.returncode == 2
    assert rest[-1] in ran.stderr.replace("\n", "")
    assert "--date" not in ran.stderr
    assert "--no-such-option" in told("--no-such-option").stderr


@pytest.mark.parametrize("status", [0, None])
def test_a_run_that_ends_well_ends_without_an_exception(status, job, monkeypatch):
    def ends(_arguments):
        raise SystemExit(status)

    monkeypatch.setattr(job, "command", ends)
    job.main(parameters("dev"))


@pytest.mark.parametrize("status", [1, 2])
def test_a_run_that_fails_fails_the_task(status, job, monkeypatch):
    def ends(_arguments):
        raise SystemExit(status)

    monkeypatch.setattr(job, "command", ends)
    with pytest.raises(RuntimeError, match=f"status {status}"):
        job.main(parameters("dev"))


@pytest.mark.parametrize("place", ["ledger", "/ledger", "spark_dp/"])
def test_a_secret_has_a_scope_and_a_key(place, job, capsys):
    with pytest.raises(SystemExit):
        job.main(["--password-from", place, "releases.yaml"])
    assert "SCOPE/KEY" in capsys.readouterr().err


def test_only_production_runs_by_itself():
    modes = {name: (target["mode"], target["presets"]) for name, target in BUNDLE["targets"].items()}
    assert modes == {
        "dev": ("development", {"trigger_pause_status": "PAUSED"}),
        "prod": ("production", {"trigger_pause_status": "UNPAUSED"}),
    }
    assert JOB["max_concurrent_runs"] == 1


def test_no_secret_and_no_placeholder_is_written_down():
    text = (CONF / "databricks.yml").read_text()
    assert not re.search(r"(?i)<[a-z-]+>|example\.(com|org)|TODO|\bhost:|token:", text)
    assert "user_name" not in text
