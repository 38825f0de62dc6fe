"""Tables and domains as a command line has them: in text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from spark_dp.domain import from_json
from spark_dp.errors import ArgumentError
from spark_dp.spark.columns import SampledColumn, sampled_columns
from spark_dp.spark.tables import column_as, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMATS = ("parquet", "csv", "json", "orc")
KINDS = (*FORMATS, "delta", "table")


def table_format(name: str, *, otherwise: str) -> str:
    """The format that a path's ending tells."""
    ending = PurePosixPath(name).suffix.lstrip(".").lower()
    return ending if ending in FORMATS else otherwise


def read_table(spark: SparkSession, name: str, kind: str | None = None, schema: str | None = None) -> DataFrame:
    """A table by path or catalog name, without a look at its rows.

    Args:
        spark: the session.
        name: a path, whose ending tells the format (a folder without one is Parquet), or a catalog name.
        kind: one of ``KINDS``, if the name does not tell.
        schema: columns and types of a CSV or JSON file, as SQL writes them.

    Raises:
        SourceError: if it is not there, or cannot be read.
        ArgumentError: if it needs a schema.
    """
    chosen = kind or table_format(name, otherwise="parquet" if "/" in name else "table")
    if chosen not in KINDS:
        raise ArgumentError(f"{chosen!r} is no format of tables. Use one of {', '.join(KINDS)}.")
    if chosen == "json" and schema is None:
        # Inferring it would read the rows, and what type a column has would depend on them.
        raise ArgumentError(f"The JSON table {name!r} needs a schema: give --schema 'name type, ...'.")
    if chosen == "table":
        return table(spark, name, None, chosen)
    options = {"header": True, "enforceSchema": False} if chosen == "csv" else {}
    return table(spark, None, name, chosen, schema, options)


def read_domains(
    rows: DataFrame, options: tuple[str, str], columns: Sequence[str], given: Sequence[str]
) -> dict[str, object]:
    """The domain of each column of a table by its name; empty if all columns have one of their own.

    Args:
        rows: the table; no row of it is read.
        options: what names columns, and what gives their domains.
        columns: the names.
        given: a text for each, or none.

    Raises:
        ColumnError: if there is no such column.
        ArgumentError: if they are not as many, or one is missing, or cannot be read.
    """
    found = sampled_columns(rows, list(columns)) if columns else ()
    if given and len(given) != len(columns):
        raise ArgumentError(
            f"There are {len(columns)} {options[0]} and {len(given)} {options[1]}: give one domain for each column, or "
            "none."
        )
    if not given:
        for column in found:
            _check_own_domain(column, options[1])
    return {column: read_domain(rows.sparkSession, column, text) for column, text in zip(columns, given, strict=False)}


def _check_own_domain(column: SampledColumn, option: str) -> None:
    if column.declared is None and column.type.kind != "boolean":
        raise ArgumentError(
            f"Column {column.name!r} has no public domain: the values that may come out must be known without looking "
            f"at the private rows. Give them with {option}: a public table with a column {column.name!r}, a JSON list "
            'such as \'["a", "b"]\', or \'{"domain": "bins", "lower": 0, "upper": 100, "count": 20}\'.'
        )


def read_domain(spark: SparkSession, column: str, text: str) -> object:
    """A JSON list, the JSON of a domain, or the column of a public reference table.

    Raises:
        ArgumentError: if it is none of them.
    """
    if text.lstrip().startswith("{"):
        return from_json(text)
    if text.lstrip().startswith("["):
        try:
            return json.loads(text, parse_float=Decimal)
        except ValueError as error:
            raise ArgumentError(f"The domain {text!r} is no JSON list: {error}.") from None
    name, _, other = text.partition("#")
    if table_format(name, otherwise="") == "json":
        raise ArgumentError(f"The domain table {name!r} is JSON, which has no fixed types: save it as Parquet or CSV.")
    listed = read_table(spark, name)
    if not other and column not in listed.columns:
        raise ArgumentError(
            f"The domain table {name!r} has the columns {listed.columns}, but none named {column!r}. Name the one that "
            f"lists the values: {name}#{listed.columns[0] if listed.columns else 'code'}."
        )
    return column_as(listed, other, column) if other else listed
