"""Where releases are written: files that appear whole, with a record, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyarrow import ArrowException, fs
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql.types import BinaryType

from spark_dp.errors import ArgumentError, OutputError
from spark_dp.exact.source import SYSTEM
from spark_dp.mechanisms.base import MAX_DRAWS
from spark_dp.spark.columns import setting
from spark_dp.spark.reports import record_of
from spark_dp.wording import first_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Beside the data in its folder; readers of Spark and others take no file that begins so for data.
RECORD = "_release.json"


def check_output(spark: SparkSession, path: str, kind: str, table: DataFrame, columns: list[str]) -> None:
    """Refuse what could not be written, while nothing has been read yet.

    Raises:
        ArgumentError: if something is at the path already, or the format cannot hold a column.
    """
    if kind not in ("parquet", "csv"):
        raise ArgumentError(f"{kind!r} is no format that releases are written in. Use parquet or csv.")
    try:
        # Twice, since Spark logs a stack trace if a single path is missing; Connect looks when asked for the schema.
        _ = spark.read.format("binaryFile").load([path, path]).schema
    except AnalysisException as error:
        if "PATH_NOT_FOUND" not in str(error):
            raise ArgumentError(f"Spark cannot write to {path!r}: {first_line(error)}") from None
    else:
        raise ArgumentError(f"The output {path!r} exists already. Choose another path, or remove it.")
    binary = [field.name for field in table.schema if field.name in columns and isinstance(field.dataType, BinaryType)]
    if kind == "csv" and binary:
        raise ArgumentError(f"CSV cannot hold the binary column {binary[0]!r}: write Parquet instead.")


def write_files(released: DataFrame, path: str, kind: str) -> None:
    """Write a release to a new place: in one file, which appears by one rename when Spark commits the job.

    More rows than the driver makes go into several, which are complete when _SUCCESS is there.

    Raises:
        OutputError: if Spark cannot write them.
    """
    try:
        _pieces(released).write.mode("error").format(kind).option("header", value=True).save(path)
    except PySparkException as error:
        raise OutputError(f"Spark cannot write to {path!r}: {first_line(error)}") from None


def write_folder(path: str, released: DataFrame, record: dict[str, Any]) -> None:
    """Write Parquet and the record aside, and rename: nobody sees a part of it.

    Raises:
        OutputError: if it cannot be written.
    """
    try:
        files, place = _place(path)
        parent, _, name = place.rpartition("/")
        aside = f"{parent}/.{name}.{SYSTEM.below(1 << 128):032x}"
        _pieces(released).write.parquet(_absolute(path).removesuffix(place) + aside)
        with files.open_output_stream(f"{aside}/{RECORD}") as stream:
            stream.write(_written(record).encode())
        files.move(aside, place)
    except (PySparkException, ArrowException, OSError) as error:
        raise OutputError(f"Cannot write to {path!r}: {first_line(error)}") from None


def folder_is_written(path: str, release_id: str) -> bool:
    """Whether a folder holds a release.

    Raises:
        OutputError: if it holds something else.
    """
    try:
        files, place = _place(path)
        if files.get_file_info(place).type is fs.FileType.NotFound:
            return False
        if files.get_file_info(f"{place}/{RECORD}").type is fs.FileType.NotFound:
            found = None
        else:
            with files.open_input_stream(f"{place}/{RECORD}") as stream:
                found = json.loads(stream.read()).get("release_id")
    except (ArrowException, OSError) as error:
        raise OutputError(f"Cannot look at {path!r}: {first_line(error)}") from None
    return _same(found, path, release_id)


def write_table(name: str, released: DataFrame, record: dict[str, Any]) -> None:
    """Create a catalog table, with the record as a property.

    Raises:
        OutputError: if it cannot be written.
    """
    writer = released.writeTo(name).tableProperty("spark_dp", _written(record))
    # Spark 3.5 would make a Hive table of one without a format.
    usual = setting(released.sparkSession, "spark.sql.sources.default", "")
    try:
        (writer.using(usual) if usual else writer).create()
    except PySparkException as error:
        raise OutputError(f"Cannot write the table {name!r}: {first_line(error)}") from None


def table_is_written(spark: SparkSession, name: str, release_id: str) -> bool:
    """Whether a catalog table holds a release.

    Raises:
        OutputError: if it holds something else.
    """
    if not spark.catalog.tableExists(name):
        return False
    try:
        found = record_of(spark.read.table(name)).release_id
    except ArgumentError:
        found = None
    return _same(found, name, release_id)


def _pieces(released: DataFrame) -> DataFrame:
    return released if record_of(released).num_samples > MAX_DRAWS else released.coalesce(1)


def _same(found: str | None, place: str, release_id: str) -> bool:
    if found != release_id:
        raise OutputError(f"{place} exists and holds no release {release_id!r}. Move it away, or write elsewhere.")
    return True


def _place(path: str) -> tuple[fs.FileSystem, str]:
    found: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(_absolute(path))
    return found


def _absolute(path: str) -> str:
    """A path as the file system wants it: what has no scheme lies here."""
    return path if "://" in path else str(Path(path).absolute())


def _written(record: dict[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"
