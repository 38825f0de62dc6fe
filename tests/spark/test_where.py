"""Conditions on Spark: the rows that are kept are those of which the condition holds, and no row makes it fail.

Would catch: an operator that stands for another one, a null that counts as true, arithmetic or a cast that raises
for some row, a constant that is read in another time zone or type.
"""

import operator
import re
from datetime import date, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spark_dp.conditions import written
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
from spark_dp.errors import ColumnError, QueryError
from spark_dp.policy import sql
from spark_dp.spark.filtering import filtered

LONG = 2**63
ROWS = [
    (number, a, b, f, s, flag, day)
    for number, (a, b, f, s, flag, day) in enumerate(
        [
            (1, 2, 0.5, "1", True, date(2013, 6, 1)),
            (-1, -1, -0.0, " 17 ", False, date(2000, 2, 29)),
            (0, 0, 0.0, "", None, date(1, 1, 1)),
            (None, None, None, None, None, None),
            (2**31 - 1, LONG - 1, 1.7e308, "ATL", True, date(9999, 12, 31)),
            (-(2**31), -LONG, -1.7e308, "2013-06-01", False, date(1969, 12, 31)),
            (6, 6, 6.0, "9999999999999999999999", True, date(2013, 6, 30)),
            (7, None, float("inf"), "a%b_c", None, None),
            (None, 1, None, "x\ny", False, date(2013, 7, 1)),
            (12, 4, 3.0, "1e3", True, date(2012, 6, 1)),
        ]
    )
]
SCHEMA = "number int, i int, l bigint, f double, s string, b boolean, d date"
PLACE = {name.split()[0]: place for place, name in enumerate(SCHEMA.split(", "))}


@pytest.fixture(scope="module")
def table(spark):
    return spark.createDataFrame(ROWS, SCHEMA)


def fits(value):
    return value if value is not None and -LONG <= value < LONG else None


def arithmetic(sign, left, right):
    if left is None or right is None:
        return None
    if sign == "/":
        return None if right == 0 else left / right
    if sign == "%":
        # Of a division towards zero, as Java has it.
        return abs(left) % abs(right) * (-1 if left < 0 else 1)
    found = {"+": operator.add, "-": operator.sub, "*": operator.mul}[sign](left, right)
    return found if isinstance(found, float) else fits(found)


def tried(text, to):
    if text is None:
        return None
    try:
        if to == "date":
            return date.fromisoformat(text.strip())
        if to == "double":
            return float(text)
        number = int(re.fullmatch(r"\s*([-+]?\d+)\s*", text).group(1))
    except (ValueError, AttributeError):
        return None
    return number if abs(number) < (2**31 if to == "int" else LONG) else None


def value(term, row):
    match term:
        case Constant(constant):
            return constant
        case Named(name):
            return row[PLACE[name]]
        case Tried(Named(name), to):
            return tried(row[PLACE[name]], to)
        case Arithmetic(sign, left, right):
            return arithmetic(sign, value(left, row), value(right, row))
        case Function(name, argument):
            found = value(argument, row)
            if found is None:
                return None
            known = {"lower": str.lower, "upper": str.upper, "trim": lambda text: text.strip(" "), "length": len}
            return known[name](found) if name in known else getattr(found, name)


def compared(sign, left, right):
    if sign == "<=>":
        return left == right if None not in (left, right) else left is right
    if left is None or right is None:
        return None
    of = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
    return of[sign](left, right)


def holds(condition, row):
    """True, False or None, as SQL has it."""
    match condition:
        case AllOf(parts):
            found = [holds(part, row) for part in parts]
            return False if False in found else None if None in found else True
        case AnyOf(parts):
            found = [holds(part, row) for part in parts]
            return True if True in found else None if None in found else False
        case Not(part):
            found = holds(part, row)
            return None if found is None else not found
        case Missing(item):
            return value(item, row) is None
        case Within(item, values):
            return holds(AnyOf(tuple(Compared("=", item, constant) for constant in values)), row)
        case Like(item, pattern):
            text = value(item, row)
            expression = "".join({"%": ".*", "_": "."}.get(part, re.escape(part)) for part in pattern)
            return None if text is None else re.fullmatch(expression, text, re.DOTALL) is not None
        case Compared(sign, left, right):
            return compared(sign, value(left, row), value(right, row))
        case Named() | Constant():
            return value(condition, row)


def kept(table, condition):
    return sorted(row.number for row in filtered(table, condition).select("number").collect())


whole = st.recursive(
    st.sampled_from([Named("i"), Named("l"), Tried(Named("s"), "int"), Tried(Named("s"), "bigint")])
    | st.sampled_from([0, 1, -1, 2, 6, 7, 2**31, LONG - 1, -LONG]).map(Constant)
    | st.sampled_from(["year", "month", "day"]).map(lambda name: Function(name, Named("d")))
    | st.just(Function("length", Named("s"))),
    lambda inner: (
        st.builds(Arithmetic, st.sampled_from("+-*"), inner, inner)
        | st.builds(
            lambda left, right: Arithmetic("%", left, Constant(right)), inner, st.sampled_from([2, -3, LONG - 1])
        )
    ),
    max_leaves=4,
)
text = st.sampled_from(["s"]).map(Named) | st.sampled_from(["ATL", "atl", "", "1", "a%b_c"]).map(Constant)
text |= st.builds(Function, st.sampled_from(["lower", "upper", "trim"]), st.just(Named("s")))
day = st.just(Named("d")) | st.just(Tried(Named("s"), "date")) | st.dates().map(Constant)
signs = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "<=>"])
leaves = (
    st.builds(Compared, signs, whole, whole)
    | st.builds(Compared, signs, text, text)
    | st.builds(Compared, signs, day, day)
    | st.builds(Compared, signs, st.builds(Arithmetic, st.just("/"), whole, whole), st.just(Constant(0.5)))
    | st.builds(Within, whole, st.lists(st.sampled_from([0, 6, LONG - 1, None]).map(Constant), min_size=1).map(tuple))
    | st.builds(Like, text, st.sampled_from(["%", "A%", "_TL", "a%_c", "", "%\n%"]))
    | st.builds(Missing, whole | text | day)
    | st.just(Named("b"))
)
conditions = st.recursive(
    leaves,
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(AllOf, st.lists(inner, min_size=2, max_size=3).map(tuple))
        | st.builds(AnyOf, st.lists(inner, min_size=2, max_size=3).map(tuple))
    ),
    max_leaves=4,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(condition=conditions)
def test_what_was_allowed_is_the_filter_that_runs(table, condition):
    """From the text that was allowed, over Spark's plan, to the rows; no value of them may make it fail."""
    read = sql.condition(written(condition), "t")
    assert kept(table, read) == [row[0] for row in ROWS if holds(read, row) is True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i = 6", [6]),
        ("i + i > 0", [0, 4, 6, 7, 9]),
        ("l + 1 > 0", [0, 2, 6, 8, 9]),
        ("l * l >= 0", [0, 1, 2, 6, 8, 9]),
        ("l - 1 < 0", [1, 2]),
        ("i / 0 = 1", []),
        ("i / i = 1", [0, 1, 4, 5, 6, 7, 9]),
        ("try_cast(s as int) = 17", [1]),
        ("try_cast(s as date) = d", []),
        ("try_cast(s as date) = '2013-06-01'", [5]),
        ("NOT b", [1, 5, 8]),
        ("b IS NOT TRUE", [1, 2, 3, 5, 7, 8]),
        ("s IN ('ATL', '1')", [0, 4]),
        ("s = ''", [2]),
        ("s LIKE '%\\n%'", None),
        ("month(d) = 6 AND year(d) = 2013", [0, 6]),
        ("d BETWEEN '2013-06-01' AND '2013-06-30'", [0, 6]),
        ("f = 0", [1, 2]),
        ("true", list(range(10))),
        ("NULL", []),
    ],
)
def test_conditions_keep_the_rows_they_should(table, text, expected):
    if expected is None:
        with pytest.raises(QueryError, match="backslash"):
            kept(table, sql.condition(text.replace("\\", "\\\\"), "t"))
    else:
        assert kept(table, sql.condition(text, "t")) == expected


def test_a_moment_is_of_the_session_s_time_zone_and_a_text_is_compared_byte_by_byte(spark):
    frame = spark.sql("SELECT timestamp'2013-06-01 00:00:00' AS t, timestamp_ntz'2013-06-01 00:00:00' AS n, 'A' AS s")
    for condition in (
        "t = '2013-06-01'",
        "t = TIMESTAMP '2013-06-01 00:00:00'",
        "n = DATE '2013-06-01'",
        "s > 'B' OR s = 'A'",
    ):
        assert filtered(frame, sql.condition(condition, "t")).count() == 1
    assert filtered(frame, sql.condition("s = 'a'", "t")).count() == 0
    assert filtered(frame, Compared("<", Named("t"), Constant(datetime(2013, 6, 1)))).count() == 0  # noqa: DTZ001


def test_decimals_are_compared_exactly(spark):
    frame = spark.sql("SELECT cast('0.10' AS decimal(38, 2)) AS p, cast(id AS decimal(10, 2)) AS q FROM range(3)")
    assert filtered(frame, sql.condition("p = 0.1 AND q IN (1, 2.00)", "t")).count() == 2
    with pytest.raises(QueryError, match="digits"):
        filtered(frame, sql.condition("p = 0.123", "t"))


def test_any_column_name(spark):
    frame = spark.range(3).toDF("a.b`c")
    assert filtered(frame, sql.condition("`a.b``c` >= 1", "t")).count() == 2


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("zz = 1", ColumnError, "no column 'zz'"),
        ("m IS NULL", ColumnError, "cannot be sampled"),
        ("a = 1", ColumnError, "cannot be sampled"),
        ("s = 1", QueryError, "fails for some"),
        ("i", QueryError, "is no condition"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_a_row_is_read(untouchable, text, kind, says):
    with pytest.raises(kind, match=says):
        filtered(untouchable, sql.condition(text, "t"))
