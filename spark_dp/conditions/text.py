"""A condition as SQL, in one way: what is compared when a release is asked for again."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from spark_dp.conditions.tree import (
    AllOf,
    AnyOf,
    Arithmetic,
    Compared,
    Condition,
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


def written(part: Condition | Term) -> str:
    """The SQL text of a condition, or of a part of one.

    >>> written(AllOf((Compared(">", Named("month"), Constant(5)), Not(Missing(Named("air time"))))))
    '((`month` > 5) AND (NOT (`air time` IS NULL)))'
    """
    match part:
        case Constant(value):
            return _literal(value)
        case Named(name):
            return "`" + name.replace("`", "``") + "`"
        case Tried(column, to):
            return f"TRY_CAST({written(column)} AS {to.upper()})"
        case Function(name, argument):
            return f"{name.upper()}({written(argument)})"
        case Arithmetic(operator, left, right) | Compared(operator, left, right):
            return f"({written(left)} {operator} {written(right)})"
        case Within(item, values):
            return f"({written(item)} IN ({', '.join(map(written, values))}))"
        case Like(item, pattern):
            return f"({written(item)} LIKE {_literal(pattern)})"
        case Missing(item):
            return f"({written(item)} IS NULL)"
        case Not(condition):
            return f"(NOT {written(condition)})"
        case AllOf(conditions):
            return f"({' AND '.join(map(written, conditions))})"
        case AnyOf(conditions):
            return f"({' OR '.join(map(written, conditions))})"


def _literal(value: Value) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(' ')}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, Decimal):
        # With its point: without one it would be a whole number.
        text = format(value, "f")
        return text if "." in text else f"{text}."
    if isinstance(value, float):
        mantissa, _, exponent = repr(value).partition("e")
        return f"{mantissa}e{exponent or 0}"
    if isinstance(value, int):
        return str(value)
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
