"""A domain of 10^12 values with a driver of one gigabyte: how long a sample takes, and what memory it takes.

The table has 100 million rows with a million different pairs of two columns of a million values each. On one
machine the driver's Java is the executors', too.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmark import Line, discarding, made, measure, sampler
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_dp as dp
from spark_dp.spark.local import prepare_local

CELLS = 1_000_000


def main() -> int:
    """Make the table, time a sample of both columns, tell the memory."""
    parser = argparse.ArgumentParser(description="A sample from a domain of 10^12 values.")
    parser.add_argument("--rows", type=int, default=100_000_000, help="rows of the table (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="timed rounds (default: %(default)s)")
    arguments = parser.parse_args()
    os.environ.setdefault("SPARK_CONF_DIR", str(Path(__file__).resolve().parent.parent / "conf"))
    prepare_local()
    builder = SparkSession.builder.master("local[*]").config("spark.driver.memory", "1g")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    path = made(spark, f"{arguments.rows}-cells", arguments.rows, 16, cell=F.floor(F.rand(10) * CELLS).cast("int"))
    pairs = spark.read.parquet(path).select(
        F.col("cell").alias("a"), (F.col("cell").cast("long") * 7919 % CELLS).alias("b")
    )
    grouped = pairs.groupBy("a", "b").count()
    million = dp.Integers(0, CELLS - 1)
    domain = {"a": million, "b": million}
    for draws in (1, 100):
        name = f"10^12 values, 1 M of them seen, T = {draws}"
        private = sampler(pairs, ["a", "b"], domain, num_samples=draws)
        measure(Line(name, discarding(grouped), private), arguments.rounds)
    for name, peak in sorted(peaks()):
        print(f"  peak memory of {name}: {peak / 2**20:.2f} GiB", flush=True)
    spark.stop()
    return 0


def peaks() -> Iterator[tuple[str, int]]:
    """The largest memory so far, in KiB, of this process and of each that it has started."""
    told = {status["Pid"]: status for status in map(facts, Path("/proc").glob("[0-9]*/status")) if status}
    ours = {str(os.getpid())}
    while more := {pid for pid, status in told.items() if status["PPid"] in ours} - ours:
        ours |= more
    for pid in ours:
        if "VmHWM" in told[pid]:
            name = "the driver's Python" if pid == str(os.getpid()) else told[pid]["Name"]
            yield name, int(told[pid]["VmHWM"].split()[0])


def facts(path: Path) -> dict[str, str]:
    """What Linux tells of a process; nothing if it is gone."""
    try:
        return dict(line.split(":\t", 1) for line in path.read_text().splitlines() if ":\t" in line)
    except (FileNotFoundError, ProcessLookupError):
        return {}


if __name__ == "__main__":
    sys.exit(main())
