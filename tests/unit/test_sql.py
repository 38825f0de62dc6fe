"""The SQL front: what is refused, what is answered, and that what was read is what was meant.

Would catch: a clause that is dropped in silence, a column that leaves raw, a name that only looks like a known one,
a text that reaches Spark, a constant that loses a digit.
"""

import string
from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_dp.conditions import check, names, tree, written
from spark_dp.conditions.tree import (
    AllOf,
    AnyOf,
    Arithmetic,
    Compared,
    Constant,
    Function,
    Like,
    Missing,
    Named,
    Not,
    Tried,
    Within,
)
from spark_dp.domain import ColumnType
from spark_dp.errors import QueryError
from spark_dp.policy import sql, where

GOOD = "SELECT DP_SAMPLE(dest, 1.0) FROM flights"

#: Texts that must be refused, by what is wrong with them.
REFUSED = {
    "several statements": """
        SELECT DP_SAMPLE(dest, 1) FROM flights; SELECT * FROM flights
        SELECT DP_SAMPLE(dest, 1) FROM flights; DROP TABLE flights
        SELECT DP_SAMPLE(dest, 1) FROM flights;; SELECT 1
        SET spark.sql.ansi.enabled = false; SELECT DP_SAMPLE(dest, 1) FROM flights
        SELECT DP_SAMPLE(dest, 1) FROM flights /* ; */ ; DELETE FROM flights
        """,
    "not a SELECT": """
        DROP TABLE flights
        DELETE FROM flights WHERE dest = 'ATL'
        INSERT INTO flights SELECT DP_SAMPLE(dest, 1) FROM flights
        CREATE TABLE t AS SELECT DP_SAMPLE(dest, 1) FROM flights
        CREATE VIEW v AS SELECT dest FROM flights
        UPDATE flights SET dest = 'x'
        MERGE INTO flights USING t ON true WHEN MATCHED THEN DELETE
        EXPLAIN SELECT DP_SAMPLE(dest, 1) FROM flights
        DESCRIBE flights
        SHOW TABLES
        USE other
        CACHE TABLE flights
        VALUES (1), (2)
        TABLE flights
        CALL something()
        GRANT SELECT ON flights TO someone
        TRUNCATE TABLE flights
        ALTER TABLE flights ADD COLUMN x INT
        """,
    "WITH, set operations": """
        WITH f AS (SELECT * FROM flights) SELECT DP_SAMPLE(dest, 1) FROM f
        WITH flights AS (SELECT 'secret' AS dest) SELECT DP_SAMPLE(dest, 1) FROM flights
        SELECT DP_SAMPLE(dest, 1) FROM flights UNION SELECT dest FROM flights
        SELECT DP_SAMPLE(dest, 1) FROM flights UNION ALL SELECT DP_SAMPLE(dest, 1) FROM flights
        SELECT DP_SAMPLE(dest, 1) FROM flights EXCEPT SELECT dest FROM flights
        SELECT DP_SAMPLE(dest, 1) FROM flights INTERSECT SELECT dest FROM flights
        (SELECT DP_SAMPLE(dest, 1) FROM flights)
        SELECT * FROM (SELECT DP_SAMPLE(dest, 1) FROM flights)
        """,
    "raw columns": """
        SELECT dest FROM flights
        SELECT * FROM flights
        SELECT flights.* FROM flights
        SELECT dest, DP_SAMPLE(dest, 1) FROM flights
        SELECT DP_SAMPLE(dest, 1), * FROM flights
        SELECT DP_SAMPLE(dest, 1), month FROM flights
        SELECT dest AS DP_SAMPLE FROM flights
        SELECT dest DP_SAMPLE FROM flights
        SELECT dest AS `DP_SAMPLE(dest, 1)` FROM flights
        SELECT region AS x, DP_SAMPLE(dest, 1) FROM flights GROUP BY region
        SELECT month, DP_SAMPLE(dest, 1) FROM flights GROUP BY region
        SELECT region, region, DP_SAMPLE(dest, 1) FROM flights GROUP BY region
        SELECT COUNT(*), DP_SAMPLE(dest, 1) FROM flights
        SELECT MAX(dest) FROM flights
        SELECT COUNT(*) FROM flights
        SELECT 1, DP_SAMPLE(dest, 1) FROM flights
        SELECT UPPER(DP_SAMPLE(dest, 1)) FROM flights
        SELECT DP_SAMPLE(dest, 1) || dest FROM flights
        SELECT DP_SAMPLE(dest, 1) + 1 FROM flights
        SELECT CASE WHEN true THEN DP_SAMPLE(dest, 1) END FROM flights
        SELECT STRUCT(dest, DP_SAMPLE(dest, 1)) FROM flights
        SELECT (SELECT dest FROM flights) FROM flights
        SELECT DP_SAMPLE(dest, 1), DP_SAMPLE(dest, 1) FROM flights
        SELECT DP_SAMPLE(dest, 1), DP_HISTOGRAM(dest, 1) FROM flights
        SELECT TRANSFORM(dest) USING 'cat' FROM flights
        """,
    "other functions that look alike": """
        SELECT DP_SAMPLES(dest, 1) FROM flights
        SELECT DP_ſAMPLE(dest, 1) FROM flights
        SELECT ＤＰ_ＳＡＭＰＬＥ(dest, 1) FROM flights
        SELECT DР_SAMPLE(dest, 1) FROM flights
        SELECT DP_SAMPLE (dest, 1) OVER () FROM flights
        SELECT DP_SAMPLE(dest, 1) FILTER (WHERE month = 6) FROM flights
        SELECT DP_SAMPLE(DISTINCT dest, 1) FROM flights
        SELECT default.DP_SAMPLE(dest, 1) FROM flights
        SELECT DP_SAMPLE(dest, 1) WITHIN GROUP (ORDER BY dest) FROM flights
        """,
    "arguments": """
        SELECT DP_SAMPLE() FROM flights
        SELECT DP_SAMPLE(dest) FROM flights
        SELECT DP_SAMPLE(1.0) FROM flights
        SELECT DP_SAMPLE(dest, -1) FROM flights
        SELECT DP_SAMPLE(dest, '1') FROM flights
        SELECT DP_SAMPLE(dest, month) FROM flights
        SELECT DP_SAMPLE(dest, 1 + 1) FROM flights
        SELECT DP_SAMPLE(dest, NULL) FROM flights
        SELECT DP_SAMPLE(dest, 1, roo) FROM flights
        SELECT DP_SAMPLE(dest, 1, 'roo', '20') FROM flights
        SELECT DP_SAMPLE(dest, 1, 'roo', 2.5) FROM flights
        SELECT DP_SAMPLE(dest, 1, 'roo', 2, 3) FROM flights
        SELECT DP_SAMPLE(dest, 1, 20) FROM flights
        SELECT DP_SAMPLE('dest', 1) FROM flights
        SELECT DP_SAMPLE(upper(dest), 1) FROM flights
        SELECT DP_SAMPLE(*, 1) FROM flights
        SELECT DP_SAMPLE((SELECT dest FROM flights), 1) FROM flights
        SELECT DP_SAMPLE(dest.field, 1) FROM flights
        SELECT DP_SAMPLE(dest[0], 1) FROM flights
        SELECT DP_SAMPLE(other.dest, 1) FROM flights
        SELECT DP_SAMPLE(:column, 1) FROM flights
        SELECT DP_SAMPLE(?, 1) FROM flights
        SELECT DP_SAMPLE(dest, eps => 1) FROM flights
        SELECT DP_HISTOGRAM(dest, 1, 'roo') FROM flights
        SELECT DP_SAMPLE(dest, month, 1) AS d FROM flights
        SELECT DP_HISTOGRAM(dest, 1) AS d FROM flights
        SELECT DP_SAMPLE(dest, 1) AS region, region FROM flights GROUP BY region
        """,
    "FROM": """
        SELECT DP_SAMPLE(dest, 1)
        SELECT DP_SAMPLE(dest, 1) FROM flights, people
        SELECT DP_SAMPLE(dest, 1) FROM flights JOIN people
        SELECT DP_SAMPLE(dest, 1) FROM flights LEFT JOIN people USING (id)
        SELECT DP_SAMPLE(dest, 1) FROM flights CROSS JOIN people
        SELECT DP_SAMPLE(dest, 1) FROM flights NATURAL JOIN people
        SELECT DP_SAMPLE(dest, 1) FROM (SELECT * FROM flights) AS flights
        SELECT DP_SAMPLE(dest, 1) FROM (flights)
        SELECT DP_SAMPLE(dest, 1) FROM main.flights
        SELECT DP_SAMPLE(dest, 1) FROM hive.main.flights
        SELECT DP_SAMPLE(dest, 1) FROM parquet.`/data/flights`
        SELECT DP_SAMPLE(dest, 1) FROM csv.`/etc/passwd`
        SELECT DP_SAMPLE(dest, 1) FROM read_files('/data')
        SELECT DP_SAMPLE(dest, 1) FROM range(10)
        SELECT DP_SAMPLE(dest, 1) FROM VALUES ('a') AS t(dest)
        SELECT DP_SAMPLE(dest, 1) FROM flights TABLESAMPLE (1 PERCENT)
        SELECT DP_SAMPLE(dest, 1) FROM flights VERSION AS OF 3
        SELECT DP_SAMPLE(dest, 1) FROM flights TIMESTAMP AS OF '2020-01-01'
        SELECT DP_SAMPLE(dest, 1) FROM flights@v3
        SELECT DP_SAMPLE(dest, 1) FROM flights AS f(dest)
        SELECT DP_SAMPLE(dest, 1) FROM flights LATERAL VIEW explode(array(1)) t AS x
        SELECT DP_SAMPLE(dest, 1) FROM flights PIVOT (count(*) FOR month IN (1))
        SELECT DP_SAMPLE(dest, 1) FROM IDENTIFIER('flights')
        SELECT DP_SAMPLE(dest, 1) FROM STREAM(flights)
        """,
    "other clauses": """
        SELECT DP_SAMPLE(dest, 1) FROM flights LIMIT 1
        SELECT DP_SAMPLE(dest, 1) FROM flights OFFSET 1
        SELECT DP_SAMPLE(dest, 1) FROM flights ORDER BY dest
        SELECT DP_SAMPLE(dest, 1) FROM flights SORT BY dest
        SELECT DP_SAMPLE(dest, 1) FROM flights CLUSTER BY dest
        SELECT DP_SAMPLE(dest, 1) FROM flights DISTRIBUTE BY dest
        SELECT DISTINCT DP_SAMPLE(dest, 1) FROM flights
        SELECT DP_SAMPLE(dest, 1) FROM flights HAVING count(*) > 1
        SELECT DP_SAMPLE(dest, 1) FROM flights GROUP BY region HAVING count(*) > 1
        SELECT DP_SAMPLE(dest, 1) FROM flights QUALIFY row_number() OVER () = 1
        SELECT DP_SAMPLE(dest, 1) FROM flights WINDOW w AS (PARTITION BY dest)
        SELECT DP_SAMPLE(dest, 1) FROM flights GROUP BY ALL
        SELECT DP_SAMPLE(dest, 1) FROM flights GROUP BY ROLLUP(region)
        SELECT DP_SAMPLE(dest, 1) FROM flights GROUP BY CUBE(region)
        SELECT DP_SAMPLE(dest, 1) FROM flights GROUP BY GROUPING SETS ((region))
        SELECT DP_SAMPLE(dest, 1) FROM flights GROUP BY upper(region)
        SELECT DP_SAMPLE(dest, 1) FROM flights GROUP BY 1
        SELECT DP_HISTOGRAM(dest, 1) FROM flights GROUP BY region
        SELECT /*+ BROADCAST(flights) */ DP_SAMPLE(dest, 1) FROM flights
        SELECT /*+ REPARTITION(3) */ DP_SAMPLE(dest, 1) FROM flights
        """,
}

#: Conditions that must be refused.
REFUSED_CONDITIONS = """
    rand() < 0.5
    randn() > 0
    uuid() = 'x'
    current_date() > d
    now() > d
    input_file_name() = 'x'
    monotonically_increasing_id() < 5
    spark_partition_id() = 0
    current_user() = 'me'
    secret('scope', 'key') = 'x'
    raise_error(dest)
    assert_true(month = 6)
    java_method('java.lang.System', 'exit', 1) = 0
    reflect('java.lang.Runtime', 'getRuntime') = 'x'
    my_udf(dest)
    ai_query('model', dest) = 'x'
    month IN (SELECT month FROM flights)
    EXISTS (SELECT 1 FROM flights)
    month = (SELECT max(month) FROM flights)
    month > ALL (SELECT month FROM flights)
    month = ANY (SELECT month FROM flights)
    month IN (year, 6)
    month IN ()
    count(*) > 1
    max(month) = 6
    row_number() OVER (ORDER BY dest) = 1
    sum(month) OVER () > 1
    CAST(dest AS INT) = 1
    dest::int = 1
    int(dest) = 1
    TRY_CAST(dest AS BINARY) = X'00'
    TRY_CAST(1 AS INT) = 1
    TRY_CAST(dest AS DECIMAL(10, 2)) = 1
    dest RLIKE '(a+)+$'
    dest REGEXP 'x'
    dest ILIKE 'x'
    dest LIKE other
    dest LIKE 'a!%' ESCAPE '!'
    dest LIKE ANY ('a', 'b')
    element_at(a, 1) = 1
    a[0] = 1
    s.field = 1
    m['key'] = 1
    other.month = 6
    db.flights.month = 6
    exists(a, x -> x > 1)
    transform(a, x -> x + 1) = a
    CASE WHEN month = 6 THEN true END
    IF(month = 6, true, false)
    coalesce(month, 6) = 6
    nullif(month, 6) = 6
    month & 1 = 1
    month | 1 = 1
    month ^ 1 = 1
    ~month = 1
    month << 1 = 2
    month DIV 2 = 3
    -month = 6
    month = X'1F'
    d = INTERVAL 1 DAY
    d + INTERVAL 1 DAY > d
    d = DATE 'yesterday'
    d = TIMESTAMP '2013-01-01 00:00:00Z'
    month = 6 LIMIT 1
    dest = 'it''s'
    month = 6; DROP TABLE flights
    month = 6 UNION SELECT 1
    1 = 1) OR (2 = 2
    month = 6 AND
    month =
    = 6
    month = :month
    month = ?
    month = ${month}
    month = {{month}}
    dest = 'ATL
    dest = 'a' 'b'
    dest = 'a' || 'b'
    concat(dest, 'x') = 'ATLx'
    month + 1
    month IS 6
    (month, d) = (6, d)
    (month, d) IN ((6, d))
    month BETWEEN 1
    NOT
    *
    flights.*
    month = 123456789012345678901234567890123456789012345
    """

#: Texts that must be answered, with what they ask for.
ANSWERED = [
    (GOOD, {"dataset": "flights", "columns": ("dest",), "epsilon": "1.0"}),
    ("select dp_sample(dest, 1.0) from flights", {"columns": ("dest",)}),
    ("Select Dp_Sample(dest, 1.0) From flights;", {"columns": ("dest",)}),
    ("SELECT\n  DP_SAMPLE(dest, 1.0)\nFROM\n\tflights\n", {"columns": ("dest",)}),
    ("SELECT DP_SAMPLE(dest, 1) -- a note\nFROM flights", {"epsilon": "1"}),
    ("SELECT /* a note */ DP_SAMPLE(dest, 0.10) FROM flights", {"epsilon": "0.10"}),
    ("SELECT DP_SAMPLE(dest, 1e-3) FROM flights", {"epsilon": "1e-3"}),
    ("SELECT DP_SAMPLE(dest, 0.000000001) FROM flights", {"epsilon": "0.000000001"}),
    ("SELECT DP_SAMPLE(dest, 1.0, 'ds-roo') FROM flights", {"method": "ds-roo", "num_samples": 1}),
    ('SELECT DP_SAMPLE(dest, 1.0, "ds-roo") FROM flights', {"method": "ds-roo"}),
    ("SELECT DP_SAMPLE(dest, 1.0, 'ds-roo', 20) FROM flights", {"method": "ds-roo", "num_samples": 20}),
    ("SELECT DP_SAMPLE(dest, origin, 1) FROM flights", {"columns": ("dest", "origin"), "selected": ("dest", "origin")}),
    ("SELECT DP_SAMPLE(a, b, c, 1, 'auto', 9) FROM t", {"columns": ("a", "b", "c"), "num_samples": 9}),
    ("SELECT DP_SAMPLE(flights.dest, 1) FROM flights", {"columns": ("dest",)}),
    ("SELECT DP_SAMPLE(f.dest, 1) FROM flights AS f", {"dataset": "flights", "columns": ("dest",)}),
    ("SELECT DP_SAMPLE(dest, 1) FROM flights f", {"dataset": "flights"}),
    ("SELECT DP_SAMPLE(dest, 1) AS destination FROM flights", {"alias": "destination"}),
    ("SELECT DP_SAMPLE(dest, 1) destination FROM flights", {"alias": "destination"}),
    ("SELECT DP_SAMPLE(`air time`, 1) FROM `my flights`", {"dataset": "my flights", "columns": ("air time",)}),
    ("SELECT DP_SAMPLE(`a.b`, 1) FROM flights", {"columns": ("a.b",)}),
    ("SELECT DP_SAMPLE(`a``b`, 1) FROM flights", {"columns": ("a`b",)}),
    ("SELECT DP_SAMPLE(größe, 1) FROM maße", {"dataset": "maße", "columns": ("größe",)}),
    ("SELECT DP_HISTOGRAM(dest, 1.0) FROM flights", {"histogram": True, "columns": ("dest",)}),
    ("SELECT dp_histogram(dest, origin, 0.5) FROM flights", {"histogram": True, "columns": ("dest", "origin")}),
    ("SELECT DP_SAMPLE(dest, 1) FROM flights GROUP BY region", {"by": ("region",), "selected": ("dest",)}),
    ("FROM flights SELECT DP_SAMPLE(dest, 1)", {"dataset": "flights", "columns": ("dest",)}),
    (
        "SELECT region, DP_SAMPLE(dest, 1) FROM flights GROUP BY region",
        {"by": ("region",), "selected": ("region", "dest")},
    ),
    (
        "SELECT DP_SAMPLE(dest, 1), b, a FROM flights GROUP BY a, b",
        {"by": ("a", "b"), "selected": ("dest", "b", "a")},
    ),
    ("SELECT f.a, DP_SAMPLE(f.dest, 1) FROM flights f GROUP BY f.a", {"by": ("a",), "selected": ("a", "dest")}),
]

MONTH, DEST, DAY = Named("month"), Named("dest"), Named("d")
JUNE = Compared("=", MONTH, Constant(6))

#: Conditions that must be answered, with what they were read as.
CONDITIONS = [
    ("month = 6", JUNE),
    ("month == 6", JUNE),
    ("(((month = 6)))", JUNE),
    ("flights.month = 6", JUNE),
    ("`month` = 6", JUNE),
    ("6 = month", Compared("=", Constant(6), MONTH)),
    ("month <> 6", Compared("<>", MONTH, Constant(6))),
    ("month != 6", Compared("<>", MONTH, Constant(6))),
    ("month < 6", Compared("<", MONTH, Constant(6))),
    ("month <= 6", Compared("<=", MONTH, Constant(6))),
    ("month > -6", Compared(">", MONTH, Constant(-6))),
    ("month >= 6", Compared(">=", MONTH, Constant(6))),
    ("month <=> NULL", Compared("<=>", MONTH, Constant(None))),
    ("month IS NULL", Missing(MONTH)),
    ("month IS NOT NULL", Not(Missing(MONTH))),
    ("NOT month IS NULL", Not(Missing(MONTH))),
    ("month IS NOT DISTINCT FROM 6", Compared("<=>", MONTH, Constant(6))),
    ("month IS DISTINCT FROM 6", Not(Compared("<=>", MONTH, Constant(6)))),
    ("month IN (6)", Within(MONTH, (Constant(6),))),
    ("month IN (6, 7, NULL)", Within(MONTH, (Constant(6), Constant(7), Constant(None)))),
    ("month NOT IN (6, 7)", Not(Within(MONTH, (Constant(6), Constant(7))))),
    ("dest IN ('ATL', \"ORD\")", Within(DEST, (Constant("ATL"), Constant("ORD")))),
    (
        "month BETWEEN 6 AND 8",
        AllOf((Compared(">=", MONTH, Constant(6)), Compared("<=", MONTH, Constant(8)))),
    ),
    (
        "month NOT BETWEEN 6 AND 8",
        Not(AllOf((Compared(">=", MONTH, Constant(6)), Compared("<=", MONTH, Constant(8))))),
    ),
    ("dest LIKE 'A%'", Like(DEST, "A%")),
    ("dest NOT LIKE 'A_L'", Not(Like(DEST, "A_L"))),
    ("dest = 'it\\'s'", Compared("=", DEST, Constant("it's"))),
    ('dest = "it\'s"', Compared("=", DEST, Constant("it's"))),
    ("dest = '; DROP TABLE flights --'", Compared("=", DEST, Constant("; DROP TABLE flights --"))),
    ("dest = '/* no comment */'", Compared("=", DEST, Constant("/* no comment */"))),
    ("dest = 'ſ 名'", Compared("=", DEST, Constant("ſ 名"))),
    ("dest = ''", Compared("=", DEST, Constant(""))),
    ("late", Named("late")),
    ("NOT late", Not(Named("late"))),
    ("late IS TRUE", Compared("<=>", Named("late"), Constant(value=True))),
    ("late = false", Compared("=", Named("late"), Constant(value=False))),
    ("true", Constant(value=True)),
    ("d = DATE '2013-06-01'", Compared("=", DAY, Constant(date(2013, 6, 1)))),
    ("d = date'2013-06-01'", Compared("=", DAY, Constant(date(2013, 6, 1)))),
    ("d >= TIMESTAMP '2013-06-01 12:00:00.5'", Compared(">=", DAY, Constant(datetime(2013, 6, 1, 12, 0, 0, 500_000)))),  # noqa: DTZ001
    ("d = '2013-06-01'", Compared("=", DAY, Constant("2013-06-01"))),
    ("year(d) = 2013", Compared("=", Function("year", DAY), Constant(2013))),
    ("MONTH(d) = 6", Compared("=", Function("month", DAY), Constant(6))),
    ("day(d) = 1", Compared("=", Function("day", DAY), Constant(1))),
    ("dayofmonth(d) = 1", Compared("=", Function("day", DAY), Constant(1))),
    ("lower(dest) = 'atl'", Compared("=", Function("lower", DEST), Constant("atl"))),
    ("UPPER(TRIM(dest)) = 'ATL'", Compared("=", Function("upper", Function("trim", DEST)), Constant("ATL"))),
    ("length(dest) > 3", Compared(">", Function("length", DEST), Constant(3))),
    ("month + 1 = 7", Compared("=", Arithmetic("+", MONTH, Constant(1)), Constant(7))),
    (
        "month * 2 - 1 > 7 / 2",
        Compared(
            ">",
            Arithmetic("-", Arithmetic("*", MONTH, Constant(2)), Constant(1)),
            Arithmetic("/", Constant(7), Constant(2)),
        ),
    ),
    ("month % 2 = 0", Compared("=", Arithmetic("%", MONTH, Constant(2)), Constant(0))),
    ("TRY_CAST(dest AS INT) = 6", Compared("=", Tried(DEST, "int"), Constant(6))),
    ("try_cast(dest as date) > '2013-06-01'", Compared(">", Tried(DEST, "date"), Constant("2013-06-01"))),
    ("price = 1.50", Compared("=", Named("price"), Constant(Decimal("1.50")))),
    ("price < 1e3", Compared("<", Named("price"), Constant(1000.0))),
    ("a = b", Compared("=", Named("a"), Named("b"))),
    ("month = 6 AND late", AllOf((JUNE, Named("late")))),
    ("month = 6 AND late AND a = b", AllOf((JUNE, Named("late"), Compared("=", Named("a"), Named("b"))))),
    ("month = 6 OR late", AnyOf((JUNE, Named("late")))),
    ("month = 6 OR late AND late", AnyOf((JUNE, AllOf((Named("late"), Named("late")))))),
    ("(month = 6 OR late) AND late", AllOf((AnyOf((JUNE, Named("late"))), Named("late")))),
    ("NOT (month = 6 OR late)", Not(AnyOf((JUNE, Named("late"))))),
    ("NOT month = 6", Not(JUNE)),
]


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


ATTACKS = [(kind, text) for kind, texts in REFUSED.items() for text in lines(texts)]


def test_there_are_as_many_texts_as_promised():
    assert len(ATTACKS) + len(lines(REFUSED_CONDITIONS)) >= 120
    assert len(ANSWERED) + len(CONDITIONS) >= 80


@pytest.mark.parametrize(("kind", "text"), ATTACKS)
def test_what_is_no_private_question_is_refused(kind, text):
    with pytest.raises(QueryError) as error:
        sql.read(text)
    # Read aloud: it says what can be asked.
    assert "DP_SAMPLE" in str(error.value) or "WHERE" in str(error.value) or "column" in str(error.value), kind


@pytest.mark.parametrize("text", lines(REFUSED_CONDITIONS))
def test_what_is_no_condition_on_a_row_is_refused(text):
    with pytest.raises(QueryError):
        sql.read(f"{GOOD} WHERE {text}")
    with pytest.raises(QueryError):
        sql.condition(text, "flights")


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        (f"{GOOD} LIMIT 3", "LIMIT"),
        (f"{GOOD} HAVING true", "HAVING"),
        (f"{GOOD} JOIN people", "JOIN"),
        (f"WITH a AS (SELECT 1) {GOOD}", "WITH"),
        (GOOD.replace("SELECT", "SELECT DISTINCT"), "DISTINCT"),
        (f"{GOOD} UNION {GOOD}", "UNION"),
        (f"{GOOD}; {GOOD}", "2 statements"),
        (f"{GOOD} WHERE rand() < 1", r"RAND\(\)"),
        ("SELECT dest FROM flights", "'dest'"),
        ("SELECT DP_SAMPLE(dest FROM flights", "line 1"),
    ],
)
def test_a_refusal_names_the_clause(text, clause):
    with pytest.raises(QueryError, match=clause):
        sql.read(text)


@pytest.mark.parametrize(("text", "expected"), ANSWERED)
def test_a_private_question_is_read(text, expected):
    query = sql.read(text)
    assert {name: getattr(query, name) for name in expected} == expected
    assert query.where is None


@pytest.mark.parametrize(("text", "expected"), CONDITIONS)
def test_a_condition_is_read(text, expected):
    assert sql.condition(text, "flights") == expected
    assert sql.read(f"{GOOD} WHERE {text}").where == expected


@pytest.mark.parametrize("text", [None, 7, "", ";", "x" * 20_001, "(" * 5000, f"{GOOD} WHERE {'(' * 500}a{')' * 500}"])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(QueryError):
        sql.read(text)


def test_a_long_list_of_conditions_is_no_deep_one():
    joined = sql.condition(" OR ".join(f"month = {number}" for number in range(1000)), "flights")
    assert len(joined.conditions) == 1000


def test_every_function_that_a_condition_can_have_has_its_words():
    assert set(where._FUNCTIONS.values()) == set(tree.FUNCTIONS)
    assert set(where._COMPARISONS.values()) == set(tree.COMPARISONS)
    assert set(where._ARITHMETIC.values()) == set(tree.ARITHMETIC)


# Any condition that can be written is read as itself.

texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=8)
identifiers = st.text(string.ascii_letters + " .`ßß名", min_size=1, max_size=6).map(Named)
numbers = st.integers(-(2**63), 2**63 - 1) | st.decimals(-(10**9), 10**9, places=3)
constants = st.builds(
    Constant,
    numbers
    | texts
    | st.booleans()
    | st.none()
    | st.dates()
    | st.datetimes().map(lambda moment: moment.replace(fold=0))
    | st.floats(allow_nan=False, allow_infinity=False),
)
terms = st.recursive(
    identifiers | constants | st.builds(Tried, identifiers, st.sampled_from([*tree.TRIED])),
    lambda inner: (
        st.builds(Function, st.sampled_from([*tree.FUNCTIONS]), inner)
        | st.builds(Arithmetic, st.sampled_from(tree.ARITHMETIC), inner, inner)
    ),
    max_leaves=6,
)
leaves = (
    st.builds(Compared, st.sampled_from(tree.COMPARISONS), terms, terms)
    | st.builds(Within, terms, st.lists(constants, min_size=1, max_size=3).map(tuple))
    | st.builds(Like, terms, texts)
    | st.builds(Missing, terms)
    | identifiers
)
conditions = st.recursive(
    leaves,
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(
            AllOf, st.lists(inner.filter(lambda c: not isinstance(c, AllOf)), min_size=2, max_size=3).map(tuple)
        )
        | st.builds(
            AnyOf, st.lists(inner.filter(lambda c: not isinstance(c, AnyOf)), min_size=2, max_size=3).map(tuple)
        )
    ),
    max_leaves=6,
)


@given(conditions)
def test_what_is_written_is_read_as_itself(condition):
    assert sql.condition(written(condition), "t") == condition
    assert repr(sql.condition(written(condition), "t")) == repr(condition)


@given(conditions)
def test_the_columns_of_a_condition_are_all_that_it_names(condition):
    found = names(condition)
    assert all(f"name={name!r}" in repr(condition) for name in found)
    assert repr(condition).count("Named(") >= len(found)


# Kinds that do not fit.

TYPES = {
    "i": ColumnType("int", "integer", -(2**31), 2**31 - 1),
    "l": ColumnType("bigint", "integer", -(2**63), 2**63 - 1),
    "f": ColumnType("double", "float"),
    "p": ColumnType("decimal(10,2)", "decimal", precision=10, scale=2),
    "w": ColumnType("decimal(38,0)", "decimal", precision=38),
    "s": ColumnType("string", "string"),
    "b": ColumnType("boolean", "boolean"),
    "d": ColumnType("date", "date"),
    "t": ColumnType("timestamp", "timestamp"),
    "n": ColumnType("timestamp_ntz", "timestamp_ntz"),
    "x": ColumnType("binary", "binary"),
}


@pytest.mark.parametrize(
    "text",
    [
        *("i = 's'", "s = 1", "s = i", "s > 1.5", "b = 1", "b = 'true'", "d = 1", "d = i", "d = s", "d = t", "t = n"),
        *("s IN (1)", "i IN ('1')", "i IN (1, 'x')", "x = 'a'", "d = 'yesterday'", "d = '2013-06-31'", "t = 'noon'"),
        *("s + 1 = 2", "p + 1 = 2", "d + 1 = d", "i % 0 = 1", "i % i = 1", "f % 2 = 1", "i % 1.5 = 1", "b + b = 1"),
        *(
            "year(s) = 1",
            "year(i) = 1",
            "lower(i) = 'x'",
            "length(i) = 1",
            "trim(d) = 'x'",
            "i LIKE '1%'",
            "b LIKE 'x'",
        ),
        *("s LIKE 'a\\\\%'", "i", "s", "NOT i", "i AND b", "b OR s", "year(d)", "zz = 1", "TRY_CAST(i AS INT) = 1"),
        *("w = 0.1", "w = p", "p = 0.1234567890123456789012345678901", "w IN (1, 0.5)", "i = 9223372036854775808"),
        *("d = TIMESTAMP '2013-06-01 12:00:00'", "s = NULL OR s = 1", "TRY_CAST(s AS DATE) = 1", "(i = 1) = 'x'"),
    ],
)
def test_kinds_that_do_not_fit_are_refused(text):
    with pytest.raises(QueryError):
        check.checked(sql.condition(text, "t"), TYPES)


@pytest.mark.parametrize(
    "text",
    [
        *("i = 1", "i = l", "i < 1.5", "i = f", "f = 1", "f > 1.5", "f > 1e3", "p = 1.50", "p > i", "w > 5", "p = p"),
        *("s = 'x'", "s = s", "b", "NOT b", "b = true", "b <=> NULL", "d = DATE '2013-06-01'", "d = '2013-06-01'"),
        *("t > '2013-06-01 12:00:00'", "t > DATE '2013-06-01'", "n > '2013-06-01'", "d = d", "i IS NULL", "x IS NULL"),
        *("i IN (1, 2, NULL)", "s IN ('a')", "d IN ('2013-06-01')", "i + l * 2 = f / 3", "i % 7 = 0", "s LIKE 'a%_'"),
        *("lower(s) = 'x'", "year(d) = 2013", "month(t) = day(n)", "TRY_CAST(s AS INT) > 5", "TRUE", "NULL", "w = w"),
        *("TRY_CAST(s AS DATE) = '2013-06-01'", "1 = 1", "'2013-06-01' = d", "l = -9223372036854775808", "x = x"),
    ],
)
def test_kinds_that_fit_are_answered(text):
    check.checked(sql.condition(text, "t"), TYPES)


def test_a_constant_takes_the_type_of_what_it_meets():
    assert check.checked(sql.condition("d = '2013-06-01'", "t"), TYPES) == Compared(
        "=", DAY, Constant(date(2013, 6, 1))
    )
    moment = Constant(datetime(2013, 6, 1))  # noqa: DTZ001 — of the session's time zone
    assert check.checked(sql.condition("t = DATE '2013-06-01'", "t"), TYPES) == Compared("=", Named("t"), moment)
    assert check.checked(sql.condition("'2013-06-01' = n", "t"), TYPES) == Compared("=", moment, Named("n"))
