"""What an executor does with its share of the Parquet files: it opens the row groups itself and counts.

A column that is encoded as a dictionary stays so: its indices are counted, and each entry of the
dictionary is looked up in the domain once. Every function that reaches an executor is made inside
another one, so that it goes by value and no executor needs spark_dp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from spark_dp.domain import Domain, Values

if TYPE_CHECKING:
    from spark_dp.spark.columns import SampledColumn

#: The rank in a partial count that says: what is here, another counter must count.
NOT_COUNTED = -1

#: Rows that are decoded at once: enough to forget the cost of a call, few enough for a cache.
_BATCH = 2**18

#: A table over all integers between the least and the greatest of a domain may have this many entries,
#: or this many times those of the domain; above that they are hashed.
_TABLE, _SPREAD = 2**20, 4

Ints = npt.NDArray[Any]
#: A code for each row, and the rank for each code; the size of the domain stands for "outside".
Coded = tuple[Ints, Ints]


def row_group_counter(
    columns: Sequence[SampledColumn], domain: Domain, parts: int, *, outside: bool, fold_case: bool, rebased: bool
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for mapInArrow: from (path, part) to (rank, count), where one rank may be NOT_COUNTED.

    Args:
        columns: the sampled columns.
        domain: theirs, jointly.
        parts: into how many parts the row groups of a file are divided.
        outside: whether to count the rows outside the domain, with the rank null.
        fold_case: whether upper and lower case name the same column.
        rebased: whether Spark may move dates and timestamps of files that another engine wrote.
    """
    size, strides = domain.size, _strides(domain)
    coders = [_coder(column, axis) for column, axis in zip(columns, domain.axes, strict=True)]
    opened = _opener([(column.name, column.type.name) for column in columns], fold_case=fold_case, rebased=rebased)
    sizes, batch_rows = [axis.size for axis in domain.axes], max(_BATCH, *(axis.size for axis in domain.axes), 1)

    def add(totals: Ints, coded: list[Coded]) -> None:
        if len(coded) == 1:
            codes, ranks = coded[0]
            np.add.at(totals, ranks, np.bincount(codes, minlength=len(ranks)))
            return
        places: Any = 0
        elsewhere: Any = False
        for (codes, ranks), stride, axis_size in zip(coded, strides, sizes, strict=True):
            rank = ranks[codes]
            places = places + rank * stride
            elsewhere = elsewhere | (rank == axis_size)
        places[elsewhere] = size
        totals += np.bincount(places, minlength=size + 1)

    def count_file(totals: Ints, path: str, numbers: Iterable[int]) -> None:
        with opened(path) as (file, leaves):
            groups = file.metadata.num_row_groups if file else 0
            own = [
                group for part in numbers for group in range(part * groups // parts, (part + 1) * groups // parts)
            ]
            if not own:
                return
            for batch in file.iter_batches(batch_rows, row_groups=own, columns=leaves, use_threads=False):
                add(totals, [coder(batch.column(leaf)) for coder, leaf in zip(coders, leaves, strict=True)])

    def count_row_groups(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        totals = np.zeros(size + 1, np.int64)
        work: dict[str, list[int]] = {}
        for batch in batches:
            for path, part in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                work.setdefault(path, []).append(part)
        try:
            for path, numbers in work.items():
                count_file(totals, path, numbers)
        except Exception:  # noqa: BLE001 — whatever it was, the other counter finds out and says
            found, seen = [NOT_COUNTED], [1]
        else:
            found = np.flatnonzero(totals[: size + 1 if outside else size]).tolist()
            seen = totals[found].tolist()
        ranks = [None if rank == size else rank for rank in found]
        yield pa.RecordBatch.from_arrays([pa.array(ranks, pa.int64()), pa.array(seen, pa.int64())], ["rank", "count"])

    return count_row_groups
