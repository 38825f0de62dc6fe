"""SQL texts that ask for a release: read with sqlglot, and refused unless every part of them is known here.

    SELECT DP_SAMPLE(dest, 1.0, 'ds-roo', 20) FROM flights WHERE month = 6
    SELECT region, DP_SAMPLE(age, sex, 0.5) FROM people GROUP BY region
    SELECT DP_HISTOGRAM(dest, 1.0) FROM flights

Spark never sees the text: it plans what the text was read as.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError

from spark_dp.conditions import Condition
from spark_dp.errors import QueryError
from spark_dp.policy.where import Reader, column_name, number, other_part, parts

SAMPLE, HISTOGRAM = "DP_SAMPLE", "DP_HISTOGRAM"

_DIALECT = Dialect.get_or_raise("databricks")
_LONGEST = 20_000
_FORM = (
    f"An answer is {SAMPLE}(column, …, eps[, 'method'[, num_samples]]) or {HISTOGRAM}(column, …, eps), FROM one "
    "dataset, with WHERE and GROUP BY if need be."
)
#: Where an error lies, as the parser tells it.
_PLACE = (("line", "line"), ("column", "col"))
_TOO_DEEP = "The text is nested too deep. Use fewer parentheses and operators within each other."
#: Clauses by the name that the parser has for them.
_CLAUSES = {
    "with_": "WITH",
    "joins": "a JOIN or a second table",
    "laterals": "LATERAL VIEW",
    "distinct": "DISTINCT",
    "having": "HAVING",
    "qualify": "QUALIFY",
    "windows": "WINDOW",
    "order": "ORDER BY",
    "sort": "SORT BY",
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "hint": "a hint",
    "into": "INTO",
    "pivots": "PIVOT",
    "sample": "TABLESAMPLE",
    "match": "MATCH_RECOGNIZE",
    "locks": "FOR UPDATE",
    "version": "a version of the table",
    "when": "a version of the table",
}


@dataclass(frozen=True)
class Query:
    """What a text asks for.

    Args:
        dataset: the table.
        histogram: whether noisy counts are asked for, or else a sample.
        columns: the sampled columns.
        epsilon: as it was written.
        method: for a sample.
        num_samples: for a sample.
        by: the columns of GROUP BY.
        where: which rows.
        selected: the columns of the answer, in order; those of ``by`` and ``columns``, unless it is a histogram.
        alias: another name for the one sampled column.
    """

    dataset: str
    histogram: bool
    columns: tuple[str, ...]
    epsilon: str
    method: str = "auto"
    num_samples: int = 1
    by: tuple[str, ...] = ()
    where: Condition | None = None
    selected: tuple[str, ...] = ()
    alias: str | None = None


def read(text: str) -> Query:
    """The release that a text asks for.

    Raises:
        QueryError: if it asks for anything else, or for more.
    """
    try:
        return _query(_parsed(text, _FORM))
    except RecursionError:
        pass
    raise QueryError(_TOO_DEEP)


def condition(text: str, dataset: str) -> Condition:
    """The condition that a text says about the rows of a dataset, as WHERE would have it.

    Raises:
        QueryError: if it is none.
    """
    try:
        return Reader(dataset).condition(_parsed(text, "A condition is what WHERE takes.", exp.Condition))
    except RecursionError:
        pass
    raise QueryError(_TOO_DEEP)


def _parsed(text: object, form: str, into: type[exp.Expr] | None = None) -> exp.Expr:
    """The one tree of a text."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise QueryError(f"A query is a text of at most {_LONGEST:,} characters. {form}")
    try:
        trees = _DIALECT.parse(text) if into is None else _DIALECT.parse_into(into, text)
    except (SqlglotError, ValueError) as error:
        problem = getattr(error, "errors", None) or [{}]
        place = "".join(f" at {name} {problem[0][key]}" for name, key in _PLACE if problem[0].get(key))
        raise QueryError(f"{text[:80]!r} cannot be read as SQL{place}. {form}") from None
    found = [tree for tree in trees if tree is not None]
    if len(found) != 1:
        raise QueryError(f"{len(found)} statements were given, and one can be answered. {form}")
    return found[0]


def _query(statement: exp.Expr) -> Query:
    if type(statement) is not exp.Select:
        raise QueryError(f"{statement.key.upper()} is not answered, only one plain SELECT. {_FORM}")
    known = ("expressions", "from_", "where", "group")
    _check_clauses(statement, known)
    _expressions, origin, where, group = (statement.args.get(name) for name in known)
    if origin is None:
        raise QueryError(f"FROM is missing. {_FORM}")
    dataset, name = _table(origin)
    by = () if group is None else _groups(group, name)
    call, alias, selected = _selected(statement.expressions, by, name)
    rows = None if where is None else Reader(name).condition(where.this)
    found = _call(call, name)
    if by and found["histogram"]:
        raise QueryError(
            f"GROUP BY is for {SAMPLE}. Count groups and values together: {HISTOGRAM}({', '.join(by)}, …)."
        )
    columns: tuple[str, ...] = found["columns"]  # type: ignore[assignment]
    if alias is not None and (len(columns) > 1 or found["histogram"]):
        raise QueryError(f"AS {alias} names one column, and the answer has several. Leave it out. {_FORM}")
    if alias in by:
        raise QueryError(f"AS {alias} is the name of a column of GROUP BY. Take another one. {_FORM}")
    in_order = tuple(column for item in selected for column in ((item,) if item is not None else columns))
    return Query(dataset=dataset, by=by, where=rows, selected=in_order, alias=alias, **found)  # type: ignore[arg-type]


def _check_clauses(node: exp.Expr, known: tuple[str, ...]) -> None:
    """Refuse a clause that is not known.

    Raises:
        QueryError: with its name.
    """
    if name := other_part(node, known):
        raise QueryError(f"{_CLAUSES.get(name, name.rstrip('_').upper())} is not answered. {_FORM}")


def _table(origin: exp.Expr) -> tuple[str, str]:
    """The dataset, and what the query calls it."""
    table = origin.this
    if not isinstance(table, exp.Table):
        raise QueryError(f"FROM takes the name of a dataset, not a {table.key}. {_FORM}")
    _check_clauses(table, ("this", "alias"))
    if not isinstance(table.this, exp.Identifier):
        raise QueryError(f"FROM takes the name of a dataset, not {table.sql(dialect='databricks')!r}. {_FORM}")
    dataset, alias = str(table.this.this), table.args.get("alias")
    if alias is None:
        return dataset, dataset
    _check_clauses(alias, ("this",))
    if not isinstance(alias.this, exp.Identifier):
        raise QueryError(f"FROM takes the name of a dataset, not {table.sql(dialect='databricks')!r}. {_FORM}")
    return dataset, str(alias.this.this)


def _groups(group: exp.Expr, table: str) -> tuple[str, ...]:
    _check_clauses(group, ("expressions",))
    if not all(isinstance(node, exp.Column) for node in group.expressions):
        raise QueryError("GROUP BY takes columns by their names, whose values are in the policy.")
    return tuple(column_name(node, table) for node in group.expressions)


def _selected(items: list[exp.Expr], by: tuple[str, ...], table: str) -> tuple[exp.Expr, str | None, list[str | None]]:
    """The call, another name for its column, and the order of the answer, with None for what the call gives."""
    calls, selected, alias = [], list[str | None](), None
    for item in items:
        node, name = item, None
        if isinstance(item, exp.Alias):
            _check_clauses(item, ("this", "alias"))
            node, name = item.this, str(item.args["alias"].this)
        if isinstance(node, exp.Column) and name is None and column_name(node, table) in by:
            selected.append(column_name(node, table))
        elif isinstance(node, exp.Anonymous) and _name(node.this) in (SAMPLE, HISTOGRAM):
            calls.append(node)
            selected.append(None)
            alias = name
        else:
            raise QueryError(
                f"SELECT cannot have {item.sql(dialect='databricks')[:60]!r}: only {SAMPLE}, {HISTOGRAM} and, by their "
                f"own names, the columns of GROUP BY leave the table. {_FORM}"
            )
    if len(calls) != 1 or len(set(selected)) < len(selected):
        raise QueryError(f"SELECT takes one {SAMPLE} or {HISTOGRAM}, and each column of GROUP BY once at most. {_FORM}")
    return calls[0], alias, selected


def _name(function: object) -> str:
    """The name of a function in capitals, of which some belong to letters that only look like others."""
    return str(function).upper() if str(function).isascii() else ""


def _call(call: exp.Expr, table: str) -> dict[str, object]:
    """What the arguments of a call say, as fields of a query."""
    name, arguments = parts(call, "this", "expressions")
    histogram = _name(name) == HISTOGRAM
    given: list[exp.Expr] = list(arguments or [])  # type: ignore[call-overload]
    columns = []
    while given and isinstance(given[0], exp.Column):
        columns.append(column_name(given.pop(0), table))  # type: ignore[arg-type]
    literals = [str(node.this) for node in given if isinstance(node, exp.Literal)]
    strings = [bool(node.args.get("is_string")) for node in given]
    if not columns or len(literals) < len(given) or strings not in ([[False]] if histogram else _OPTIONS):
        raise QueryError(f"{call.sql(dialect='databricks')[:80]!r} does not fit. {_FORM}")
    number(literals[0])
    found: dict[str, object] = {"histogram": histogram, "columns": tuple(columns), "epsilon": literals[0]}
    if len(literals) > 1:
        found["method"] = literals[1]
    if len(literals) > 2:
        draws = number(literals[2])
        if not isinstance(draws, int):
            raise QueryError(f"num_samples = {literals[2]} is no whole number. {_FORM}")
        found["num_samples"] = draws
    return found


#: Which of the arguments after the columns are texts: ε; ε and a method; and how many samples.
_OPTIONS = ([False], [False, True], [False, True, False])
