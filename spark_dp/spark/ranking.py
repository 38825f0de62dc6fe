"""Ranks of a column's values, natively: for domains that need no list."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from pyspark.sql import functions as F

from spark_dp.domain import Dates, Integers, Intervals
from spark_dp.domain.units import units

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_DAY = 86_400_000_000

#: Most cells of a grid over uneven bins; each is two literals of the plan.
_GRID = 4096

#: The share of a value of the way through all bins, times a number of cells: for columns and for arrays.
Share = Callable[[Any], Any]


def consecutive_rank(value: Column, axis: Integers | Dates) -> Column:
    """The rank (bigint) of a value, null outside the domain."""
    # Days as numbers: a literal of the year 1 is no date to every version.
    x = (F.unix_date(value) if isinstance(axis, Dates) else value).cast("long")
    return F.when(x.between(axis.first, axis.first + axis.size - 1), x - F.lit(axis.first))


def with_interval(df: DataFrame, value: str, rank: str, axis: Intervals, *, outside: bool) -> DataFrame:
    """The frame with a column of the bin (bigint) of each value; what is in none is left out, or null."""
    x = _position(F.col(value), axis)
    # A NaN is larger than every number to Spark, and in no bin.
    known = x.isNotNull() & ~F.isnan(x) if axis.floats else x.isNotNull()
    low, last = _literal(axis.thresholds[0], axis), _literal(_last(axis), axis)
    inside = known if axis.bins.clip else (x >= low) & (x <= last)
    clipped = F.greatest(low, F.least(x, last)) if axis.bins.clip else x
    # Filtered first, so that nothing behind it is asked twice.
    df = df.withColumn("x", F.when(inside, clipped)) if outside else df.where(inside).withColumn("x", clipped)
    top = F.lit(axis.size - 1)
    if (share := _dividing(axis)) is not None:
        place = F.floor(share(F.col("x")))
        # Where rounding lifts the last value to the edge behind it. The least of a null and a number is the number.
        return df.withColumn(rank, F.when(place > top, top).otherwise(place)).drop("x")
    if (gridded := _gridded(axis)) is not None:
        return df.withColumn("cell", gridded[0]).withColumn(rank, gridded[1]).drop("x", "cell")
    return _searched(df, axis).withColumn(rank, F.col("at").cast("long")).drop("x", "at")


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


def _spaced(axis: Intervals) -> bool:
    """Whether a double tells how far between the outer edges a value lies."""
    low, high = axis.thresholds[0], axis.thresholds[-1]
    if axis.floats:
        return math.isfinite(high - low) and (high - low) / axis.size >= 2.0**-1000
    return high - low < 2**63 and not (axis.type.kind == "decimal" and _wide(axis))


def _dividing(axis: Intervals) -> Share | None:
    """What grows with a value, and passes a whole number just where the value passes an edge.

    It is made of operations that Spark and NumPy round alike and that never fall as the value grows, so
    that it is right for every value if it is right at each edge and at the last value before it.
    """
    if not axis.bins.uniform or not _spaced(axis):
        return None
    low = axis.thresholds[0]
    # Edges need not be whole units; the first threshold is the first unit that lies in the first bin.
    ahead = 0.0 if axis.floats else float(low - axis.bins.edges[0] * units(axis.type))
    width = float(_last(axis) - low) / axis.size if axis.floats else float(axis.bins.width * units(axis.type))

    def multiplied(x: Any) -> Any:
        return (_double(x - _of(x, low)) + _of(x, ahead)) * _of(x, 1 / width)

    def divided(x: Any) -> Any:
        return (_double(x - _of(x, low)) + _of(x, ahead)) / _of(x, width)

    first, last = _sides(axis)
    expected = np.arange(1, axis.size)
    for share in (multiplied, divided):
        exact = np.all(np.floor(share(first)) == expected) and np.all(np.floor(share(last)) == expected - 1)
        if exact and math.floor(share(np.array([low]))[0]) == 0:
            return share
    return None


def _sides(axis: Intervals) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The inner edges, and the last value before each."""
    inner = np.array(axis.thresholds[1:-1], np.float64 if axis.floats else np.int64)
    return inner, np.nextafter(inner, -np.inf) if axis.floats else inner - 1


def _of(x: Any, number: float) -> Any:
    """A number beside a column or an array."""
    return number if isinstance(x, np.ndarray) else F.lit(number)


def _double(x: Any) -> Any:
    return x.astype(np.float64) if isinstance(x, np.ndarray) else x.cast("double")


def _gridded(axis: Intervals) -> tuple[Column, Column] | None:
    """The cell of a grid of which each holds one edge at most, and the bin by the cell and its edge.

    The cell never falls as the value grows: edges of lower cells lie below the value, those of higher ones
    above it, however the cell was rounded.
    """
    if axis.size > _GRID or not _spaced(axis):
        return None
    low, span = axis.thresholds[0], float(axis.thresholds[-1] - axis.thresholds[0])
    inner, _ = _sides(axis)

    def cell(x: Any, cells: int) -> Any:
        return _double(x - _of(x, low)) * _of(x, cells / span)

    cells = 1 << axis.size.bit_length()
    while cells <= _GRID:
        of_edge = np.floor(cell(inner, cells)).astype(np.int64)
        if len(np.unique(of_edge)) == len(inner):
            break
        cells *= 2
    else:
        return None
    below = np.searchsorted(of_edge, np.arange(cells + 1))
    edges = [axis.thresholds[1 + int(at)] if at < len(inner) else None for at in below]
    x, number = F.col("x"), F.col("cell")
    counted = F.get(F.array(*(F.lit(int(count)) for count in below)), number)
    passed = x >= F.get(F.array(*map(F.lit, edges)), number)
    return F.floor(cell(x, cells)).cast("int"), (counted + F.when(passed, 1).otherwise(0)).cast("long")


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
