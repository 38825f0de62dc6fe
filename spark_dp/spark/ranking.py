"""Ranks of a column's values, natively: for domains that need no list."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_dp.domain import Axis, Dates, Integers, Intervals
from spark_dp.domain.units import units

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_DAY = 86_400_000_000

#: How near an edge, in widths of a bin, a value must lie to be compared with it; rounding is far below.
_NEAR = 2.0**-20


def with_rank(df: DataFrame, value: str, rank: str, axis: Axis) -> DataFrame:
    """The frame with a column of the rank (bigint) of each value, null outside the domain."""
    if isinstance(axis, Integers | Dates):
        # Days as numbers: a literal of the year 1 is no date to every version.
        x = (F.unix_date(F.col(value)) if isinstance(axis, Dates) else F.col(value)).cast("long")
        inside = x.between(axis.first, axis.first + axis.size - 1)
        return df.withColumn(rank, F.when(inside, x - F.lit(axis.first)))
    if isinstance(axis, Intervals):
        return _with_interval(df, value, rank, axis)
    raise TypeError(f"{axis!r} was not cast to its column")


def _with_interval(df: DataFrame, value: str, rank: str, axis: Intervals) -> DataFrame:
    x = _position(F.col(value), axis)
    # A NaN is larger than every number to Spark, and in no bin.
    known = x.isNotNull() & ~F.isnan(x) if axis.floats else x.isNotNull()
    inside = known if axis.bins.clip else (x >= _literal(axis.thresholds[0], axis)) & (x <= _literal(_last(axis), axis))
    df = df.withColumn("x", F.when(inside, x))
    df = _guessed(df, axis) if _even(axis) else _searched(df, axis)
    return df.withColumn(rank, F.col("at").cast("long")).drop("x", "at")


def _position(column: Column, axis: Intervals) -> Column:
    """The value as what the thresholds are made of: a double, whole units, or for wide decimals itself."""
    kind = axis.type.kind
    if kind == "float":
        return column.cast("double")
    if kind == "integer":
        return column.cast("long")
    if kind == "decimal":
        return column if _wide(axis) else (column * F.lit(Decimal(10**axis.type.scale))).cast("long")
    if kind == "date":
        return F.unix_date(column).cast("long")
    if kind == "timestamp":
        return F.unix_micros(column)
    # Without a time zone: by way of a timestamp with one, an hour a year would come twice.
    seconds = F.hour(column) * 3600 + F.minute(column) * 60
    micros = (F.extract(F.lit("SECOND"), column) * 1_000_000).cast("long")
    return F.unix_date(column.cast("date")).cast("long") * F.lit(_DAY) + seconds.cast("long") * 1_000_000 + micros


def _last(axis: Intervals) -> float:
    """The largest value of the last bin; the threshold behind it may not fit the type."""
    high = axis.thresholds[-1]
    return math.nextafter(high, -math.inf) if axis.floats else high - 1


def _wide(axis: Intervals) -> bool:
    """Whether a decimal column may have more units than 64 bits."""
    return axis.type.precision > 18


def _literal(threshold: float, axis: Intervals) -> Column:
    if axis.type.kind == "decimal" and _wide(axis):
        return F.lit(f"{threshold}e{-axis.type.scale}").cast(axis.type.name)
    return F.lit(threshold)


def _even(axis: Intervals) -> bool:
    """Whether a division tells the bin of all values but those next to an edge."""
    low, high = axis.thresholds[0], axis.thresholds[-1]
    if not axis.bins.uniform or (axis.type.kind == "decimal" and _wide(axis)):
        return False
    if axis.floats:
        # The edges are rounded; in bins that are not far wider than that, everything is next to one.
        coarse = 16 * math.ulp(max(abs(low), abs(high))) / _NEAR
        return math.isfinite(high - low) and (high - low) / axis.size >= max(coarse, 2.0**-1000)
    return high - low < 2**63


def _guessed(df: DataFrame, axis: Intervals) -> DataFrame:
    """The bin by a division; next to an edge, corrected by the edges themselves."""
    low, top = axis.thresholds[0], axis.size - 1
    x = F.col("x")
    inside = F.greatest(F.lit(low), F.least(x, F.lit(_last(axis)))) if axis.bins.clip else x
    # Edges need not be whole units; the first threshold is the first unit that lies in the first bin.
    ahead = 0.0 if axis.floats else float(low - axis.bins.edges[0] * units(axis.type))
    width = float(_last(axis) - low) / axis.size if axis.floats else float(axis.bins.width * units(axis.type))
    df = df.withColumn("share", ((inside - F.lit(low)).cast("double") + F.lit(ahead)) * F.lit(1 / width))
    df = df.withColumn("at", F.least(F.col("share").cast("int"), F.lit(top)))
    # Behind the last bin there is no edge, and the comparison is null.
    edges = F.array(*map(F.lit, axis.thresholds[:-1]))
    below = x < F.get(edges, F.col("at"))
    above = x >= F.get(edges, F.col("at") + 1)
    exact = F.greatest(F.lit(0), F.least(F.col("at") + F.when(below, -1).when(above, 1).otherwise(0), F.lit(top)))
    within = F.abs(F.col("share") - F.col("at") - 0.5) < 0.5 - _NEAR
    place = F.when(within, F.col("at")).otherwise(exact)
    return df.withColumn("at", F.when(x.isNotNull(), place)).drop("share")


def _searched(df: DataFrame, axis: Intervals) -> DataFrame:
    """The bin by halving: the number of inner edges at or below the value."""
    inner = axis.thresholds[1:-1]
    edges = F.array(*(_literal(edge, axis) for edge in inner))
    df = df.withColumn("at", F.when(F.col("x").isNotNull(), F.lit(0)))
    step = 1 << max(0, len(inner).bit_length() - 1)
    while step and inner:
        # Behind the last edge there is none, and the comparison is null.
        further = F.get(edges, F.col("at") + (step - 1)) <= F.col("x")
        df = df.withColumn("at", F.col("at") + F.when(further, step).otherwise(0))
        step >>= 1
    return df
