"""Where a domain can come from: the call, a public table, a column's metadata, or the type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from spark_dp.domain import MAX_CELLS, Axis, ColumnType, Domain, Product, Values, from_json
from spark_dp.domain.units import moment
from spark_dp.errors import DomainError
from spark_dp.spark.columns import DECLARED, SampledColumn, quoted, sampled_columns
from spark_dp.spark.files import mark_as
from spark_dp.spark.frames import is_dataframe, with_metadata

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def declared(df: DataFrame, col: str, domain: object) -> DataFrame:
    """The DataFrame with the domain written into the column's metadata."""
    (column,) = sampled_columns(df, [col])
    axis = _axis(column, domain)
    metadata = {**df.schema[col].metadata, DECLARED: axis.to_json()}
    return mark_as(with_metadata(df, {df.columns.index(col): metadata}), df)


def resolve(columns: Sequence[SampledColumn], domain: object) -> Domain:
    """The domain of the sampled columns, cast to their own types.

    Reads a public reference table if that is what ``domain`` is, and never the private one.

    Raises:
        DomainError: if there is none, or it does not fit.
    """
    names = [column.name for column in columns]
    if isinstance(domain, Product):
        domain = domain.columns
    if isinstance(domain, Mapping):
        given = dict(domain)
        if unknown := [name for name in given if name not in names]:
            raise DomainError(f"domain has entries for {unknown}, which are not sampled: {names} are. Leave them out.")
    elif len(columns) > 1 and domain is not None:
        raise DomainError(
            f"{len(columns)} columns are sampled together, so each needs its own domain. Give a dict: "
            f"domain={{{', '.join(f'{name!r}: [...]' for name in names)}}}."
        )
    else:
        given = {} if domain is None else {names[0]: domain}
    axes = {column.name: _axis(column, given.get(column.name)) for column in columns}
    return axes[names[0]] if len(axes) == 1 else Product(axes)


def _axis(column: SampledColumn, domain: Any) -> Axis:
    if domain is None:
        axis = _known_domain(column)
    elif isinstance(domain, Axis):
        axis = domain
    elif is_dataframe(domain):
        axis = _from_table(column, domain)
    else:
        axis = Values(domain)
    return axis.cast(column.name, column.type)


def _known_domain(column: SampledColumn) -> Axis:
    if column.declared is not None:
        declared = from_json(column.declared)
        if not isinstance(declared, Axis):
            raise DomainError(f"The declared domain of column {column.name!r} is one of several columns.")
        return declared
    if column.type.kind == "boolean":
        return Values([False, True])
    if column.type.kind == "float":
        raise DomainError(
            f"Column {column.name!r} has no public domain, and floating-point numbers are sampled in bins, which must "
            "be known without looking at the private rows. Give them: domain=dp.Bins(lower, upper, count)."
        )
    raise DomainError(
        f"Column {column.name!r} has no public domain: the values that a sample can take must be known without "
        "looking at the private rows. Give them: domain=[...], a DataFrame of a public reference table with a column "
        f"{column.name!r}, or once and for all dp.declare_domain(df, {column.name!r}, [...])."
    )


def _from_table(column: SampledColumn, table: DataFrame) -> Values:
    """The values of a public reference table, from its column of the same name."""
    if column.name not in table.columns:
        first = table.columns[0] if table.columns else "code"
        raise DomainError(
            f"The domain table has the columns {table.columns}, but none named {column.name!r}. Name the one that "
            f"lists the values: domain=table.select(F.col({quoted(first)!r}).alias({column.name!r}))."
        )
    (source,) = sampled_columns(table, column.name)
    expression = source.expression
    if source.type.kind == "timestamp":
        # Python would render the instant in the time zone of this process, where an hour a year comes twice.
        expression = F.unix_micros(expression)
    rows = table.select(expression).limit(MAX_CELLS + 1).collect()
    return Values(_plain(row[0], source.type) for row in rows)


def _plain(value: Any, column_type: ColumnType) -> Any:
    return moment("timestamp", value) if column_type.kind == "timestamp" and value is not None else value
