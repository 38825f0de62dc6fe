"""The nightly job: planned as a whole, each release drawn once, killed anywhere and run again.

Would catch: a run that starts although a budget cannot pay, a release that is drawn or charged twice, output that is
there before it is whole, a failure that ends with status 0.
"""

import json
import signal
import subprocess
import sys

import dying
import pytest

import spark_dp as dp
from spark_dp import cli

POLICY = """\
ledger: FOLDER/ledger.db
datasets:
  people:
    path: FOLDER/people
    budget: {total: 3}
    columns:
      age: {bins: {lower: 0, upper: 100, count: 4}}
      city: {values: [here, there]}
  others:
    path: FOLDER/people
    budget: {total: 1}
    columns:
      city: {values: [here, there]}
"""

RELEASES = """\
policy: FOLDER/privacy.yaml
on_failure: continue
releases:
  - {id: "ages-{date}", dataset: people, columns: [age], eps: 1, num_samples: 40, path: "FOLDER/out/{date}/ages"}
  - {id: "cities-{date}", dataset: people, columns: [city], eps: 0.5, histogram: true, path: "FOLDER/out/{date}/cities"}
  - {id: "others-{date}", dataset: others, columns: [city], eps: 1, where: age > 50, path: "FOLDER/out/{date}/others"}
"""


@pytest.fixture
def lake(spark, tmp_path):
    spark.range(400).selectExpr(
        "cast(id % 100 AS double) AS age", "if(id % 3 = 0, 'here', 'there') AS city"
    ).write.parquet(f"{tmp_path}/people")
    for name, text in (("privacy", POLICY), ("releases", RELEASES)):
        (tmp_path / f"{name}.yaml").write_text(text.replace("FOLDER", str(tmp_path)))
    return tmp_path


@pytest.fixture
def job():
    """The command in this process, on the session of the tests."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main(["run", *arguments])
        return ended.value.code

    return run


def run(job, lake, *options):
    return job(str(lake / "releases.yaml"), "--date", "2026-11-30", *options)


def record(lake, name):
    return json.loads((lake / "out/2026-11-30" / name / "_release.json").read_text())


def spent(lake):
    return {balance.name: balance.spent for balance in dp.Ledger(lake / "ledger.db").balances()}


def test_a_run_writes_every_release_with_its_record(job, spark, lake, capsys):
    assert run(job, lake) == 0
    told = capsys.readouterr().out
    assert "Plan    people: ε = 1.5 of 3 left\nPlan    others: ε = 1 of 1 left\n[1/3] ages-2026-11-30 …\n" in told
    assert told.endswith("All 3 are written.\n")
    ages = spark.read.parquet(f"{lake}/out/2026-11-30/ages")
    assert ages.count() == 40
    assert ages.schema["age"].metadata["spark_dp"]["release_id"] == "ages-2026-11-30"
    assert [path.suffix for path in sorted((lake / "out/2026-11-30/ages").glob("part-*"))] == [".parquet"]
    kept = record(lake, "others")
    assert (kept["dataset"], kept["where"], kept["epsilon"]) == ("others", "age > 50", "1")
    assert kept["guarantee"].startswith("1-differential privacy")
    assert set(kept) == {*dp.Entry.__dataclass_fields__, "dataset", "where", "guarantee"}
    assert spent(lake) == {"people": "1.5", "others": "1"}
    assert sorted(path.name for path in (lake / "out/2026-11-30").iterdir()) == ["ages", "cities", "others"]


def test_a_second_run_changes_nothing_and_costs_nothing(job, spark, lake, capsys):
    run(job, lake)
    first = [row.age for row in spark.read.parquet(f"{lake}/out/2026-11-30/ages").collect()]
    before = (lake / "out/2026-11-30/ages/_release.json").stat().st_mtime_ns
    capsys.readouterr()
    assert run(job, lake) == 0
    told = capsys.readouterr().out
    assert "people: ε = 0 of 1.5 left, 2 charged by an earlier run" in told
    assert told.count("is already at") == 3
    assert (lake / "out/2026-11-30/ages/_release.json").stat().st_mtime_ns == before
    # What was lost is written again as it was drawn.
    import shutil

    shutil.rmtree(lake / "out")
    assert run(job, lake) == 0
    assert [row.age for row in spark.read.parquet(f"{lake}/out/2026-11-30/ages").collect()] == first
    assert spent(lake) == {"people": "1.5", "others": "1"}


def test_a_plan_runs_nothing(job, lake, capsys):
    assert run(job, lake, "--plan") == 0
    assert "Plan    people: ε = 1.5 of 3 left" in capsys.readouterr().out
    assert not (lake / "out").exists()
    assert spent(lake) == {"people": "0", "others": "0"}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("eps: 0.5", "eps: 2.5", "'people' has 3 left and needs 3.5. None was run"),
        (
            "columns: [city], eps: 1",
            "columns: [cty], eps: 1",
            ":6: releases.2: The policy has no column of 'others' 'cty'",
        ),
        ("where: age > 50", "where: rand() > 0", ":6: releases.2: WHERE cannot have 'RAND()'"),
        ("where: age > 50", "where: city > 50", ":6: releases.2: "),
        ("columns: [age]", "colums: [age]", ":4: releases.0.colums: there is no such key"),
        ("privacy.yaml", "none.yaml", "cannot be read"),
    ],
)
def test_a_run_that_cannot_end_well_does_not_begin(job, lake, capsys, old, new, says):
    path = lake / "releases.yaml"
    path.write_text(path.read_text().replace(old, new, 1))
    assert run(job, lake) == 2
    assert says in capsys.readouterr().err
    assert not (lake / "out").exists()


@pytest.mark.parametrize(("what", "written"), [("continue", ["cities", "others"]), ("stop", [])])
def test_a_failed_release_fails_the_run_that_goes_on_or_stops(job, lake, capsys, what, written):
    path = lake / "releases.yaml"
    path.write_text(path.read_text().replace("continue", what))
    (lake / "out/2026-11-30/ages").mkdir(parents=True)
    assert run(job, lake) == 1
    told = capsys.readouterr()
    assert "exists and holds no release 'ages-2026-11-30'. Move it away" in told.err
    assert "1 failed." in told.out
    found = sorted(path.name for path in (lake / "out/2026-11-30").iterdir() if path.name != "ages")
    assert found == written


def test_a_release_into_a_catalog_table(job, spark, lake):
    path = lake / "releases.yaml"
    path.write_text(path.read_text().replace(f'path: "{lake}/out/{{date}}/ages"', "table: 'nightly_{date}'"))
    try:
        assert run(job, lake) == 0
        assert spark.table("nightly_2026_11_30").count() == 40
        assert run(job, lake) == 0
        assert spark.table("nightly_2026_11_30").count() == 40
    finally:
        spark.sql("DROP TABLE IF EXISTS nightly_2026_11_30")


class Killed(BaseException):
    """What no handler of errors catches."""


def kill():
    raise Killed


@pytest.fixture
def classic(request):
    """Where a job ends has nothing to do with Connect, and takes its time."""
    if request.config.getoption("--connect"):
        pytest.skip("as on classic Spark")


@pytest.mark.usefixtures("classic")
@pytest.mark.parametrize("step", dying.STEPS)
def test_a_job_that_ends_at_any_step_is_one_release_when_it_is_run_again(job, lake, monkeypatch, step):
    alone(lake)
    with monkeypatch.context() as broken:
        dying.prepare(step, kill, broken.setattr)
        with pytest.raises(Killed):
            run(job, lake)
    check_run_again(job, lake, step)


@pytest.mark.usefixtures("classic")
@pytest.mark.parametrize("step", ["after the draw", "before the rename"])
def test_a_process_that_is_killed_leaves_the_same_behind(job, lake, step):
    alone(lake)
    command = [sys.executable, dying.__file__, step, str(lake / "releases.yaml"), "--date", "2026-11-30"]
    killed = subprocess.run(command, capture_output=True, text=True, cwd=lake, check=False, timeout=180)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    check_run_again(job, lake, step)


def alone(lake):
    """Leave the first release alone in the file."""
    path = lake / "releases.yaml"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:4]))


def check_run_again(job, lake, step):
    """Whatever there is to see is whole; and after another run there is one release, charged once."""
    assert (lake / "out/2026-11-30/ages").exists() == (step == "after the rename")
    stored = [charge.state for charge in dp.Ledger(lake / "ledger.db").history()]
    place = dying.STEPS.index(step)
    assert stored == ([] if place == 0 else ["reserved"] if place < 4 else ["released"])
    assert run(job, lake) == 0
    assert record(lake, "ages")["release_id"] == "ages-2026-11-30"
    (charge,) = dp.Ledger(lake / "ledger.db").history()
    assert (charge.state, charge.cost) == ("released", "1")
