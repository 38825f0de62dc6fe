"""Which Parquet files are plain: those whose columns pyarrow reads as Spark would, told by their footers alone.

The executors run what is made here; see :mod:`spark_dp.spark.rowgroups`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from spark_dp.spark.columns import SampledColumn

#: What Spark reads a Parquet type as: by physical type and name of the logical one.
_PLAIN = {
    ("BOOLEAN", "None"): "boolean",
    ("INT32", "None"): "int",
    ("INT64", "None"): "bigint",
    ("INT32", "Date"): "date",
    ("INT96", "None"): "timestamp",
    ("BYTE_ARRAY", "String"): "string",
    ("BYTE_ARRAY", "Enum"): "string",
    ("BYTE_ARRAY", "JSON"): "string",
    ("BYTE_ARRAY", "None"): "binary",
    ("BYTE_ARRAY", "BSON"): "binary",
    ("FIXED_LEN_BYTE_ARRAY", "None"): "binary",
}
#: The same for integers, by bits and sign.
_INTEGERS = {
    (8, True): "tinyint",
    (16, True): "smallint",
    (32, True): "int",
    (64, True): "bigint",
    (8, False): "smallint",
    (16, False): "int",
    (32, False): "bigint",
}

#: More bytes for each row than an index takes: such a column outgrew its dictionary and went on in plain, and
#: it would take longer to make a dictionary of it than to look up each of its rows.
_INDEX = 4

_WRITER = b"org.apache.spark.version"
#: How Spark marks a file whose old dates and timestamps are of the Julian calendar.
_JULIAN = {b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96"}


def opener(
    columns: Sequence[SampledColumn], *, fold_case: bool, moved: bool
) -> Callable[[str], AbstractContextManager[Any]]:
    """A function that opens a plain file, as the file and the names that it has for the columns.

    What is not plain raises. A file of no bytes, which Spark passes over, is opened as None.

    Args:
        columns: the sampled columns.
        fold_case: whether upper and lower case name the same column.
        moved: whether Spark may move the dates and timestamps of files that others wrote.
    """
    wanted = [(column.name, column.type.name) for column in columns]
    texts = {column.name for column in columns if column.type.kind in ("string", "binary")}
    dated = any(column.type.kind in ("date", "timestamp", "timestamp_ntz") for column in columns)
    source, find_leaf, is_moved = _source(), _leaf_finder(fold_case=fold_case), _calendar(moved=moved)

    def is_dictionary(metadata: Any, place: int) -> bool:
        chunks = [metadata.row_group(number).column(place) for number in range(metadata.num_row_groups)]
        if not any("DICTIONARY" in encoding for chunk in chunks for encoding in chunk.encodings):
            return False
        size, rows = (sum(getattr(chunk, of) for chunk in chunks) for of in ("total_uncompressed_size", "num_values"))
        return bool(size <= _INDEX * rows)

    @contextmanager
    def open_file(path: str) -> Iterator[Any]:
        import pyarrow.parquet as pq

        with source(path) as opened:
            if not opened.size():
                yield None, []
                return
            metadata = pq.read_metadata(opened)
            places = {name: find_leaf(metadata.schema, name, of) for name, of in wanted}
            if dated and is_moved(metadata.metadata or {}):
                raise ValueError("dates and timestamps of another calendar")
            names = {name: metadata.schema.column(place).path for name, place in places.items()}
            coded = [names[name] for name in texts if is_dictionary(metadata, places[name])]
            # INT96 can hold instants that no number of nanoseconds reaches.
            file = pq.ParquetFile(opened, metadata=metadata, read_dictionary=coded, coerce_int96_timestamp_unit="us")
            yield file, list(names.values())

    return open_file


def _source() -> Callable[[str], Any]:
    """A function that opens what Spark lists: the URI of a file, its path encoded save for letters of other scripts.

    Other stores are left to Spark: the same address can mean another store to another client.
    """

    def source(path: str) -> Any:
        from urllib.parse import unquote, urlsplit

        from pyarrow import fs

        if not path.startswith("file:"):
            raise ValueError("not a file of this machine")
        return fs.LocalFileSystem().open_input_file(unquote(urlsplit(path).path))

    return source


def _leaf_finder(*, fold_case: bool) -> Callable[[Any, str, str], int]:
    """A function that tells where a column of a name and a Spark type stands among the leaves of a Parquet schema."""
    spark_type = _typer()

    def find_leaf(schema: Any, name: str, of: str) -> int:
        if "." in name:
            raise ValueError("the same path may name a nested field")
        paths = [schema.column(place).path for place in range(len(schema))]
        tops = {path.partition(".")[0] for path in paths}
        same = [top for top in tops if top == name or (fold_case and top.lower() == name.lower())]
        if len(same) != 1 or same[0] not in paths:
            raise ValueError("no such column, or several, or a nested one")
        place = paths.index(same[0])
        found = schema.column(place)
        if found.max_repetition_level or spark_type(found) != of:
            raise ValueError("not of the type that Spark has for the column")
        return place

    return find_leaf


def _calendar(*, moved: bool) -> Callable[[Mapping[bytes, bytes]], bool]:
    """A function that tells from a file's metadata whether Spark may move its dates and timestamps."""

    def is_moved(metadata: Mapping[bytes, bytes]) -> bool:
        version = metadata.get(_WRITER)
        return moved if version is None else int(version.split(b".")[0]) < 3 or not _JULIAN.isdisjoint(metadata)

    return is_moved


def _typer() -> Callable[[Any], str | None]:
    """A function that tells what type Spark has for a leaf of a Parquet schema."""

    def spark_type(leaf: Any) -> str | None:
        import json

        logical = json.loads(leaf.logical_type.to_json())
        if logical["Type"] == "Decimal":
            return f"decimal({logical['precision']},{logical['scale']})"
        if logical["Type"] == "Int":
            return _INTEGERS.get((logical["bitWidth"], logical["isSigned"]))
        if logical["Type"] == "Timestamp" and logical["timeUnit"] in ("milliseconds", "microseconds"):
            return "timestamp" if logical["isAdjustedToUTC"] else "timestamp_ntz"
        return _PLAIN.get((leaf.physical_type, logical["Type"]))

    return spark_type
