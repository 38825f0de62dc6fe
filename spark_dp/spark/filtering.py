"""The rows that fulfil a condition, planned from its parts and never from a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from operator import and_, or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_dp.conditions import Condition, checked, names
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
    Term,
    Tried,
    Value,
    Within,
)
from spark_dp.spark.columns import SampledColumn, quoted, sampled_columns

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_FUNCTIONS: Mapping[str, Callable[[Column], Column]] = {
    "lower": F.lower,
    "upper": F.upper,
    "trim": F.trim,
    "length": F.length,
    "year": F.year,
    "month": F.month,
    "day": F.dayofmonth,
}

#: None of them raises, whatever the session says about errors.
_ARITHMETIC: Mapping[str, Callable[[Column, Column], Column]] = {
    "+": F.try_add,
    "-": F.try_subtract,
    "*": F.try_multiply,
    "/": F.try_divide,
    "%": lambda left, right: left % right,
}

_COMPARISONS: Mapping[str, Callable[[Column, Column], Column]] = {
    "=": lambda left, right: left == right,
    "<>": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "<=>": lambda left, right: left.eqNullSafe(right),
}


def filtered(df: DataFrame, condition: Condition) -> DataFrame:
    """The rows for which a condition holds.

    Raises:
        ColumnError: if it names a column that is missing, or of a type that nothing can be compared with.
        QueryError: if the kinds of values in it do not fit.
    """
    found = sorted(names(condition))
    columns = {column.name: column for column in (sampled_columns(df, found) if found else ())}
    fitted = checked(condition, {name: column.type for name, column in columns.items()})
    # NULL alone is of no type.
    return df.where(_column(fitted, columns).cast("boolean"))


def _column(part: Condition | Term, columns: Mapping[str, SampledColumn]) -> Column:
    def of(inner: Condition | Term) -> Column:
        return _column(inner, columns)

    match part:
        case AllOf(conditions):
            return _joined(and_, [*map(of, conditions)])
        case AnyOf(conditions):
            return _joined(or_, [*map(of, conditions)])
        case Not(condition):
            return ~of(condition)
        case Missing(item):
            return of(item).isNull()
        case Like(item, pattern):
            return of(item).like(pattern)
        case Within(item, values):
            return of(item).isin(*map(of, values))
        case Compared(operator, left, right):
            return _COMPARISONS[operator](of(left), of(right))
        case Arithmetic(operator, left, right):
            return _ARITHMETIC[operator](*(_wide(side, columns) for side in (left, right)))
        case Function(name, argument):
            return _FUNCTIONS[name](of(argument))
        case Tried(column, to):
            # Column.try_cast came with Spark 4.
            return F.expr(f"try_cast({quoted(column.name)} AS {to})")
        case Named(name):
            return columns[name].expression
        case Constant(value):
            return _literal(value)


def _joined(operator: Callable[[Column, Column], Column], columns: list[Column]) -> Column:
    """All of them, in a tree of little depth: Spark follows it by recursion."""
    while len(columns) > 1:
        pairs = zip(columns[::2], columns[1::2], strict=False)
        columns = [operator(*pair) for pair in pairs] + columns[len(columns) // 2 * 2 :]
    return columns[0]


def _wide(term: Term, columns: Mapping[str, SampledColumn]) -> Column:
    """A number; a whole one with 64 bits, whatever its column has."""
    if isinstance(term, Named):
        whole = columns[term.name].type.kind == "integer"
    else:
        whole = isinstance(term, Constant) and isinstance(term.value, int)
    return _column(term, columns).cast("bigint") if whole else _column(term, columns)


def _literal(value: Value) -> Column:
    if isinstance(value, datetime):
        # Of the session's time zone, as in SQL: as a datetime it would be of this process's.
        return F.lit(value.isoformat(" ")).cast("timestamp")
    if isinstance(value, date):
        return F.lit(value.isoformat()).cast("date")
    return F.lit(value)
