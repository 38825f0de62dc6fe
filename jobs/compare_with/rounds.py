"""What all scripts here share: arguments, session, rounds in turn, and one line of JSON.

Each script runs in the environment of its own library, so nothing but pyspark is imported here.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

EPSILON = 1
# Everybody has the same cores, whatever the machine has.
MASTER = "local[2]"


@dataclass(frozen=True)
class Task:
    """A table, with the public values of its text column, and what is asked about it."""

    spark: SparkSession
    path: str
    table: DataFrame
    domain: Sequence[str]
    variant: str


# One private release: the table's noisy count of each value, on the driver.
Release = Callable[[], Mapping[str, float]]


def compare(distribution: str, prepared: Callable[[Task], Release]) -> None:
    """Time the library's release and the plain groupBy in turn and print what came of it.

    Args:
        distribution: the name under which pip knows the library.
        prepared: makes the release from the task; what it does only once is not timed.
    """
    arguments = parsed()
    spark = session()
    task = Task(spark, arguments.path, spark.read.parquet(arguments.path), arguments.domain, arguments.variant)
    release = prepared(task)

    def plain() -> Mapping[str, float]:
        return {row["value"]: row["count"] for row in task.table.groupBy("value").count().collect()}

    exact, _ = timed(plain)
    timed(release)
    if sum(exact.values()) != arguments.rows:
        raise SystemExit(f"{arguments.path} has {sum(exact.values()):,.0f} rows, not {arguments.rows:,}")
    pairs, noisy = [], []
    for _ in range(arguments.rounds):
        _, native = timed(plain)
        counts, private = timed(release)
        pairs.append((native, private))
        noisy.append(counts)
    versions = {"version": importlib.metadata.version(distribution), "pyspark": spark.version}
    told = {"library": distribution, **versions, "seconds": pairs, "noisy": noisy, "exact": exact}
    print(json.dumps(told), flush=True)


def parsed() -> argparse.Namespace:
    """The command line, the same for all."""
    parser = argparse.ArgumentParser(description="One library's line of make compare, as JSON.")
    parser.add_argument("--variant", default="", help="another way to ask the same library")
    parser.add_argument("path", help="Parquet table with columns id and value, one row for each person")
    parser.add_argument("rows", type=int, help="how many rows the table has")
    parser.add_argument("rounds", type=int, help="timed rounds")
    parser.add_argument("domain", nargs="+", help="the public values")
    return parser.parse_args()


def session() -> SparkSession:
    """Spark as jobs/benchmark.py has it, on as many cores for all."""
    builder = SparkSession.builder.master(MASTER).config("spark.driver.memory", "8g")
    return builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate()


def timed(call: Release) -> tuple[Mapping[str, float], float]:
    """What a call returns and how long it takes."""
    started = time.perf_counter()
    returned = call()
    return returned, time.perf_counter() - started
