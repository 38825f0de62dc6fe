"""Small frames in and out of Spark: literal rows, typed by a cast from canonical text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeGuard

import pyarrow as pa
import pyspark
from pyspark.sql import functions as F

from spark_dp.budget import Release
from spark_dp.domain import Axis, ColumnType, Domain, Intervals
from spark_dp.exact.expanded import Expanded
from spark_dp.spark.columns import DECLARED, NOISY_COUNT, SampledColumn

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


#: Characters of a domain in a column's metadata: that of some thousand values.
_LONGEST_DOMAIN = 50_000


def is_dataframe(value: object) -> TypeGuard[DataFrame]:
    """Whether a value is a Spark DataFrame, classic or Connect.

    Told by its class's home: the Connect class of Spark 3.5 is no subclass of the classic one,
    and importing it needs packages that a classic installation lacks.
    """
    return any(cls.__name__ == "DataFrame" and cls.__module__.startswith("pyspark.sql.") for cls in type(value).__mro__)


def from_text(text: Column, to: ColumnType) -> Column:
    """A column of canonical texts as values of a type.

    One way for all types: Python's own dates and timestamps would pass through the time zone of
    this process.
    """
    return F.unhex(text) if to.kind == "binary" else text.cast(to.name)


def literal_rows(spark: SparkSession, columns: Mapping[str, Sequence[str] | Sequence[int]]) -> DataFrame:
    """A DataFrame of literal rows, from columns of text and of integers."""
    if int(pyspark.__version__.split(".")[0]) >= 4:
        # A local relation: reading it takes no job.
        return spark.createDataFrame(pa.table(dict(columns)))
    types = ("long" if isinstance(column[0], int) else "string" for column in columns.values())
    schema = ", ".join(f"{name} {of}" for name, of in zip(columns, types, strict=True))
    return spark.createDataFrame(list(zip(*columns.values(), strict=True)), schema)


def with_metadata(df: DataFrame, added: Mapping[int, Mapping[str, object]]) -> DataFrame:
    """The DataFrame with the metadata of the columns at these positions replaced.

    The columns bear plain names meanwhile: withMetadata takes no name with a dot or a backtick,
    and an alias with metadata loses it on Connect.
    """
    names = df.columns
    plain = df.toDF(*(f"c{position}" for position in range(len(names))))
    for position, metadata in added.items():
        plain = plain.withMetadata(f"c{position}", dict(metadata))
    return plain.toDF(*names)


def sample_frame(
    spark: SparkSession,
    columns: Sequence[SampledColumn],
    domain: Domain,
    drawn: Release,
) -> DataFrame:
    """The drawn ranks as literal rows of the columns' own names and types, with the public record as metadata."""
    typed = (_typed(f"c{position}", column, column.name) for position, column in enumerate(columns))
    return recorded(literal_rows(spark, _texts(domain, drawn)).select(*typed), drawn, domain.axes)


def histogram_frame(
    spark: SparkSession,
    columns: Sequence[SampledColumn],
    domain: Domain,
    noisy: Release,
) -> DataFrame:
    """Every value of the domain with its noisy count, as literal rows with the public record as metadata."""
    rows: dict[str, Sequence[str] | Sequence[int]] = {}
    typed = []
    chance = Expanded(noisy.key)
    places = list(zip(*map(domain.coordinates, range(domain.size)), strict=True))
    for position, (axis, column) in enumerate(zip(domain.axes, columns, strict=True)):
        listed = range(axis.size)
        sides = (
            zip(*map(axis.ends, listed), strict=True) if isinstance(axis, Intervals) else [axis.drawn(listed, chance)]
        )
        for side, (name, texts) in enumerate(zip(histogram_names(column.name, axis), sides, strict=True)):
            rows[f"c{position}_{side}"] = [texts[place] for place in places[position]]
            typed.append(_typed(f"c{position}_{side}", column, name))
    rows[NOISY_COUNT] = noisy.values
    return recorded(literal_rows(spark, rows).select(*typed, NOISY_COUNT), noisy)


def histogram_names(name: str, axis: Axis) -> list[str]:
    """The columns of a histogram for a sampled one: a bin has two ends."""
    return [f"{name}_lower", f"{name}_upper"] if isinstance(axis, Intervals) else [name]


def _texts(domain: Domain, drawn: Release) -> dict[str, Sequence[str] | Sequence[int]]:
    """The values of the drawn ranks as canonical texts, one column for each sampled one."""
    places = zip(*map(domain.coordinates, drawn.values), strict=True)
    chance = Expanded(drawn.key)
    return {
        f"c{position}": axis.drawn(column, chance)
        for position, (axis, column) in enumerate(zip(domain.axes, places, strict=True))
    }


def _typed(text: str, column: SampledColumn, name: str) -> Column:
    return from_text(F.col(text), column.type).cast(column.own_type).alias(name)


def recorded(df: DataFrame, release: Release, axes: Sequence[Axis] = ()) -> DataFrame:
    """With the public record as the metadata of every column; after the casts, which drop metadata.

    Sampled columns declare their domains, too, unless they are long.
    """
    record = release.entry.record()
    metadata: dict[int, dict[str, object]] = {at: {"spark_dp": record} for at in range(len(df.columns))}
    for at, axis in enumerate(axes):
        document = axis.to_json()
        if len(document) <= _LONGEST_DOMAIN:
            metadata[at][DECLARED] = document
    return with_metadata(df, metadata)
