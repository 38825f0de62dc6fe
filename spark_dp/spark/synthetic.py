"""Synthetic columns of any length: rows that Spark makes from released weights and their own number.

Each row is a function of the weights, which are released already, of a key of 128 bits that is drawn
once, and of its number. So a retried task, a second look or another partitioning makes the same row
again; the rows come in no order; and the driver holds no more than the weights. All of it are native
expressions, which Spark compiles into one loop.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from datetime import timedelta
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_dp.budget import Release
from spark_dp.domain import Axis, ColumnType, Dates, Domain, Integers, Intervals, Values
from spark_dp.domain.intervals import float_ends
from spark_dp.errors import NumSamplesError
from spark_dp.exact.alias import AliasTable
from spark_dp.mechanisms.base import MAX_DRAWS
from spark_dp.spark.columns import SampledColumn
from spark_dp.spark.frames import literal_rows, recorded

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: Lists of one length by name, each with the type that its values are cast to.
Lists = dict[str, tuple[str, Sequence[object]]]

#: Widest bin of whole units: a product of 31-bit halves fits 64 bits.
_WIDEST = 2**62
_HALF = 31

#: Longest list that stands in the plan itself, which Spark's UI keeps as text; longer ones are joined.
_LONGEST_LITERAL = 2**12

#: Characters that texts hardly have: control characters first, then those of private use.
_SEPARATORS = (*range(31, 0, -1), *range(0xE000, 0xF900), *range(0xF0000, 0x10FFFE))


def check_widths(columns: Sequence[SampledColumn], domain: Domain) -> None:
    """Refuse bins in which Spark's 64-bit arithmetic finds no uniform point.

    Raises:
        NumSamplesError: if there is such a bin.
    """
    for column, axis in zip(columns, domain.axes, strict=True):
        if isinstance(axis, Intervals) and _too_wide(axis):
            raise NumSamplesError(
                f"More than {MAX_DRAWS:,} samples are made by Spark, whose 64-bit arithmetic is too narrow for a point "
                f"in the bins of column {column.name!r}: {axis}. Give narrower bins, or ask for at most {MAX_DRAWS:,}."
            )


def _too_wide(axis: Intervals) -> bool:
    widest = max(high - low for low, high in pairwise(axis.thresholds))
    return math.isinf(widest) if axis.floats else widest > _WIDEST


def synthetic_frame(
    spark: SparkSession,
    columns: Sequence[SampledColumn],
    domain: Domain,
    drawn: Release,
) -> DataFrame:
    """So many independent draws from released weights, in the columns' own names and types, with the public record."""
    key = bytes.fromhex(drawn.key)
    rows = _ranked(spark.range(drawn.entry.num_samples), AliasTable.of(drawn.values), key)
    rows = rows.select("id", *_places(domain))
    typed = []
    for use, (axis, column) in enumerate(zip(domain.axes, columns, strict=True), start=1):
        if isinstance(axis, Intervals):
            # A hash with a key of its own: what chose the bin says nothing about the place in it.
            rows = rows.withColumn(f"h{use}", _hashed(key, use))
        rows = _with_lists(rows, _place(use), _lists(axis, column.type, use))
        typed.append(_value(axis, column.type, use).cast(column.own_type).alias(column.name))
    return recorded(rows.select(*typed), drawn, domain.axes)


def _place(use: int) -> str:
    """The name of the rank in a column."""
    return f"p{use}"


def _hashed(key: bytes, use: int) -> Column:
    """64 uniform bits for each row, others for each use.

    The number goes through the rounds of two halves of a key, between which nothing of its order is left.
    """
    digest = hashlib.sha256(key + use.to_bytes(4, "big")).digest()
    first, second = (F.lit(int.from_bytes(half, "big", signed=True)) for half in (digest[:8], digest[8:16]))
    return F.xxhash64(F.col("id").bitwiseXOR(first), second)


def _ranked(rows: DataFrame, table: AliasTable, key: bytes) -> DataFrame:
    """The rows with a rank drawn from the table.

    Step by step, since Spark would compute a hash again wherever an expression names it.
    """
    slots = (1 << table.bits) - 1
    rows = rows.select("id", _hashed(key, 0).alias("h"))
    rows = rows.select(
        "id",
        F.col("h").bitwiseAND(F.lit(slots)).cast("int").alias("slot"),
        # Of the upper bits as many as a threshold has.
        F.shiftrightunsigned("h", 64 - table.threshold_bits).alias("u"),
    )
    rows = _with_lists(rows, "slot", {"entry": ("bigint", table.entries)})
    # All ones where u has reached the threshold. No branch: a processor would guess every other one wrong.
    other = F.shiftright(F.shiftright("entry", table.bits) - F.col("u"), 63)
    rank = F.col("slot").bitwiseXOR(F.col("entry").bitwiseAND(other).bitwiseAND(F.lit(slots)).cast("int"))
    return rows.select("id", rank.alias("rank"))


def _places(domain: Domain) -> list[Column]:
    """The rank in each column of a drawn joint one."""
    places, step = [], domain.size
    for use, axis in enumerate(domain.axes, start=1):
        step //= axis.size
        # Whole-number division has no other name in the DataFrame API.
        place = F.expr(f"rank div {step} % {axis.size}") if len(domain.axes) > 1 else F.col("rank")
        places.append(place.cast("int").alias(_place(use)))
    return places


def _with_lists(rows: DataFrame, place: str, lists: Lists) -> DataFrame:
    """The rows with the value at their place of each of some lists of one length."""
    if any(len(values) > _LONGEST_LITERAL for _, values in lists.values()):
        numbers = range(max(len(values) for _, values in lists.values()))
        listed = literal_rows(
            rows.sparkSession,
            {place: list(numbers), **{name: list(map(str, values)) for name, (_, values) in lists.items()}},
        )
        typed = (F.col(name).cast(spark_type).alias(name) for name, (spark_type, _) in lists.items())
        return rows.join(F.broadcast(listed.select(F.col(place).cast("int").alias(place), *typed)), place)
    return rows.select("*", *(_looked_up(*lists[name], F.col(place)).alias(name) for name in lists))


def _looked_up(spark_type: str, values: Sequence[object], place: Column) -> Column:
    """The value at a place of a list.

    The list is one literal text that Spark takes apart once, while it plans: literals one by one
    would take it long.
    """
    texts = list(map(str, values))
    separator = _separator(texts)
    return F.get(F.split(F.lit(separator.join(texts)), separator).cast(f"array<{spark_type}>"), place)


def _separator(texts: Sequence[str]) -> str:
    """A character that none of the texts has."""
    used = set(chain.from_iterable(texts))
    return next(character for character in map(chr, _SEPARATORS) if character not in used)


def _lists(axis: Axis, to: ColumnType, use: int) -> Lists:
    """What has to be looked up for the values of a column, each list with its type."""
    if isinstance(axis, Values):
        # No cast reads hexadecimal digits: it is the drawn ones that are read.
        return {f"value{use}": ("string" if to.kind == "binary" else to.name, axis.texts)}
    if not isinstance(axis, Intervals):
        return {}
    lows = axis.thresholds[:-1]
    widths = [high - low for low, high in pairwise(axis.thresholds)]
    if not axis.floats:
        whole = "decimal(38,0)" if axis.type.kind == "decimal" else "bigint"
        return {f"low{use}": (whole, lows), f"width{use}": ("bigint", widths)}
    first, last = zip(*(float_ends(axis.type, low, high) for low, high in pairwise(axis.thresholds)), strict=True)
    named = {"low": lows, "width": widths, "first": first, "last": last}
    return {f"{name}{use}": ("double", values) for name, values in named.items()}


def _value(axis: Axis, to: ColumnType, use: int) -> Column:
    """What a rank in a column stands for."""
    if isinstance(axis, Values):
        drawn = F.col(f"value{use}")
        return F.unhex(drawn) if to.kind == "binary" else drawn
    if isinstance(axis, Integers | Dates):
        return _from_units(to, F.col(_place(use)).cast("long") + F.lit(axis.first))
    if isinstance(axis, Intervals):
        return _float_point(to, use) if axis.floats else _unit_point(to, use)
    raise TypeError(f"{axis!r} was not cast to its column")


def _float_point(to: ColumnType, use: int) -> Column:
    """A uniform floating-point number in a bin: 53 bits of the way through it, rounded, and kept inside."""
    share = F.shiftrightunsigned(f"h{use}", 11).cast("double") * F.lit(2.0**-53)
    x = F.col(f"low{use}") + F.col(f"width{use}") * share
    # Rounded to the column's type before it is compared with what that type has inside the bin.
    return F.greatest(F.col(f"first{use}"), F.least(x.cast(to.name).cast("double"), F.col(f"last{use}")))


def _unit_point(to: ColumnType, use: int) -> Column:
    """A uniform one of the whole units in a bin: ⌊u w / 2^62⌋ above its lower end, u of 62 bits and w units wide.

    Any part of the bin has its probability within 2^−62. The product is taken in halves of 31 bits.
    """
    chance, low, width = f"h{use}", F.col(f"low{use}"), F.col(f"width{use}")
    mask = F.lit((1 << _HALF) - 1)
    u_high, u_low = F.shiftrightunsigned(chance, 64 - _HALF), F.shiftrightunsigned(chance, 2).bitwiseAND(mask)
    w_high, w_low = F.shiftright(width, _HALF), width.bitwiseAND(mask)
    middle = u_high * w_low + u_low * w_high + F.shiftright(u_low * w_low, _HALF)
    offset = u_high * w_high + F.shiftright(middle, _HALF)
    if to.kind == "decimal":
        # Added as whole units and read from text: decimal arithmetic would round to 38 digits.
        units = low + offset.cast("decimal(20,0)")
        return F.concat(units.cast("string"), F.lit(f"e{-to.scale}")).cast(to.name)
    return _from_units(to, low + offset)


def _from_units(to: ColumnType, number: Column) -> Column:
    """Days or microseconds since 1970 as a moment, whatever the session's time zone; a whole number as itself."""
    if to.kind == "date":
        return F.date_from_unix_date(number.cast("int"))
    if to.kind == "timestamp":
        return F.timestamp_micros(number)
    if to.kind == "timestamp_ntz":
        return F.lit("1970-01-01").cast("timestamp_ntz") + F.lit(timedelta(microseconds=1)) * number
    return number
