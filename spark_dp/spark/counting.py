"""Two ways to count a column over its domain; each is the other's test.

Both make one pass over the private table, in one Spark job, and send at most k + 1 rows to the
driver: one for each value seen and one for everything outside the domain.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F

from spark_dp.counts import Counts
from spark_dp.domain import Domain, Values
from spark_dp.spark.columns import SampledColumn
from spark_dp.spark.frames import from_text, literal_rows

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

Counter = Callable[["DataFrame", Sequence[SampledColumn], Domain], Counts]

#: A literal map is searched from its start for every row, so it pays for a few values only.
_LOOKUP_VALUES = 32


def count_native(df: DataFrame, columns: Sequence[SampledColumn], domain: Domain) -> Counts:
    """Counts by Catalyst alone: whole-stage code, partial sums for each partition."""
    if max(axis.size for axis in domain.axes) <= _LOOKUP_VALUES:
        ranked = df.select(_looked_up_rank(columns, domain).alias("rank"))
        grouped = ranked.groupBy("rank").agg(F.count("*").alias("count"))
    else:
        grouped = _joined_ranks(df, columns, domain).groupBy("rank").agg(F.sum("count").alias("count"))
    return _collected(grouped, domain)


def _looked_up_rank(columns: Sequence[SampledColumn], domain: Domain) -> Column:
    """The rank of a row through one literal map for each column; null outside the domain."""
    places = (
        # A map lookup that misses may raise under ANSI; this one never does.
        F.try_element_at(_literal_map(axis, column), column.expression)
        for axis, column in zip(domain.axes, columns, strict=True)
    )
    return _combined(places, domain)


def _literal_map(axis: Values, column: SampledColumn) -> Column:
    pairs = ((from_text(F.lit(text), column.type), F.lit(rank)) for rank, text in enumerate(axis.texts))
    return F.create_map(*(item for pair in pairs for item in pair))


def _joined_ranks(df: DataFrame, columns: Sequence[SampledColumn], domain: Domain) -> DataFrame:
    """Distinct values with their count and, joined from the domain, their rank; null outside the domain.

    Grouping comes first, so that the join sees each value once and not each row.
    """
    keys = [f"v{position}" for position in range(len(columns))]
    selected = df.select(*(column.expression.alias(key) for column, key in zip(columns, keys, strict=True)))
    grouped = selected.groupBy(*keys).agg(F.count("*").alias("count"))
    for position, (axis, column) in enumerate(zip(domain.axes, columns, strict=True)):
        listed = literal_rows(
            df.sparkSession, "text string, place long", [(text, rank) for rank, text in enumerate(axis.texts)]
        ).select(from_text(F.col("text"), column.type).alias(f"v{position}"), F.col("place").alias(f"r{position}"))
        grouped = grouped.join(F.broadcast(listed), f"v{position}", "left")
    places = (F.col(f"r{position}") for position in range(len(columns)))
    return grouped.select(_combined(places, domain).alias("rank"), "count")


def _combined(places: Iterator[Column], domain: Domain) -> Column:
    """One rank from the rank in each column, the last running fastest; null if one is."""
    sizes = [axis.size for axis in domain.axes]
    strides = [functools.reduce(operator.mul, sizes[position + 1 :], 1) for position in range(len(sizes))]
    terms = (place.cast("long") * F.lit(stride) for place, stride in zip(places, strides, strict=True))
    return functools.reduce(operator.add, terms)


def count_arrow(df: DataFrame, columns: Sequence[SampledColumn], domain: Domain) -> Counts:
    """Counts by an Arrow UDF that turns each partition into one small table of (rank, count)."""
    # Made here, so that the workers get it by value and need no spark_dp of their own.
    value_sets = [_value_set(axis) for axis in domain.axes]

    def rank_counts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        totals: dict[int | None, int] = {}
        for batch in batches:
            ranks = None
            for column, value_set in zip(batch.columns, value_sets, strict=True):
                places = pc.index_in(column, value_set.cast(column.type)).cast(pa.int64())
                ranks = places if ranks is None else pc.add(pc.multiply(ranks, len(value_set)), places)
            for pair in pc.value_counts(ranks).to_pylist():
                totals[pair["values"]] = totals.get(pair["values"], 0) + pair["counts"]
        yield pa.RecordBatch.from_arrays(
            [pa.array(list(totals), pa.int64()), pa.array(list(totals.values()), pa.int64())], ["rank", "count"]
        )

    selected = df.select(*(column.expression.alias(f"v{position}") for position, column in enumerate(columns)))
    partial = selected.mapInArrow(rank_counts, "rank long, count long")
    return _collected(partial.groupBy("rank").agg(F.sum("count").alias("count")), domain)


def _value_set(axis: Values) -> pa.Array:
    import pyarrow as pa

    return pa.array(list(axis.values))


def _collected(grouped: DataFrame, domain: Domain) -> Counts:
    """The one action over the private table."""
    rows = grouped.collect()
    inside = [(row["rank"], row["count"]) for row in rows if row["rank"] is not None]
    pairs = np.array(inside, dtype=np.int64).reshape(-1, 2)
    outside = sum(row["count"] for row in rows if row["rank"] is None)
    return Counts.sparse(domain.size, pairs[:, 0], pairs[:, 1], outside)
