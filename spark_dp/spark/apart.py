"""Draws from counts that stay on the executors: for domains whose counts need not fit the driver.

Each partition of the grouped counts sends one row: what its values weigh together, and as many candidates
as there will be draws. A task that runs twice offers other candidates, of which Spark delivers those of
one run; the decision is made on the driver, once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from spark_dp.exact.parts import Part, Parts, summed_up
from spark_dp.exact.source import SYSTEM
from spark_dp.mechanisms.weights import Scheme, WeightsMechanism
from spark_dp.spark.byvalue import by_value
from spark_dp.spark.counting import arrow_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Each partition sends a candidate for each draw.
MAX_DRAWS_APART = 10_000

#: Weights exceed 64 bits: as text.
_SCHEMA = "records long, above string, seen long, minimum long, outside long, candidates array<long>"
_ARROW = pa.schema(
    [("records", pa.int64()), ("above", pa.string())]
    + [(name, pa.int64()) for name in ("seen", "minimum", "outside")]
    + [("candidates", pa.list_(pa.int64()))]
)


def parts(grouped: DataFrame, mechanism: WeightsMechanism) -> Parts:
    """What each partition of (rank, count) tells: the one action over the private table.

    Args:
        grouped: one row for each rank, and any number of rows for what is outside, with the rank null.
        mechanism: what will draw.
    """
    sum_up = partial(
        summed_up,
        above=mechanism.above_floor,
        draws=mechanism.num_samples,
        source=SYSTEM,
        distinct=mechanism.scheme is Scheme.DISTINCT_RECORDS,
    )
    table = arrow_table(grouped.mapInArrow(by_value(partial(one_row, sum_up)), _SCHEMA))
    rows = ({**row, "above": int(row["above"])} for row in table.to_pylist())
    return Parts(mechanism.k, tuple(Part(**row) for row in rows))


def one_row(sum_up: partial[Part], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The whole partition as one part, on an executor."""
    ranks, counts, outside = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for batch in batches:
        rank = batch.column("rank")
        inside = batch.filter(rank.is_valid())
        ranks.append(inside.column("rank").to_numpy(zero_copy_only=False))
        counts.append(inside.column("count").to_numpy(zero_copy_only=False))
        outside += sum(batch.filter(rank.is_null()).column("count").to_pylist())
    part = sum_up(np.concatenate(ranks), np.concatenate(counts), outside)
    row = {**vars(part), "above": str(part.above)}
    yield pa.RecordBatch.from_pylist([row], _ARROW)
