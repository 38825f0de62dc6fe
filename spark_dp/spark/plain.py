"""Which Parquet files are plain: those whose columns pyarrow reads as Spark would, told by their footers alone.

The executors run what is made here; see :mod:`spark_dp.spark.rowgroups`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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

_WRITER = b"org.apache.spark.version"
#: How Spark marks a file whose old dates and timestamps are of the Julian calendar.
_JULIAN = {b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96"}


def opener(
    columns: Sequence[SampledColumn], *, fold_case: bool, moved: bool
) -> Callable[[str], AbstractContextManager[Any]]:
    """A function that opens a plain file, as the file and the names that it has for the columns.

    A file of no bytes, which Spark passes over, is opened as None.

    Args:
        columns: the sampled columns.
        fold_case: whether upper and lower case name the same column.
        moved: whether Spark may move the dates and timestamps of files that others wrote.
    """
    wanted = [(column.name, column.type.name) for column in columns]
    texts = {column.name for column in columns if column.type.kind in ("string", "binary")}
    dated = any(column.type.kind in ("date", "timestamp", "timestamp_ntz") for column in columns)
    spark_type = _typer()

    def source(path: str) -> Any:
        from urllib.parse import unquote, urlsplit

        from pyarrow import fs

        if path.startswith("file:"):
            return fs.LocalFileSystem().open_input_file(unquote(urlsplit(path).path))
        system, inner = fs.FileSystem.from_uri(path)
        return system.open_input_file(inner)

    def leaf(schema: Any, name: str, of: str) -> int:
        """Where a column stands among the leaves of a schema."""
        if "." in name:
            raise ValueError("the same path may name a nested field")
        paths = [schema.column(place).path for place in range(len(schema))]
        tops = {path.partition(".")[0] for path in paths}
        same = [top for top in tops if top == name or (fold_case and top.lower() == name.lower())]
        place = paths.index(*same)
        found = schema.column(place)
        if found.max_repetition_level or spark_type(found) != of:
            raise ValueError("not of the type that Spark has for the column")
        return place

    def check_calendar(metadata: dict[bytes, bytes]) -> None:
        version = metadata.get(_WRITER)
        if moved if version is None else int(version.split(b".")[0]) < 3 or _JULIAN & set(metadata):
            raise ValueError("dates and timestamps of another calendar")

    @contextmanager
    def open_file(path: str) -> Iterator[Any]:
        import pyarrow.parquet as pq

        with source(path) as opened:
            if not opened.size():
                yield None, []
                return
            metadata = pq.read_metadata(opened)
            places = [leaf(metadata.schema, name, of) for name, of in wanted]
            if dated:
                check_calendar(metadata.metadata or {})
            names = [metadata.schema.column(place).path for place in places]
            coded = [
                own
                for own, place, (name, _) in zip(names, places, wanted, strict=True)
                if name in texts
                and any(
                    "DICTIONARY" in encoding
                    for group in range(metadata.num_row_groups)
                    for encoding in metadata.row_group(group).column(place).encodings
                )
            ]
            # INT96 can hold instants that no number of nanoseconds reaches.
            yield (
                pq.ParquetFile(opened, metadata=metadata, read_dictionary=coded, coerce_int96_timestamp_unit="us"),
                names,
            )

    return open_file


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
