"""Two ways to count a column over its domain; each is the other's test.

Both make one pass over the private table and send at most k + 1 rows to the driver: one for each
value seen and, only if asked for, one for everything outside the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from spark_dp.counts import Counts
from spark_dp.domain import Axis, Dates, Domain, Integers, Intervals, Values
from spark_dp.spark.columns import SampledColumn
from spark_dp.spark.frames import from_text, literal_rows
from spark_dp.spark.ranking import consecutive_rank, with_interval

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def count_native(df: DataFrame, columns: Sequence[SampledColumn], domain: Domain, *, outside: bool) -> Counts:
    """Counts by Catalyst alone: whole-stage code, partial sums for each partition.

    Grouping comes first, so that the join with the domain sees each value once and not each row. A
    look-up before the grouping, in a literal map, costs up to a third more for as few as 9 values.

    Args:
        df: the private table.
        columns: the sampled columns.
        domain: theirs, jointly.
        outside: whether to count the rows outside the domain too. Where they are of no use, they
            do not even reach the driver.
    """
    return collected(grouped_native(df, columns, domain, outside=outside), domain)


def grouped_native(df: DataFrame, columns: Sequence[SampledColumn], domain: Domain, *, outside: bool) -> DataFrame:
    """The same as rows of (rank, count), one for each rank and, with the rank null, one for what is outside."""
    selected = _in_bins(df.select(*_values(columns)), domain, outside=outside)
    # Whole numbers are grouped as they are, too, and ranked afterwards.
    keys = [f"r{at}" if isinstance(axis, Intervals) else f"v{at}" for at, axis in enumerate(domain.axes)]
    grouped = selected.groupBy(*keys).agg(F.count("*").alias("count"))
    ranked = _ranked(grouped, columns, domain, outside=outside).select("rank", "count")
    # An inner join leaves one row for each rank; a left one also those outside, to be folded into one.
    return summed(ranked) if outside else ranked


def ranked_rows(
    df: DataFrame, columns: Sequence[SampledColumn], domain: Domain, others: Sequence[Column], *, outside: bool
) -> DataFrame:
    """The rows themselves, each with its rank, and other columns beside it."""
    rows = _in_bins(df.select(*_values(columns), *others), domain, outside=outside)
    return _ranked(rows, columns, domain, outside=outside)


def _values(columns: Sequence[SampledColumn]) -> list[Column]:
    return [column.expression.alias(f"v{position}") for position, column in enumerate(columns)]


def _in_bins(rows: DataFrame, domain: Domain, *, outside: bool) -> DataFrame:
    """With the bins of the values, and without the rows that have no part in the answer."""
    for position, axis in enumerate(domain.axes):
        if isinstance(axis, Intervals):
            rows = with_interval(rows, f"v{position}", f"r{position}", axis, outside=outside)
        elif isinstance(axis, Integers | Dates) and not outside:
            rows = rows.where(consecutive_rank(F.col(f"v{position}"), axis).isNotNull())
    return rows


def _ranked(rows: DataFrame, columns: Sequence[SampledColumn], domain: Domain, *, outside: bool) -> DataFrame:
    """With one rank for all columns, null outside the domain."""
    for position, (axis, column) in enumerate(zip(domain.axes, columns, strict=True)):
        if isinstance(axis, Integers | Dates):
            rows = rows.withColumn(f"r{position}", consecutive_rank(F.col(f"v{position}"), axis))
        elif isinstance(axis, Values):
            texts = literal_rows(rows.sparkSession, {"text": axis.texts, "place": range(axis.size)})
            listed = texts.select(
                from_text(F.col("text"), column.type).alias(f"v{position}"), F.col("place").alias(f"r{position}")
            )
            rows = rows.join(F.broadcast(listed), f"v{position}", "left" if outside else "inner")
    return rows.withColumn("rank", _combined(domain))


def _combined(domain: Domain) -> Column:
    """One rank from the rank in each column, the last running fastest; null if one is."""
    rank = F.col("r0")
    for position, axis in enumerate(domain.axes[1:], start=1):
        rank = rank * F.lit(axis.size) + F.col(f"r{position}")
    return rank


def count_arrow(df: DataFrame, columns: Sequence[SampledColumn], domain: Domain, *, outside: bool) -> Counts:
    """The same by an Arrow UDF that turns each partition into one small table of (rank, count)."""
    # Made here, so that the workers get it by value and need no spark_dp of their own.
    rankers = [_ranker(axis) for axis in domain.axes]

    def rank_counts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        totals: dict[int | None, int] = {}
        for batch in batches:
            ranks = None
            for column, (size, ranked) in zip(batch.columns, rankers, strict=True):
                places = ranked(column)
                ranks = places if ranks is None else pc.add(pc.multiply(ranks, size), places)
            for pair in pc.value_counts(ranks).to_pylist():
                totals[pair["values"]] = totals.get(pair["values"], 0) + pair["counts"]
        yield pa.RecordBatch.from_arrays(
            [pa.array(list(totals), pa.int64()), pa.array(list(totals.values()), pa.int64())], ["rank", "count"]
        )

    selected = df.select(*(column.expression.alias(f"v{position}") for position, column in enumerate(columns)))
    partial = selected.mapInArrow(rank_counts, "rank long, count long")
    return collected(summed(partial if outside else partial.where("rank is not null")), domain)


def _ranker(axis: Axis) -> tuple[int, Callable[[Any], Any]]:
    """The size of a domain, and its ranks of an Arrow array; nothing of spark_dp is left in it."""
    if isinstance(axis, Values):
        value_set = pa.array(axis.values)

        def listed(column: Any) -> Any:
            return pc.index_in(column, value_set.cast(column.type)).cast(pa.int64())

        return axis.size, listed
    thresholds: Sequence[float]
    if isinstance(axis, Intervals):
        thresholds, clip, unit, scale = axis.thresholds, axis.bins.clip, axis.type.kind, axis.type.scale
    elif isinstance(axis, Integers | Dates):
        thresholds, clip, unit, scale = range(axis.first, axis.first + axis.size + 1), False, "integer", 0
    else:
        raise TypeError(f"{axis!r} was not cast to its column")

    def halved(column: Any) -> Any:
        from bisect import bisect_right
        from decimal import Context

        if pa.types.is_timestamp(column.type):
            column = column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())
        if pa.types.is_date(column.type):
            column = column.cast(pa.date32()).cast(pa.int32())
        places: list[int | None] = []
        for value in column.to_pylist():
            if value is None or value != value:  # noqa: PLR0124 — NaN
                places.append(None)
                continue
            x = int(value.scaleb(scale, Context(prec=80))) if unit == "decimal" else value
            place = bisect_right(thresholds, x) - 1
            inside = 0 <= place < len(thresholds) - 1
            places.append(place if inside else min(max(place, 0), len(thresholds) - 2) if clip else None)
        return pa.array(places, pa.int64())

    return axis.size, halved


def summed(ranked: DataFrame) -> DataFrame:
    """One row for each rank."""
    return ranked.groupBy("rank").agg(F.sum("count").alias("count"))


def collected(grouped: DataFrame, domain: Domain) -> Counts:
    """The one action over the private table."""
    table = arrow_table(grouped)
    outside = table.filter(pc.is_null(table["rank"]))
    inside = table.filter(pc.is_valid(table["rank"]))
    ranks, counts = (inside[name].to_numpy().astype(np.int64) for name in ("rank", "count"))
    return Counts.sparse(domain.size, ranks, counts, sum(outside["count"].to_pylist()))


def arrow_table(df: DataFrame) -> pa.Table:
    """The rows of a small frame, on the driver."""
    if hasattr(df, "toArrow"):
        # From Spark 4 on: a tenth of the time of as many rows one by one.
        return df.toArrow()
    rows = df.collect()
    return pa.table({name: pa.array([row[name] for row in rows]) for name in df.columns})
