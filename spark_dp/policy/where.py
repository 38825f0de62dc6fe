"""From sqlglot's tree of a WHERE clause to a condition: what is not listed here cannot be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal

from sqlglot import exp

from spark_dp.conditions import Condition
from spark_dp.conditions.tree import (
    FUNCTIONS,
    TRIED,
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
from spark_dp.errors import QueryError

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "<=>",
}
_ARITHMETIC: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
_FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.Lower: "lower",
    exp.Upper: "upper",
    exp.Trim: "trim",
    exp.Length: "length",
    exp.Year: "year",
    exp.Month: "month",
    exp.Day: "day",
    exp.DayOfMonth: "day",
}
_MOST_DIGITS = 38


def parts(node: exp.Expr, *known: str) -> list[object]:
    """Some parts of a node, which may have no others.

    Raises:
        QueryError: if it has.
    """
    if other_part(node, known):
        raise refusal(node)
    return [node.args.get(name) for name in known]


def other_part(node: exp.Expr, known: Sequence[str]) -> str | None:
    """The name of a part that a node has beside the known ones."""
    # What is not there is false, None or an empty list, and so are the parser's flags that change no meaning.
    there = (name for name, value in node.args.items() if value not in (None, False, []))
    return next((name for name in there if name not in known), None)


def refusal(node: exp.Expr) -> QueryError:
    """The error for what cannot be asked."""
    text = node.sql(dialect="databricks")
    shown = text if len(text) <= 60 else f"{text[:60]}…"
    return QueryError(
        f"WHERE cannot have {shown!r} ({type(node).__name__}). It may compare columns of the dataset with constants "
        "and with each other (=, <>, <, <=, >, >=, <=>, IN (…), BETWEEN, LIKE, IS NULL), combine that with AND, OR and "
        f"NOT, and use + − * / %, {', '.join(name.upper() for name in FUNCTIONS)} and TRY_CAST of a column."
    )


def column_name(node: exp.Column, table: str) -> str:
    """The name of a column of the one table.

    Raises:
        QueryError: if it is a field of something, or of another table.
    """
    this, of = parts(node, "this", "table")
    if not isinstance(this, exp.Identifier) or (of is not None and str(getattr(of, "this", "")) != table):
        raise QueryError(
            f"{node.sql(dialect='databricks')!r} is no column of {table!r}. Name a column alone, or after the dataset; "
            "one with a dot in its name in backticks."
        )
    return str(this.this)


class Reader:
    """Reads the conditions on one table.

    Args:
        table: its name in the query.
    """

    def __init__(self, table: str) -> None:
        self.table = table

    def condition(self, node: exp.Expr) -> Condition:
        """What a node says about a row.

        Raises:
            QueryError: if it is nothing that can be asked.
        """
        node = node.unnest()
        kind = type(node)
        if kind in (exp.And, exp.Or):
            joined = AllOf if kind is exp.And else AnyOf
            return joined(tuple(map(self.condition, self._flat(node, kind))))
        if kind in _COMPARISONS:
            return Compared(_COMPARISONS[kind], *self._terms(node, "this", "expression"))
        read: dict[type[exp.Expr], Callable[[exp.Expr], Condition]] = {
            exp.Not: lambda found: Not(self._inner(found)),
            exp.In: self._within,
            exp.Between: self._between,
            exp.Like: self._like,
            exp.Is: self._is,
            exp.NullSafeNEQ: lambda found: Not(Compared("<=>", *self._terms(found, "this", "expression"))),
        }
        if kind in read:
            return read[kind](node)
        term = self.term(node)
        if not isinstance(term, Named | Constant):
            raise refusal(node)
        return term

    def term(self, node: exp.Expr) -> Term:
        """The value that a node has for a row.

        Raises:
            QueryError: if it is none that can be asked for.
        """
        node = node.unnest()
        kind = type(node)
        if isinstance(node, exp.Column):
            return Named(column_name(node, self.table))
        if kind in _ARITHMETIC:
            # Whether a division is a safe one is the parser's word for its dialect; here all are.
            if kind is exp.Div:
                node.set("typed", None)
                node.set("safe", None)
            return Arithmetic(_ARITHMETIC[kind], *self._terms(node, "this", "expression"))
        if kind in _FUNCTIONS:
            return Function(_FUNCTIONS[kind], self._argument(node))
        if kind is exp.TryCast:
            return self._tried(node)
        return Constant(self._value(node))

    def _flat(self, node: exp.Expr, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
        """All sides of one ANDs or ORs: a long list of them is a deep tree."""
        waiting = [node]
        while waiting:
            found = waiting.pop().unnest()
            if type(found) is kind:
                left, right = parts(found, "this", "expression")
                waiting += [right, left]  # type: ignore[list-item]
            else:
                yield found

    def _terms(self, node: exp.Expr, *known: str) -> list[Term]:
        return [self.term(part) for part in parts(node, *known)]  # type: ignore[arg-type]

    def _inner(self, node: exp.Expr) -> Condition:
        (inner,) = parts(node, "this")
        return self.condition(inner)  # type: ignore[arg-type]

    def _within(self, node: exp.Expr) -> Condition:
        item, values = parts(node, "this", "expressions")
        if not values:
            raise refusal(node)
        constants = tuple(self.term(value) for value in values)  # type: ignore[attr-defined]
        if not all(isinstance(constant, Constant) for constant in constants):
            raise refusal(node)
        return Within(self.term(item), constants)  # type: ignore[arg-type]

    def _between(self, node: exp.Expr) -> Condition:
        item, low, high = self._terms(node, "this", "low", "high")
        return AllOf((Compared(">=", item, low), Compared("<=", item, high)))

    def _like(self, node: exp.Expr) -> Condition:
        negated = bool(node.args.get("negate"))
        node.set("negate", None)
        item, pattern = parts(node, "this", "expression")
        if not isinstance(pattern, exp.Literal) or not pattern.is_string:
            raise refusal(node)
        like = Like(self.term(item), str(pattern.this))  # type: ignore[arg-type]
        return Not(like) if negated else like

    def _is(self, node: exp.Expr) -> Condition:
        item, what = parts(node, "this", "expression")
        if isinstance(what, exp.Null):
            return Missing(self.term(item))  # type: ignore[arg-type]
        if isinstance(what, exp.Boolean):
            return Compared("<=>", self.term(item), Constant(bool(what.this)))  # type: ignore[arg-type]
        raise refusal(node)

    def _argument(self, node: exp.Expr) -> Term:
        (argument,) = parts(node, "this")
        # Around the argument of YEAR and its like the parser says that a text would be read as a date; none is.
        while isinstance(argument, exp.TsOrDsToDate):
            (argument,) = parts(argument, "this")
        return self.term(argument)  # type: ignore[arg-type]

    def _tried(self, node: exp.Expr) -> Term:
        node.set("safe", None)
        of, to = parts(node, "this", "to")
        name = to.sql(dialect="databricks") if isinstance(to, exp.DataType) else ""
        column = self.term(of)  # type: ignore[arg-type]
        if name.lower() not in TRIED or not isinstance(column, Named):
            raise QueryError(f"TRY_CAST reads a text column as one of {', '.join(TRIED).upper()}.")
        return Tried(column, name.lower())

    def _value(self, node: exp.Expr) -> Value:
        kind = type(node)
        if kind is exp.Null:
            return None
        if kind is exp.Boolean:
            return bool(node.this)
        if kind is exp.Neg:
            value = self._value(node.this)
            if isinstance(value, int | Decimal | float) and not isinstance(value, bool):
                return -value
        if isinstance(node, exp.Literal):
            return str(node.this) if node.is_string else number(str(node.this))
        if kind is exp.Cast and isinstance(node.this, exp.Literal) and node.this.is_string:
            return self._typed(node)
        raise refusal(node)

    def _typed(self, node: exp.Expr) -> Value:
        """DATE '…' and TIMESTAMP '…', for which the parser writes a cast."""
        text, to = parts(node, "this", "to")
        name, value = to.sql(), str(text.this)  # type: ignore[attr-defined]
        try:
            if name == "DATE":
                return date.fromisoformat(value)
            if name in ("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ"):
                moment = datetime.fromisoformat(value)
                if moment.tzinfo is None:
                    return moment
        except ValueError:
            pass
        raise QueryError(
            f"{node.sql(dialect='databricks')!r} is no constant. Write DATE '2026-11-30', or TIMESTAMP '2026-11-30 "
            "23:59:59' without a zone: it is of the session's."
        )


def number(text: str) -> int | Decimal | float:
    """A number as SQL has it: whole, a decimal with a point, floating with an exponent.

    Raises:
        QueryError: if it is too long.
    """
    digits = text.replace(".", "").lower().partition("e")[0]
    if not (text.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS):
        raise QueryError(f"{text[:60]!r} is no number of at most {_MOST_DIGITS} digits.")
    if "e" in text.lower():
        return float(text)
    return Decimal(text) if "." in text else int(text)
