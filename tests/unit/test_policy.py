"""Policy files: each mistake is told with file, line and key, and nothing is read as what it is not."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import spark_dp as dp
from spark_dp.errors import PolicyError
from spark_dp.policy.loading import read_file, read_policy
from spark_dp.policy.model import Policy
from spark_dp.policy.nightly import Releases, read_releases
from spark_dp.policy.yaml_lines import load

ROOT = Path(__file__).parents[2]

GOOD = """\
ledger: ledger.db
datasets:
  visits:
    table: health.visits
    privacy_unit: patient
    relation: add-remove
    budget: {total: 3, each: {week: 0.5}}
    methods: [auto, histogram]
    max_epsilon: 0.5
    columns:
      region: {values: [NO, SE, 02134, 12:30, yes]}
      age: {bins: {lower: 0, upper: 120, count: 24, outside: clip}}
      year: {integers: {low: 1990, high: 2030}}
      day: {dates: {start: 2013-01-01, end: 2013-12-31}}
      code: {reference: {path: /codes, column: icd}}
"""


def policy(tmp_path, text):
    path = tmp_path / "p.yaml"
    path.write_text(text)
    return read_policy(path)[0]


def told(tmp_path, text):
    with pytest.raises(PolicyError) as error:
        policy(tmp_path, text)
    return str(error.value).replace(str(tmp_path) + "/", "")


def test_a_policy_is_read(tmp_path):
    visits = policy(tmp_path, GOOD).datasets["visits"]
    assert (visits.table, visits.privacy_unit, visits.relation) == ("health.visits", "patient", "add-remove")
    assert (visits.budget.total, visits.budget.period) == (3, ("0.5", "week"))
    assert visits.max_epsilon == Decimal("0.5")
    axes = {name: part.axis() for name, part in visits.columns.items()}
    assert axes["region"] == dp.Values(["NO", "SE", "02134", "12:30", "yes"])
    assert axes["age"].to_json() == dp.Bins(0, 120, 24, outside="clip").to_json()
    assert axes["year"] == dp.Integers(1990, 2030)
    assert axes["day"] == dp.Dates(date(2013, 1, 1), date(2013, 12, 31))
    assert axes["code"] is None
    assert visits.columns["code"].reference.column == "icd"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("table:", "tabel:", "p.yaml:4: datasets.visits.tabel: there is no such key. Did you mean 'table'?"),
        ("columns:", "column:", "p.yaml:10: datasets.visits.column: there is no such key. Did you mean 'columns'?"),
        ("table: health.visits", "table: a\n    path: b", "p.yaml:3: datasets.visits: give either table"),
        ("    table: health.visits\n", "", "p.yaml:3: datasets.visits: give either table"),
        ("{total: 3,", "{total: three,", "p.yaml:7: datasets.visits.budget.total: "),
        ("{total: 3,", "{total: -3,", "p.yaml:7: datasets.visits.budget.total: A budget of '-3' is no amount"),
        ("{total: 3, each", "{each", "p.yaml:7: datasets.visits.budget.total: this key is missing."),
        ("week: 0.5", "weak: 0.5", "p.yaml:7: datasets.visits.budget.each"),
        ("week: 0.5", "week: 0.5, day: 1", "p.yaml:7: datasets.visits.budget.each"),
        ("add-remove", "add", "p.yaml:6: datasets.visits.relation: Input should be 'any', 'replace' or 'add-remove'."),
        ("[auto, histogram]", "[roulette]", "methods has 'roulette'; known are"),
        ("max_epsilon: 0.5", "max_epsilon: 99", "p.yaml:9: datasets.visits.max_epsilon: eps = 99 protects nobody"),
        ("[NO, SE,", "[NO, NO,", "p.yaml:11: datasets.visits.columns.region: The domain lists 'NO' more than once"),
        ("[NO, SE,", "[NO, 7,", "p.yaml:11: datasets.visits.columns.region: The domain mixes"),
        ("count: 24", "cuont: 24", "p.yaml:12: datasets.visits.columns.age.bins.cuont: there is no such key."),
        ("upper: 120", "upper: -1", "p.yaml:12: datasets.visits.columns.age: "),
        ("low: 1990", "low: 2031", "p.yaml:13: datasets.visits.columns.year: Integers(2031, 2030) holds no number"),
        (
            "low: 1990",
            "low: '1990'",
            "p.yaml:13: datasets.visits.columns.year.integers.low: Input should be a valid int",
        ),
        ("2013-01-01", "2013-02-30", "p.yaml:14: this is no YAML: '2013-02-30' is no date."),
        ("2013-01-01", "someday", "p.yaml:14: datasets.visits.columns.day.dates.start: Input should be a valid date."),
        ("{reference:", "{values: [1], reference:", "p.yaml:15: datasets.visits.columns.code: give one of values"),
        ("{reference: {path: /codes, column: icd}}", "{}", "p.yaml:15: datasets.visits.columns.code: give one of"),
        ("ledger: ledger.db", "ledger: [a]", "p.yaml:1: ledger: Input should be a valid string."),
        ("  visits:", "  visits: 7\n  others:", "p.yaml:3: datasets.visits: Input should be"),
        (
            "    privacy_unit: patient\n",
            "    table: other\n",
            "p.yaml:5: datasets.visits.table: this key stands twice.",
        ),
        ("ledger: ledger.db", "ledger: [", "this is no YAML"),
        ("ledger: ledger.db", "ledger: !!python/object/apply:os.system [ls]", "p.yaml:1: this is no YAML"),
        (GOOD, "", "p.yaml:1: the file is empty."),
        (GOOD, "datasets: {}", "p.yaml:1: datasets: "),
        (GOOD, "7", "p.yaml:1: the file: "),
    ],
)
def test_a_mistake_is_told_with_its_line_and_key(tmp_path, old, new, says):
    assert old in GOOD
    assert says in told(tmp_path, GOOD.replace(old, new, 1))


def test_all_mistakes_are_told_at_once(tmp_path):
    found = told(tmp_path, GOOD.replace("add-remove", "add").replace("count:", "cuont:").replace("ledger:", "leger:"))
    assert [line.split(":")[1] for line in found.splitlines()] == ["1", "6", "12"]


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(PolicyError, match="cannot be read: No such file"):
        read_policy(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes("größe: 1".encode("latin-1"))
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy(tmp_path / "latin.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("no", "no"), ("Yes", "Yes"), ("on", "on"), ("010", "010"), ("0x1F", "0x1F"), ("1_000", "1_000")),
        *(("12:30:45", "12:30:45"), (".5", ".5"), ("1.", "1."), ("+1", "+1"), ("True", "True"), ("'7'", "7")),
        *((".inf", ".inf"), ("NULL", "NULL"), ("=", "="), ("true", True), ("~", None), ("-7", -7), ("0", 0)),
        *(("1.50", Decimal("1.50")), ("1e3", Decimal(1000)), ("-0.1", Decimal("-0.1"))),
        ("2013-06-01", date(2013, 6, 1)),
    ],
)
def test_only_what_looks_like_a_number_is_one(text, value):
    found = load(f"x: {text}", "f").content["x"]
    assert (found, type(found)) == (value, type(value))


def test_the_schema_for_editors_is_that_of_the_code():
    written = json.loads((ROOT / "conf" / "privacy.schema.json").read_text())
    assert written == Policy.model_json_schema()


def test_the_files_of_the_project_are_right():
    assert list(read_policy(ROOT / "conf" / "privacy.yaml")[0].datasets) == ["flights"]
    listed, _ = read_releases(ROOT / "conf" / "releases.yaml", date(2026, 11, 30))
    assert listed.releases[0].id == "carriers-2026-11-30"
    assert listed.releases[0].path == "build/demo/releases/2026-11-30/carriers"


RELEASE = "{id: a, dataset: d, columns: [c], eps: 1, path: p}"


@pytest.mark.parametrize(
    ("releases", "says"),
    [
        (f"[{RELEASE}, {RELEASE.replace('path: p', 'path: q')}]", "two releases have the id 'a'"),
        (f"[{RELEASE}, {RELEASE.replace('id: a', 'id: b')}]", "two releases have the place 'p'"),
        (f"[{RELEASE.replace('path: p', 'path: p, table: t')}]", "give either path or table"),
        (f"[{RELEASE.replace(', path: p', '')}]", "give either path or table"),
        (f"[{RELEASE.replace('eps: 1', 'eps: 0')}]", r"releases.0.eps: eps = 0 must be positive"),
        (f"[{RELEASE.replace('eps: 1', 'eps: 1, histogram: true, by: [x]')}]", "a histogram has no method"),
        (f"[{RELEASE.replace('dataset', 'dateset')}]", "Did you mean 'dataset'"),
        ("[]", "releases: "),
    ],
)
def test_a_list_of_releases_is_checked_as_well(tmp_path, releases, says):
    (tmp_path / "r.yaml").write_text(f"policy: p.yaml\nreleases: {releases}\n")
    with pytest.raises(PolicyError, match=says):
        read_file(tmp_path / "r.yaml", Releases)
