"""Tables by name or path, as a policy has them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from spark_dp.errors import SourceError
from spark_dp.spark import delta, parquet
from spark_dp.spark.columns import quoted
from spark_dp.wording import first_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def table(
    spark: SparkSession,
    name: str | None,
    path: str | None,
    kind: str,
    schema: str | None = None,
    options: Mapping[str, bool] = MappingProxyType({}),
) -> DataFrame:
    """A catalog table, or the files of a kind at a path, without a look at the rows.

    Args:
        spark: the session.
        name: of a table in the catalog; else None.
        path: of files; else None.
        kind: of the files, as Spark calls it.
        schema: columns and types of files that do not tell them, as SQL writes them.
        options: how Spark reads them.

    Raises:
        SourceError: if it is not there, or cannot be read.
    """
    try:
        if name is not None:
            found = spark.read.table(name)
        elif kind == "parquet":
            found = parquet(spark, str(path))
        elif kind == "delta":
            found = delta(spark, str(path))
        else:
            reader = spark.read.format(kind).options(**options)
            found = (reader.schema(schema) if schema else reader).load(str(path))
        # Connect looks when it is asked.
        _ = found.schema
    except PySparkException as error:
        raise SourceError(f"Spark cannot read {name or path!r}: {first_line(error)}") from None
    return found


def column_as(df: DataFrame, column: str, name: str) -> DataFrame:
    """One column of a public table, under another name.

    Raises:
        SourceError: if it has no such column.
    """
    if column not in df.columns:
        raise SourceError(f"The table has the columns {df.columns}, but none named {column!r}.")
    return df.select(F.col(quoted(column)).alias(name))


def arranged(df: DataFrame, columns: tuple[str, ...], renamed: Mapping[str, str]) -> DataFrame:
    """These columns in this order, some of them under other names."""
    selected = df.select(*(F.col(quoted(column)) for column in columns))
    return selected.toDF(*(renamed.get(column, column) for column in columns))
