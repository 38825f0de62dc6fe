"""From the Arrow arrays of a column to small codes, which are counted, and the rank of each code.

The executors run what is made here. Every function that reaches them is made inside another one, so
that it goes by value and no executor needs spark_dp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from spark_dp.domain import ColumnType, Values

Ints = npt.NDArray[Any]

#: A code for each row, and for each code its rank, where the size of the domain stands for "outside".
Coded = tuple[Ints, Ints]
Coder = Callable[[Any], Coded]

#: Integers are looked up in a table of all between the least and the greatest of the domain, if it has at
#: most so many entries, or so many for each value; and are hashed otherwise.
_TABLE, _SPREAD = 2**20, 4

#: Microseconds in one unit of a Parquet timestamp; nanoseconds are none of Spark's.
_MICROS = {"ms": 1000, "us": 1}


def coder(of: ColumnType, axis: Values) -> Coder:
    """A function from an array of a column of this type to its codes.

    Of a dictionary each entry is looked up once, and the indices are the codes.
    """
    size = axis.size
    look_up = _look_up(of, axis)
    known: list[tuple[pa.Array, Ints]] = []

    def entries(dictionary: pa.Array) -> Ints:
        """The rank of each entry, and of one more that stands for null."""
        # One batch after another has the same dictionary.
        if not (known and known[0][0].equals(dictionary)):
            codes, ranks = look_up(dictionary)
            known[:] = [(dictionary, np.append(ranks[codes], size))]
        return known[0][1]

    def code(array: pa.Array) -> Coded:
        if not pa.types.is_dictionary(array.type):
            return look_up(array)
        indices = array.indices
        if indices.null_count:
            indices = indices.cast(pa.int64()).fill_null(len(array.dictionary))
        return indices.to_numpy(), entries(array.dictionary)

    return code


def _look_up(of: ColumnType, axis: Values) -> Coder:
    """The same for an array without a dictionary."""
    values: Any = axis.values
    if of.kind in ("string", "binary"):
        # Whatever bytes they are: no text needs to be valid to be counted.
        return _bytes([value.encode() if of.kind == "string" else value for value in values])
    if of.kind == "decimal":
        return _decimals(pa.array(values, pa.decimal128(of.precision, of.scale)))
    if of.kind == "date":
        return _numbers({"": pa.array(values, pa.date32()).cast(pa.int32())}, axis.size)
    if of.kind in ("timestamp", "timestamp_ntz"):
        micros = pa.array(values, pa.timestamp("us", tz="UTC" if of.kind == "timestamp" else None)).cast(pa.int64())
        return _numbers(dict.fromkeys(_MICROS, micros), axis.size)
    return _numbers({"": pa.array([int(value) for value in values], pa.int64())}, axis.size)


def _hashing() -> Callable[[pa.Array, pa.Array], Ints]:
    """A function that finds each element in a list, with the length of the list for none."""

    def hashed(array: pa.Array, value_set: pa.Array) -> Ints:
        import pyarrow.compute as pc

        return pc.index_in(array, value_set=value_set).fill_null(len(value_set)).to_numpy()  # type: ignore[no-any-return]

    return hashed


def _bytes(values: list[bytes]) -> Coder:
    hashed, value_set, ranks = _hashing(), pa.array(values, pa.binary()), np.arange(len(values) + 1)

    def look_up(array: pa.Array) -> Coded:
        to = pa.large_binary() if array.type in (pa.large_string(), pa.large_binary()) else pa.binary()
        return hashed(array.cast(to), value_set.cast(to)), ranks

    return look_up


def _decimals(value_set: pa.Array) -> Coder:
    hashed, ranks = _hashing(), np.arange(len(value_set) + 1)

    def look_up(array: pa.Array) -> Coded:
        return hashed(array.cast(value_set.type), value_set), ranks

    return look_up


def _numbers(by_unit: dict[str, pa.Array], size: int) -> Coder:
    """For integers, booleans, and dates and timestamps by the integers that they are stored as."""
    finders = {}
    for unit, array in by_unit.items():
        values, per = array.to_numpy().astype(np.int64), _MICROS.get(unit, 1)
        # What lies between two milliseconds is in no column of milliseconds.
        ranks = np.flatnonzero(values % per == 0)
        finders[unit] = _finder(values[ranks] // per, ranks, size)

    def look_up(array: pa.Array) -> Coded:
        unit = array.type.unit if pa.types.is_timestamp(array.type) else ""
        if pa.types.is_boolean(array.type):
            plain = array.cast(pa.int8())
        else:
            plain = array if pa.types.is_integer(array.type) else array.view(f"int{array.type.bit_width}")
        numbers = (plain.fill_null(0) if plain.null_count else plain).to_numpy()
        codes, ranks = finders[unit](numbers)
        if array.null_count:
            codes = np.where(array.is_null().to_numpy(zero_copy_only=False), len(ranks) - 1, codes)
        return codes, ranks

    return look_up


def _finder(values: Ints, ranks: Ints, size: int) -> Callable[[Ints], Coded]:
    """A function from numbers to codes, the last of which stands for "outside"."""
    low = int(values.min()) if len(values) else 0
    span = int(values.max()) - low if len(values) else 0
    if span < max(_TABLE, _SPREAD * size):
        table = np.full(span + 2, size)
        table[values - low] = ranks

        def from_table(numbers: Ints) -> Coded:
            # Without a sign, what lies below the least number lies far above the greatest.
            above = np.subtract(numbers, np.int64(low), dtype=np.int64).view(np.uint64)
            return np.minimum(above, np.uint64(span + 1), out=above).view(np.int64), table

        return from_table
    hashed, value_set, ranks_and_none = _hashing(), pa.array(values), np.append(ranks, size)
    return lambda numbers: (hashed(pa.array(numbers.astype(np.int64)), value_set), ranks_and_none)
