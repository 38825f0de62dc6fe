"""One uniformly random row of each privacy unit, so that all rows of a person count as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from spark_dp.domain import MAX_CELLS, Domain
from spark_dp.errors import ColumnError
from spark_dp.exact.source import SYSTEM
from spark_dp.spark.columns import SampledColumn, field_of, quoted
from spark_dp.spark.counting import ranked_rows, summed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def check_unit(df: DataFrame, name: object) -> str | None:
    """The column whose values are the units; None if each row is one.

    Raises:
        ColumnError: if it is missing, ambiguous, or of a type that cannot be grouped.
    """
    if name is None:
        return None
    if not isinstance(name, str):
        raise ColumnError(f"privacy_unit = {name!r} must be the name of the column that tells whose a row is.")
    field = field_of(df, name)
    if isinstance(field.dataType, T.MapType | T.ArrayType | T.StructType | T.FloatType | T.DoubleType):
        raise ColumnError(
            f"Column {name!r} is of type {field.dataType.simpleString()}, which names no one. Give a column of "
            "identifiers, such as text or whole numbers, as privacy_unit."
        )
    return name


def grouped_by_unit(
    df: DataFrame, columns: Sequence[SampledColumn], domain: Domain, unit: str, *, outside: bool
) -> DataFrame:
    """Rows of (rank, count) as :func:`~spark_dp.spark.counting.grouped_native` has them, of one row for each unit.

    That row is a uniformly random one of those in the domain; a unit without one is outside. Rows whose
    unit is null are left out.

    The choice is random, so that a stage that Spark runs again may choose otherwise. It is made after all rows
    of a unit met in one task, and what follows is one task in one run of which each of these is read once: no
    unit can count under two values.
    """
    whose = F.col(quoted(unit)).alias("unit")
    rows = ranked_rows(df.where(F.col(quoted(unit)).isNotNull()), columns, domain, [whose], outside=outside)

    def tally(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        ranks, missing = [np.zeros(0, np.int64)], 0
        for batch in batches:
            column = batch.column(0)
            missing += column.null_count
            ranks.append(column.drop_null().to_numpy())
        seen, counts = np.unique(np.concatenate(ranks), return_counts=True)
        pairs = [pa.array([*seen.tolist(), None], pa.int64()), pa.array([*counts.tolist(), missing], pa.int64())]
        yield pa.RecordBatch.from_arrays(pairs, ["rank", "count"])

    tallied = _chosen(rows, domain).mapInArrow(tally, "rank long, count long")
    return summed(tallied.where("count > 0").repartition(1))


def count_units(df: DataFrame, unit: str) -> int:
    """How many units there are, where that is public."""
    return df.where(F.col(quoted(unit)).isNotNull()).select(F.col(quoted(unit))).distinct().count()


def _chosen(rows: DataFrame, domain: Domain) -> DataFrame:
    """The rank of one row for each unit, null if it has none in the domain."""
    # All rows of a unit meet before anything is chosen: where most units have few rows in a partition, choosing in
    # each partition first costs more than it spares (1.7 instead of 1.0 times the plain count of ten rows a unit).
    rows = rows.repartition("unit")
    # A random number for each row: the largest of a unit's is that of any of its rows. A row more or less moves the
    # places of others, so that their numbers must show nothing of places: no faster hash of Spark's promises that.
    # Key and place together fit one block of SHA-256.
    key = f"{SYSTEM.below(1 << 128):032x}"
    digest = F.sha2(F.concat(F.lit(key), F.monotonically_increasing_id().cast("string")), 256)
    number = F.xxhash64(digest)
    if domain.size > MAX_CELLS:
        numbered = rows.select("unit", "rank", F.when(F.col("rank").isNotNull(), number).alias("number"))
        return numbered.groupBy("unit").agg(F.max_by("rank", "number").alias("rank")).select("rank")
    # In one word with the rank, of which 41 bits or more are left for the number: a tenth less time.
    bits = domain.size.bit_length()
    packed = F.shiftleft(number, bits).bitwiseOR(F.col("rank")).alias("packed")
    largest = rows.select("unit", packed).groupBy("unit").agg(F.max("packed").alias("packed"))
    return largest.select(F.col("packed").bitwiseAND(F.lit((1 << bits) - 1)).alias("rank"))
