"""A session for the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_dp.spark.local import prepare_local

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def session(name: str) -> SparkSession:
    """The session that the environment configures; without one, a local one."""
    prepare_local()
    from pyspark.sql import SparkSession

    return SparkSession.builder.appName(name).getOrCreate()
