"""How long dp_sample takes, as ratios to Spark's own groupBy from one run.

Makes the tables once, then times ``dp_sample`` and ``groupBy(col).count()`` of the same column on the
same session in turn, and prints the median of their ratios. Seconds differ from machine to machine
and from hour to hour; ratios hardly do.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_dp as dp
from spark_dp.spark.local import prepare_local

FOLDER = Path("build/benchmark")
FEW = [f"value {number}" for number in range(9)]
MANY = [f"value {number}" for number in range(1000)]
DISTINCT_JUNK = 10_000_000


@dataclass(frozen=True)
class Line:
    """One line of the table: what is timed against what."""

    name: str
    column: str
    domain: list[str]
    limit: float
    baseline: Callable[[DataFrame, str], object]


def collected(df: DataFrame, column: str) -> object:
    """The plain count, brought to the driver."""
    return df.groupBy(column).count().collect()


def discarded(df: DataFrame, column: str) -> object:
    """The plain count without bringing millions of rows to the driver: the harder yardstick."""
    df.groupBy(column).count().write.format("noop").mode("overwrite").save()
    return None


LINES = (
    Line("9 values", "few", FEW, 1.15, collected),
    Line("1,000 values", "many", MANY, 1.15, collected),
    Line("9 values among 10 M others", "junk", FEW, 1.05, discarded),
    Line("1,000 values among 10 M others", "junk", MANY, 1.05, discarded),
)


def main() -> int:
    """Make the tables, time the lines, print the ratios."""
    parser = argparse.ArgumentParser(description="Ratios of dp_sample to groupBy().count(), from one run.")
    parser.add_argument("--rows", type=int, default=100_000_000, help="rows of the table (default: %(default)s)")
    parser.add_argument("--files", type=int, default=16, help="Parquet files of the table (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds of each line (default: %(default)s)")
    arguments = parser.parse_args()
    os.environ.setdefault("SPARK_CONF_DIR", str(Path(__file__).resolve().parent.parent / "conf"))
    prepare_local()
    # Grouping 10 M distinct texts does not fit the default gigabyte.
    builder = SparkSession.builder.master("local[*]").config("spark.driver.memory", "8g")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    table = tables(spark, arguments.rows, arguments.files)
    print(f"spark_dp {dp.__version__}, Spark {spark.version}, {os.cpu_count()} cores, {arguments.rows:,} rows")
    print(f"{'column':<32}{'groupBy s':>10}{'dp_sample s':>13}{'ratio':>8}{'limit':>8}", flush=True)
    for line in LINES:
        measure(line, table, arguments.rounds)
    spark.stop()
    return 0


def measure(line: Line, table: DataFrame, rounds: int) -> None:
    """Time both sides in turn after one warm-up and print the medians."""

    def native() -> object:
        return line.baseline(table, line.column)

    def private() -> object:
        return dp.dp_sample(table, line.column, 1, domain=line.domain, num_samples=10).collect()

    seconds(native)
    seconds(private)
    timed = [(seconds(native), seconds(private)) for _ in range(rounds)]
    theirs, ours = (statistics.median(side) for side in zip(*timed, strict=True))
    ratio = statistics.median(second / first for first, second in timed)
    print(f"{line.name:<32}{theirs:>10.2f}{ours:>13.2f}{ratio:>8.2f}{line.limit:>8.2f}", flush=True)


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def tables(spark: SparkSession, rows: int, files: int) -> DataFrame:
    """The table of the given size, made by an earlier run or now."""
    path = FOLDER / f"{rows}-{files}.parquet"
    if not (path / "_SUCCESS").exists():
        print(f"Making {rows:,} rows in {path} …", flush=True)
        junk = F.concat(F.lit("junk "), (F.rand(3) * DISTINCT_JUNK).cast("int").cast("string"))
        made = spark.range(0, rows, 1, files).select(
            skewed(1, len(FEW)).alias("few"),
            skewed(2, len(MANY)).alias("many"),
            F.when(F.rand(4) < 0.5, junk).otherwise(skewed(5, len(MANY))).alias("junk"),
        )
        made.write.mode("overwrite").parquet(str(path))
    return spark.read.parquet(str(path))


def skewed(seed: int, k: int) -> Column:
    """A text column of k values whose logarithm is uniform, so that the first is the most frequent."""
    rank = F.floor(F.pow(F.lit(k + 1.0), F.rand(seed))).cast("int") - 1
    return F.concat(F.lit("value "), rank.cast("string"))


if __name__ == "__main__":
    sys.exit(main())
