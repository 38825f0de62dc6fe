"""A session for the command line, and what its failures say."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from spark_dp.spark.local import prepare_local
from spark_dp.wording import first_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Set where a Spark is given: spark-submit's, a remote one, Databricks'.
_GIVEN = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED", "DATABRICKS_RUNTIME_VERSION")

#: Spark's log with warnings only, and a bar while a stage runs; the same files as in conf/.
_SETTINGS = Path(__file__).parent / "settings"


def session(name: str) -> SparkSession:
    """The session that runs, or the one that the environment configures; without either, a local one.

    Raises:
        JavaNotFoundError: if it has to be a local one, and there is no Java.
    """
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    if not any(map(os.environ.get, _GIVEN)):
        prepare_local()
        os.environ.setdefault("SPARK_CONF_DIR", str(_SETTINGS))
    # pyspark says so at every import; the tests here run with pandas 2 and 3.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    return SparkSession.builder.appName(name).getOrCreate()


def told_by_spark(error: Exception) -> str | None:
    """The first line of an error that Spark raised, where its text cannot hold a private value; None for others.

    Reading private rows raises an error of spark_dp, which withholds Spark's text.
    """
    from pyspark.errors import PySparkException

    return first_line(error) if isinstance(error, PySparkException) else None
