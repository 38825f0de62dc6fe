"""A third way to count: the executors open the row groups of a plain Parquet source themselves.

What is asked is only how the files are laid out and what their schemas say. Wherever this is not
plain, or anything at all goes wrong, :func:`count_native` counts, with the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pyspark.errors import AnalysisException

from spark_dp.counts import Counts
from spark_dp.domain import Axis, Domain, Intervals, Product, Values
from spark_dp.errors import SourceError
from spark_dp.spark.columns import SampledColumn, folds_case
from spark_dp.spark.counting import collected, count_native, summed
from spark_dp.spark.frames import literal_rows
from spark_dp.spark.plain import opener
from spark_dp.spark.rowgroups import NOT_COUNTED, row_group_counter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The attribute of a DataFrame object that remembers its paths. A transformation makes a new object without it.
_PATHS = "_spark_dp_parquet_paths"

#: Least number of pieces of work: one large file is divided among the executors, by its row groups.
_PIECES = 256

#: So many whole numbers or dates are listed for the executors.
_LISTED = 2**20

#: Characters that make a path a pattern.
_PATTERN = set("{}[]*?\\")

#: Settings under which Spark reads dates and timestamps as they stand, whoever wrote them.
_AS_THEY_STAND = {
    "spark.sql.parquet.datetimeRebaseModeInRead": "corrected",
    "spark.sql.parquet.int96RebaseModeInRead": "corrected",
    "spark.sql.parquet.int96TimestampConversion": "false",
}


def parquet(spark: SparkSession, path: str | Sequence[str]) -> DataFrame:
    """See :func:`spark_dp.parquet`."""
    paths = [path] if isinstance(path, str) else path
    if not isinstance(paths, list | tuple) or not paths or not all(isinstance(each, str) for each in paths):
        raise SourceError(f"path = {path!r} must be the path of Parquet files, or a list of paths, as text.")
    for each in paths:
        _refuse_delta(spark, each)
    return marked(spark.read.parquet(*paths), paths)


def marked(df: DataFrame, paths: Sequence[str]) -> DataFrame:
    """The DataFrame as one that reads Parquet files as they stand, from these paths.

    No paths stand for a list of files in which none comes twice.
    """
    vars(df)[_PATHS] = tuple(paths)
    return df


def mark_as(df: DataFrame, other: DataFrame) -> DataFrame:
    """The DataFrame, marked if the other one is, of whose rows and columns it has all."""
    return marked(df, vars(other)[_PATHS]) if is_parquet(other) else df


def is_parquet(df: DataFrame) -> bool:
    """Whether a DataFrame is what :func:`parquet` returned."""
    return _PATHS in vars(df)


def count_parquet(df: DataFrame, columns: Sequence[SampledColumn], domain: Domain, *, outside: bool) -> Counts:
    """The counts of a DataFrame that :func:`parquet` returned, from its files if they are plain.

    The arguments are those of :func:`count_native`.
    """
    counts = _from_files(df, columns, domain, outside=outside)
    return count_native(df, columns, domain, outside=outside) if counts is None else counts


def _from_files(df: DataFrame, columns: Sequence[SampledColumn], domain: Domain, *, outside: bool) -> Counts | None:
    """The counts, or None if another counter must tell."""
    try:
        listed = _listed(domain, columns)
        if listed is None:
            return None
        files = _data_files(df)
        if not files or not all(_has_own_bytes(df, column, files) for column in columns):
            return None
        conf = df.sparkSession.conf
        moved = any(str(conf.get(key)).lower() != plain for key, plain in _AS_THEY_STAND.items())
        open_file = opener(columns, fold_case=folds_case(df), moved=moved)
        parts = -(-_PIECES // len(files))
        count_row_groups = row_group_counter(columns, listed, parts, open_file, outside=outside)
        pieces: dict[str, Sequence[str] | Sequence[int]] = {
            "path": [file for file in files for _ in range(parts)],
            "part": [part for _ in files for part in range(parts)],
        }
        partial = literal_rows(df.sparkSession, pieces).mapInArrow(count_row_groups, "rank long, count long")
        counts = collected(summed(partial), domain)
    except Exception:  # noqa: BLE001 — whatever it was, the other counter finds it out and says it
        return None
    return None if NOT_COUNTED in counts.ranks else counts


def _listed(domain: Domain, columns: Sequence[SampledColumn]) -> Domain | None:
    """The domain as lists of values, with the same ranks; None if it has bins or is too large."""
    axes: dict[str, Axis] = {}
    for axis, column in zip(domain.axes, columns, strict=True):
        if isinstance(axis, Values):
            axes[column.name] = axis
        elif isinstance(axis, Intervals) or axis.size > _LISTED:
            return None
        else:
            axes[column.name] = Values(map(axis.unrank, range(axis.size)))
    return Product(axes) if len(axes) > 1 else axes[columns[0].name]


def _data_files(df: DataFrame) -> list[str]:
    """The files that Spark reads for it, as URIs; none if they are not listed for certain.

    Spark lists them itself, so that no driver needs to reach them, and nothing is read or listed twice.
    """
    paths: tuple[str, ...] = vars(df)[_PATHS]
    files = df.inputFiles()
    if any(_PATTERN & set(path) for path in paths):
        return []
    if len(paths) > 1:
        # A file under two of the paths is read twice and listed once.
        reader = df.sparkSession.read.schema(df.schema)
        if sum(len(reader.parquet(path).inputFiles()) for path in paths) != len(files):
            return []
    # Spark lists a summary file beside the data, and does not read it.
    return [file for file in files if not _is_hidden(file.rsplit("/", 1)[-1])]


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _has_own_bytes(df: DataFrame, column: SampledColumn, files: Sequence[str]) -> bool:
    """Whether a column is read from the files as it stands there, not from the names of folders, and not padded."""
    # Encoded as part of an address, after Hive's own way to write what a name of a folder may not hold.
    folders = [unquote(unquote(file.rsplit("/", 1)[0])).lower() for file in files]
    padded = "__CHAR_VARCHAR_TYPE_STRING" in df.schema[column.name].metadata or column.own_type.startswith("char")
    return not padded and not any(f"/{column.name.lower()}=" in folder for folder in folders)


def _refuse_delta(spark: SparkSession, path: str) -> None:
    log = f"{path.rstrip('/')}/_delta_log"
    try:
        # Nothing is read. Twice, since Spark warns at length of a single path that is not there.
        entries = spark.read.text([log, log]).inputFiles()
    except AnalysisException:  # there is no such folder
        return
    if entries:
        raise SourceError(
            f"{path!r} is a Delta table, whose folder also holds files that are no longer part of it. Read it with "
            f"dp.delta(spark, {path!r}), or with spark.read.format('delta').load({path!r}), and sample that."
        )
