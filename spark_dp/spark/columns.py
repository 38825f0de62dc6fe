"""The sampled columns: found in the schema, named exactly, and of a type that can be sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql import types as T

from spark_dp.domain import ColumnType
from spark_dp.errors import ColumnError, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_INTEGER_BITS: Mapping[type[T.DataType], int] = {T.ByteType: 8, T.ShortType: 16, T.IntegerType: 32, T.LongType: 64}

_KIND_OF: Mapping[type[T.DataType], str] = {
    T.StringType: "string",
    T.CharType: "string",
    T.VarcharType: "string",
    T.BooleanType: "boolean",
    T.DateType: "date",
    T.TimestampType: "timestamp",
    T.TimestampNTZType: "timestamp_ntz",
    T.BinaryType: "binary",
    T.FloatType: "float",
    T.DoubleType: "float",
}


@dataclass(frozen=True)
class SampledColumn:
    """A column of the private table.

    Args:
        name: as in the schema.
        type: what its domain must fit.
        own_type: its type in full, with a collation if it has one, as SQL writes it.
        declared: the domain that its metadata declares, as JSON, or None.
    """

    name: str
    type: ColumnType
    own_type: str
    declared: str | None

    @property
    def expression(self) -> Column:
        """The column, for a DataFrame that has it: compared byte by byte whatever its collation."""
        column = F.col(quoted(self.name))
        return F.collate(column, "UTF8_BINARY") if "collate" in self.own_type else column


#: The column of a histogram beside the sampled ones.
NOISY_COUNT = "noisy_count"

#: Key of a column's metadata under which declare_domain writes.
DECLARED = "spark_dp_domain"


def quoted(name: str) -> str:
    """A column name for F.col, whatever characters it has: dots and backticks are not syntax."""
    return "`" + name.replace("`", "``") + "`"


def sampled_columns(df: DataFrame, col: object) -> tuple[SampledColumn, ...]:
    """The columns that ``col`` names, one or several.

    Raises:
        ColumnError: if one is missing, ambiguous, nested, of a type that cannot be sampled, or named twice.
    """
    names = column_names(col)
    if len(set(names)) < len(names):
        raise ColumnError(f"col = {col!r} names a column twice. Name each column once.")
    return tuple(_sampled_column(df, name) for name in names)


def column_names(col: object) -> tuple[str, ...]:
    """The names that ``col`` gives, one or several.

    Raises:
        ColumnError: if it gives none.
    """
    names = [col] if isinstance(col, str) else col
    if not isinstance(names, list | tuple) or not names or not all(isinstance(name, str) for name in names):
        raise ColumnError(f"col = {col!r} must be the name of a column, or a list of names, as text.")
    return tuple(names)


def folds_case(df: DataFrame) -> bool:
    """Whether Spark takes upper and lower case for the same name; so by default, where it does not tell."""
    return setting(df.sparkSession, "spark.sql.caseSensitive", "false").lower() != "true"


def setting(spark: SparkSession, name: str, otherwise: str) -> str:
    """A setting of the session; another value where it may not be read, as most on serverless compute."""
    try:
        return str(spark.conf.get(name))
    except PySparkException:
        return otherwise


def check_histogram_names(names: Sequence[str]) -> None:
    """Refuse a histogram that would have two columns of one name.

    Raises:
        ColumnError: if two would be called the same.
    """
    lowered = [name.lower() for name in (*names, NOISY_COUNT)]
    if taken := [name for name in names if lowered.count(name.lower()) > 1]:
        raise ColumnError(
            f"A histogram would have two columns {taken[0]!r}: beside the sampled ones it has {NOISY_COUNT!r}, and for "
            f"bins of a column x 'x_lower' and 'x_upper'. Rename yours first: df.withColumnRenamed({taken[0]!r}, ...)."
        )


def field_of(df: DataFrame, name: str) -> T.StructField:
    """The column of that name in the schema.

    Raises:
        ColumnError: if it is missing, ambiguous or nested.
    """
    schema = df.schema
    if name not in schema.names:
        raise ColumnError(f"There is no column {name!r}. {_advice(schema, name)}")
    if len(rivals := _rivals(df, name)) > 1:
        raise ColumnError(f"Column {name!r} is ambiguous: the DataFrame has {rivals}. Rename or drop all but one.")
    return schema[name]


def _sampled_column(df: DataFrame, name: str) -> SampledColumn:
    field = field_of(df, name)
    declared = field.metadata.get(DECLARED)
    return SampledColumn(
        name, _column_type(field), field.dataType.simpleString(), None if declared is None else str(declared)
    )


def _rivals(df: DataFrame, name: str) -> list[str]:
    """The columns that Spark may mean by a name."""
    if folds_case(df):
        return [other for other in df.columns if other.lower() == name.lower()]
    return [other for other in df.columns if other == name]


def _advice(schema: T.StructType, name: str) -> str:
    outer, _, inner = name.partition(".")
    if inner and outer in schema.names and isinstance(schema[outer].dataType, T.StructType):
        return (
            f"A nested field is no column: give it a name first, df.withColumn({inner!r}, F.col({name!r})), "
            f"and sample {inner!r}."
        )
    return did_you_mean(name, schema.names)


def _column_type(field: T.StructField) -> ColumnType:
    data_type = field.dataType
    if isinstance(data_type, T.DecimalType):
        return ColumnType(data_type.simpleString(), "decimal", precision=data_type.precision, scale=data_type.scale)
    for known, bits in _INTEGER_BITS.items():
        if isinstance(data_type, known):
            return ColumnType(data_type.simpleString(), "integer", low=-(2 ** (bits - 1)), high=2 ** (bits - 1) - 1)
    for known, kind in _KIND_OF.items():
        if isinstance(data_type, known):
            return ColumnType("string" if kind == "string" else data_type.simpleString(), kind)
    raise ColumnError(
        f"Column {field.name!r} is of type {data_type.simpleString()}, which cannot be sampled. Strings, numbers, "
        "dates, timestamps, booleans and bytes can: take one element or field into a column of its own first."
    )
