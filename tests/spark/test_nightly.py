"""The nightly job: planned as a whole, each release drawn once, killed anywhere and run again.

Would catch: a run that starts although a budget cannot pay, a release that is drawn or charged twice, output that is
there before it is whole, a failure that ends with status 0.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import spark_dp as dp

ROOT = Path(__file__).parents[2]
KILLER = Path(__file__).with_name("killed_release.py")

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
def job(monkeypatch):
    """The job in this process, on the session of the tests."""
    monkeypatch.syspath_prepend(str(ROOT / "jobs"))
    import release

    return release


def run(job, lake, *options):
    return job.main([str(lake / "releases.yaml"), "--date", "2026-11-30", *options])


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
    path.write_text(path.read_text().replace(f'path: "{lake}/out/{{date}}/ages"', "table: nightly_ages"))
    try:
        assert run(job, lake) == 0
        assert spark.table("nightly_ages").count() == 40
        assert run(job, lake) == 0
        assert spark.table("nightly_ages").count() == 40
    finally:
        spark.sql("DROP TABLE IF EXISTS nightly_ages")


STEPS = [
    "before reserve",
    "after reserve",
    "while counting",
    "after the draw",
    "after commit",
    "while writing",
    "before the record",
    "before the rename",
    "after the rename",
]


@pytest.mark.parametrize("step", STEPS)
def test_a_job_that_was_killed_at_any_step_is_one_release_when_it_is_run_again(lake, step):
    """In processes of their own, the first of which is killed where the step says."""
    path = lake / "releases.yaml"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:4]))

    def killed(at):
        command = [sys.executable, str(KILLER), at, str(path), "--date", "2026-11-30"]
        return subprocess.run(
            command, capture_output=True, text=True, env=os.environ, cwd=lake, check=False, timeout=180
        )

    assert killed(step).returncode == -9
    out = lake / "out/2026-11-30/ages"
    # Whatever there is to see is whole.
    assert out.exists() == (step == "after the rename")
    stored = [charge.state for charge in dp.Ledger(lake / "ledger.db").history()]
    again = killed("never")
    assert again.returncode == 0, again.stderr
    assert record(lake, "ages")["release_id"] == "ages-2026-11-30"
    (charge,) = dp.Ledger(lake / "ledger.db").history()
    assert (charge.state, charge.cost) == ("released", "1")
    assert stored in ([], ["reserved"], ["released"])
