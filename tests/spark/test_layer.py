"""The privacy layer: what the policy allows is answered and charged, anything else is refused and costs nothing.

Would catch: a domain or relation that is not the policy's, an answer over the wrong rows, a refusal after the charge
or one that depends on rows, a text that reaches Spark.
"""

import json

import pytest

import spark_dp as dp
from spark_dp.errors import (
    ArgumentError,
    BudgetError,
    ColumnError,
    EpsilonError,
    LedgerError,
    MethodError,
    NumSamplesError,
    PolicyError,
    QueryError,
    RelationError,
)

POLICY = """\
ledger: LEDGER
datasets:
  flights:
    path: FOLDER/flights
    relation: add-remove
    budget: {total: 500}
    max_epsilon: 50
    columns:
      dest: {reference: {path: FOLDER/airports, column: faa}}
      month: {integers: {low: 1, high: 12}}
      delay: {bins: {lower: 0, upper: 60, count: 6}}
      region: {values: [north, south, west]}
  visits:
    path: FOLDER/flights
    format: parquet
    privacy_unit: person
    budget: {total: 60, each: {day: 50}}
    methods: [ss-roo]
    columns:
      dest: {values: [ATL]}
  counted:
    path: FOLDER/flights
    relation: replace
    budget: {total: 1}
    columns:
      dest: {values: [ATL, ORD]}
"""


@pytest.fixture(scope="module")
def folder(spark, tmp_path_factory):
    """900 flights of 30 persons: those of June go to ORD, all others to ATL."""
    found = tmp_path_factory.mktemp("lake")
    columns = [
        "if(id % 12 = 5, 'ORD', 'ATL') AS dest",
        "cast(1 + id % 12 AS int) AS month",
        "cast(id % 60 AS double) AS delay",
        "if(id % 2 = 0, 'north', 'south') AS region",
        "id % 30 AS person",
        "cast(null AS string) AS secret",
    ]
    spark.range(900).selectExpr(*columns).write.parquet(f"{found}/flights")
    spark.sql("SELECT * FROM VALUES ('ATL'), ('ORD'), ('JFK') AS t(faa)").write.parquet(f"{found}/airports")
    return found


@pytest.fixture(scope="module")
def unasked(spark, folder):
    """A layer of which nothing that is asked may be answered."""
    path = folder / "privacy.yaml"
    path.write_text(POLICY.replace("FOLDER", str(folder)).replace("LEDGER", f"{folder}/ledger.db"))
    return dp.PrivacyLayer.from_file(path, spark)


@pytest.fixture
def written(folder, tmp_path):
    def write(old="", new=""):
        assert old in POLICY
        text = POLICY.replace(old, new, 1) if old else POLICY
        path = tmp_path / "privacy.yaml"
        path.write_text(text.replace("FOLDER", str(folder)).replace("LEDGER", f"{tmp_path}/ledger.db"))
        return path

    return write


@pytest.fixture
def layer(spark, written):
    return dp.PrivacyLayer.from_file(written(), spark)


def values(frame):
    return [tuple(row) for row in frame.collect()]


def test_a_sample_has_the_policy_s_domain_and_relation_and_is_charged(layer):
    sample = layer.sample("flights", "dest", 50, "ss-roo", num_samples=3)
    assert set(values(sample)) <= {("ATL",), ("ORD",), ("JFK",)}
    record = sample.schema["dest"].metadata["spark_dp"]
    assert (record["relation"], record["k"], record["num_samples"]) == ("add-remove", 3, 3)
    assert layer.budget("flights").spent == "50"


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (None, 900),
        ("month = 6", 75),
        ("month = 6 AND region = 'south'", 75),
        ("month = 6 AND region = 'north'", 0),
        ("dest = 'ORD' OR month IN (1, 2)", 225),
        ("person < 3", 90),
        ("secret IS NOT NULL", 0),
        ("try_cast(dest AS INT) IS NULL", 900),
    ],
)
def test_only_the_rows_of_which_the_condition_holds_are_asked(layer, where, expected):
    counts = layer.histogram("flights", "dest", 50, where=where)
    # λ = 1/50: noise of any size has probability e^-50.
    assert sum(row.noisy_count for row in counts.collect()) == expected


def test_sql_gives_what_the_call_gives(layer):
    assert (
        values(layer.sql("SELECT DP_SAMPLE(dest, 50.0, 'ss-roo', 20) FROM flights WHERE month = 6")) == [("ORD",)] * 20
    )
    counts = layer.sql("SELECT DP_HISTOGRAM(region, 50) FROM flights")
    assert values(counts.orderBy("region")) == [("north", 450), ("south", 450), ("west", 0)]
    jointly = layer.sql("SELECT DP_HISTOGRAM(region, dest, 50) FROM flights f WHERE f.month = 6")
    assert {row[:2]: row[2] for row in values(jointly)}["south", "ORD"] == 75


def test_sql_names_and_orders_the_columns(layer):
    groups = layer.sql(
        "SELECT DP_SAMPLE(dest, month, 50, 'auto', 2), region FROM flights WHERE month = 6 GROUP BY region"
    )
    assert groups.columns == ["dest", "month", "region"]
    assert [row for row in values(groups) if row[2] == "south"] == [("ORD", 6, "south")] * 2
    assert {row[2] for row in values(groups)} == {"north", "south", "west"}
    named = layer.sql("SELECT DP_SAMPLE(dest, 50) AS destination, region FROM flights GROUP BY region")
    assert named.columns == ["destination", "region"]
    assert {row.destination for row in named.collect()} <= {"ATL", "ORD", "JFK"}
    assert named.schema["destination"].metadata["spark_dp"]["by"] == ["region"]
    alone = layer.sql("SELECT DP_SAMPLE(dest, 50) FROM flights GROUP BY region")
    assert (alone.columns, alone.count()) == (["dest"], 3)


def test_units_and_bins_of_the_policy(layer):
    sample = layer.sample("visits", "dest", 50, "ss-roo")
    assert sample.schema["dest"].metadata["spark_dp"]["privacy_unit"] == "person"
    points = layer.sample("flights", "delay", 50, "perturbed-histogram", num_samples=50, where="month = 1")
    assert all(0 <= row.delay < 60 for row in points.collect())


REFUSED = [
    ({"dataset": "flight"}, PolicyError, "no dataset 'flight'. Did you mean 'flights'"),
    ({"col": "secret"}, PolicyError, "no column of 'flights' 'secret'"),
    ({"col": "person"}, PolicyError, "no column of 'flights' 'person'"),
    ({"by": "person"}, PolicyError, "no column of 'flights' 'person'"),
    ({"col": 7}, ColumnError, "must be the name"),
    ({"eps": 0}, EpsilonError, "positive"),
    ({"eps": "50.000001"}, EpsilonError, "protects nobody"),
    ({"method": "rooo"}, MethodError, "roo"),
    ({"method": "subrr"}, RelationError, "replace"),
    ({"num_samples": 0}, NumSamplesError, "num_samples"),
    ({"where": "rand() < 1"}, QueryError, "RAND"),
    ({"where": "secret = 1"}, QueryError, "fails for some"),
    ({"where": "nothing = 1"}, ColumnError, "no column 'nothing'"),
    ({"where": "month = 6 LIMIT 1"}, QueryError, "cannot be read"),
    ({"where": 6}, QueryError, "is a text"),
    ({"release_id": ""}, ArgumentError, "release_id"),
    ({"dataset": "visits", "method": "roo"}, PolicyError, "does not allow the method 'roo' for 'visits', only"),
    ({"dataset": "counted", "where": "month = 6"}, PolicyError, "number of rows of 'counted' is public"),
]


@pytest.mark.parametrize(("change", "kind", "says"), REFUSED)
def test_a_refusal_reads_nothing_and_costs_nothing(unasked, monkeypatch, change, kind, says):
    from spark_dp.spark import counting, files

    def touched(*_arguments):
        raise AssertionError("rows were read")

    for module, name in ((counting, "arrow_table"), (files, "count_parquet")):
        monkeypatch.setattr(module, name, touched)
    call = {"dataset": "flights", "col": "dest", "eps": 1, **change}
    with pytest.raises(kind, match=says.replace("(", r"\(")):
        unasked.sample(**call)
    told = unasked.problem(**call, histogram=False)
    assert told is not None
    assert all(unasked.budget(name).spent == "0" for name in unasked.policy.datasets)


def test_what_would_be_answered_is_no_problem_and_costs_nothing(unasked):
    assert unasked.problem(dataset="flights", col="dest", eps=1, where="month = 6", histogram=False) is None
    assert unasked.problem(dataset="flights", col=["dest", "month"], eps=1, histogram=True) is None
    assert unasked.budget("flights").spent == "0"


def test_the_largest_epsilon_of_a_release_and_of_a_day(spark, written):
    small = dp.PrivacyLayer.from_file(written("max_epsilon: 50", "max_epsilon: 0.5"), spark)
    with pytest.raises(PolicyError, match=r"at most ε = 0\.5, not 0\.500000001"):
        small.sql("SELECT DP_SAMPLE(dest, 0.500000001) FROM flights")
    small.sql("SELECT DP_SAMPLE(dest, 0.50) FROM flights")
    small.sample("visits", "dest", 30, "ss-roo")
    with pytest.raises(BudgetError, match="ε = 20 left of 50 in the day"):
        small.sample("visits", "dest", 30, "ss-roo")


def test_the_name_of_a_release_belongs_to_its_rows_too(layer):
    first = layer.sql("SELECT DP_SAMPLE(month, 1, 'auto', 40) FROM flights WHERE region = 'north'", release_id="r")
    again = layer.sample("flights", "month", 1, num_samples=40, where="'north'  = region", release_id="other")
    assert layer.budget("flights").spent == "2"
    again = layer.sample("flights", "month", "1.0", num_samples=40, where="(region = 'north')", release_id="r")
    assert values(again) == values(first)
    with pytest.raises(BudgetError, match="other arguments"):
        layer.sample("flights", "month", 1, num_samples=40, where="region = 'south'", release_id="r")
    assert layer.budget("flights").spent == "2"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("path: FOLDER/flights", "path: FOLDER/none", r":4: datasets\.flights\.path: Spark cannot read"),
        ("path: FOLDER/flights", "table: no.such_table", r":4: datasets\.flights\.table: Spark cannot read"),
        ("privacy_unit: person", "privacy_unit: persn", r":16: datasets\.visits\.privacy_unit: .*no column 'persn'"),
        ("month: {integers", "mnth: {integers", r":10: datasets\.flights\.columns\.mnth: .*no column 'mnth'"),
        ("[north, south, west]", "[1, 2]", r":12: datasets\.flights\.columns\.region: "),
        ("FOLDER/airports", "FOLDER/nowhere", r":9: datasets\.flights\.columns\.dest: Spark cannot read"),
        ("column: faa", "column: code", r":9: datasets\.flights\.columns\.dest: The table has the columns \['faa'\]"),
        ("{low: 1, high: 12}", "{low: 1, high: 3000000000}", r":10: datasets\.flights\.columns\.month: "),
        ("ledger: LEDGER\n", "", r":1: the file: there is no ledger"),
    ],
)
def test_what_in_the_file_does_not_fit_the_tables_is_told_with_its_line(spark, written, old, new, says):
    path = written(old, new)
    with pytest.raises(PolicyError, match=says):
        dp.PrivacyLayer.from_file(path, spark)


def test_another_ledger_and_changed_amounts(spark, written, tmp_path):
    dp.PrivacyLayer.from_file(written(), spark).budget("flights")
    changed = dp.PrivacyLayer.from_file(written("{total: 500}", "{total: 900}"), spark)
    with pytest.raises(BudgetError, match="kept as ε = 500 in all, not as ε = 900 in all"):
        changed.sample("flights", "dest", 1)
    other = dp.PrivacyLayer.from_file(
        written("{total: 500}", "{total: 900}"), spark, ledger=dp.Ledger(tmp_path / "o.db")
    )
    assert other.budget("flights").total == "900"
    with pytest.raises(LedgerError, match="There is no folder for the ledger"):
        dp.PrivacyLayer.from_file(written(), spark, ledger=tmp_path / "none" / "l.db")


def test_the_ledger_holds_public_facts_alone(layer, tmp_path):
    import sqlite3

    layer.sample("flights", "dest", 1, where="month = 6", num_samples=2)
    with sqlite3.connect(tmp_path / "ledger.db") as connection:
        ((entry, answer),) = connection.execute("SELECT entry, answer FROM spark_dp_release").fetchall()
    assert set(json.loads(answer)) == {"values", "key", "entry"}
    assert set(json.loads(entry)) == set(dp.Entry.__dataclass_fields__)
    assert 75 not in json.loads(entry).values()
