"""Delta tables, by the list of files that the table itself keeps."""

from __future__ import annotations

import importlib.util
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pyspark.sql import types as T

from spark_dp.errors import SourceError
from spark_dp.spark.files import marked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: What a reader may meet and still read the files as they stand.
_HARMLESS = {"timestampNtz", "vacuumProtocolCheck", "v2Checkpoint"}


def delta(spark: SparkSession, path: str) -> DataFrame:
    """See :func:`spark_dp.delta`."""
    if not isinstance(path, str):
        raise SourceError(f"path = {path!r} must be the path of a Delta table, as text.")
    instead = f"Read it with spark.read.format('delta').load({path!r}) and sample that."
    if importlib.util.find_spec("deltalake") is None:
        raise SourceError(
            f"Only the package deltalake knows the files of a Delta table: pip install deltalake. {instead}"
        )
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        table = DeltaTable(path)
    except (DeltaError, OSError) as error:
        raise SourceError(f"{path!r} cannot be opened as a Delta table: {error}") from None
    if feature := _unreadable(table):
        raise SourceError(
            f"The Delta table {path!r} has {feature}, so that its files alone are not its rows. {instead}"
        )
    schema = T.StructType.fromJson(json.loads(table.schema().to_json()))
    files = [unquote(uri) for uri in table.file_uris()]
    if not files:
        return spark.createDataFrame([], schema)
    # In the table's own schema, since an old file may lack a new column. Each file is listed once.
    return marked(spark.read.schema(schema).parquet(*files), ())


def _unreadable(table: Any) -> str:
    """What forbids to read the files as they stand, in words; empty if nothing does."""
    protocol, metadata = table.protocol(), table.metadata()
    features = set(protocol.reader_features or ())
    mapping = metadata.configuration.get("delta.columnMapping.mode", "none")
    if "deletionVectors" in features:
        return "deletion vectors"
    if "columnMapping" in features or mapping != "none":
        return "column mapping"
    if metadata.partition_columns:
        return "partition columns"
    if unknown := sorted(features - _HARMLESS):
        return f"the features {unknown}"
    return ""
