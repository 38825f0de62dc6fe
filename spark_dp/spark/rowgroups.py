"""What an executor does with its share of the Parquet files: it opens the row groups itself and counts.

A column that is encoded as a dictionary stays so, see :mod:`spark_dp.spark.codes`. Every function that
reaches an executor is made inside another one, so that it goes by value and no executor needs spark_dp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pyarrow as pa

from spark_dp.domain import Domain, Values
from spark_dp.spark.codes import Coded, Ints, coder
from spark_dp.spark.columns import SampledColumn

#: The rank in a partial count that says: what is here, another counter must count.
NOT_COUNTED = -1

#: Rows decoded at once: so many that the cost of a call is forgotten, so few that they stay in a cache.
_BATCH = 2**18

#: How many rows for each code make it worth while to count the codes and not the ranks.
_ROWS_PER_CODE = 2


def row_group_counter(
    columns: Sequence[SampledColumn],
    domain: Domain,
    parts: int,
    open_file: Callable[[str], AbstractContextManager[Any]],
    *,
    outside: bool,
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for mapInArrow: from (path, part) to (rank, count), where one rank may be NOT_COUNTED.

    Args:
        columns: the sampled columns.
        domain: theirs, jointly.
        parts: into how many parts the row groups of each file are divided.
        open_file: what :func:`spark_dp.spark.plain.opener` makes.
        outside: whether to count the rows outside the domain too, with the rank null.
    """
    size, add = domain.size, _adder(domain)
    listed = [axis for axis in domain.axes if isinstance(axis, Values)]
    coders = [coder(column.type, axis) for column, axis in zip(columns, listed, strict=True)]
    # A hash table of the domain is made anew for each batch.
    batch_size = max(_BATCH, *(axis.size for axis in domain.axes), 1)

    def count_file(totals: Ints, path: str, numbers: Sequence[int]) -> None:
        with open_file(path) as (file, leaves):
            groups = file.metadata.num_row_groups if file else 0
            own = [group for part in numbers for group in range(part * groups // parts, (part + 1) * groups // parts)]
            if not own:
                return
            for batch in file.iter_batches(batch_size, row_groups=own, columns=leaves, use_threads=False):
                arrays = [batch.column(batch.schema.get_field_index(leaf)) for leaf in leaves]
                add(totals, [code(array) for code, array in zip(coders, arrays, strict=True)])

    def count_row_groups(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        totals = np.zeros(size + 1, np.int64)
        # All parts of a file together, so that it is opened once.
        work: dict[str, list[int]] = {}
        for batch in batches:
            for path, part in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                work.setdefault(path, []).append(part)
        try:
            for path, numbers in work.items():
                count_file(totals, path, numbers)
        except Exception:  # noqa: BLE001 — whatever it was, the other counter finds it out and says it
            found, seen = [NOT_COUNTED], [1]
        else:
            found = np.flatnonzero(totals[: size + outside]).tolist()
            seen = totals[found].tolist()
        ranks = pa.array([None if rank == size else rank for rank in found], pa.int64())
        yield pa.RecordBatch.from_arrays([ranks, pa.array(seen, pa.int64())], ["rank", "count"])

    return count_row_groups


def _adder(domain: Domain) -> Callable[[Ints, Sequence[Coded]], None]:
    """A function that adds the rows of a batch to the totals of each rank, from the codes of each column."""
    size, sizes = domain.size, [axis.size for axis in domain.axes]

    def joint_ranks(coded: Sequence[Coded]) -> Ints:
        if len(coded) == 1:
            ((codes, ranks),) = coded
            return ranks[codes]
        joint: Any = 0
        elsewhere: Any = False
        for (codes, ranks), axis_size in zip(coded, sizes, strict=True):
            places = ranks[codes]
            joint = joint * axis_size + places
            elsewhere = elsewhere | (places == axis_size)
        joint[elsewhere] = size
        return joint  # type: ignore[no-any-return]

    def add(totals: Ints, coded: Sequence[Coded]) -> None:
        codes, ranks = coded[0]
        if len(coded) == 1 and len(ranks) * _ROWS_PER_CODE <= len(codes):
            np.add.at(totals, ranks, np.bincount(codes, minlength=len(ranks)))
        else:
            totals += np.bincount(joint_ranks(coded), minlength=size + 1)

    return add
