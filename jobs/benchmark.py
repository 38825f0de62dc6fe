"""How long dp_sample takes, as ratios to Spark's own groupBy from one run, and synthetic rows to spark.range.

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_dp as dp
from spark_dp.spark.local import prepare_local

FOLDER = Path("build/benchmark")
FEW = [f"value {number}" for number in range(9)]
MANY = [f"value {number}" for number in range(1000)]
NUMBERS = range(100_000)
DISTINCT_JUNK = 10_000_000
SYNTHETIC_ROWS = 100_000_000


@dataclass(frozen=True)
class Line:
    """One line of the table: what is timed against what."""

    name: str
    table: DataFrame
    column: str
    domain: object
    limit: float | None
    baseline: Callable[[DataFrame, str], object]


def collected(df: DataFrame, column: str) -> object:
    """The plain count, brought to the driver."""
    return df.groupBy(column).count().collect()


def binned(df: DataFrame, column: str) -> object:
    """The plain count of bins that a division tells."""
    return df.groupBy(F.floor(F.col(column) * 64)).count().collect()


def discarded(df: DataFrame, column: str) -> object:
    """The plain count without bringing millions of rows to the driver: the harder yardstick."""
    discard(df.groupBy(column).count())
    return None


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
    rows, files = arguments.rows, arguments.files
    columns = {"few": skewed(1, len(FEW)), "many": skewed(2, len(MANY)), "number": skewed_rank(4, len(NUMBERS))}
    columns["double"] = F.rand(5)
    path = made(spark, f"{rows}-{files}-all", rows, files, **columns)
    table, plain = spark.read.parquet(path), dp.parquet(spark, path)
    # Every other row is a value of its own.
    junk = F.when(F.col("id") % 2 == 0, F.concat(F.lit("junk "), F.col("id").cast("string")))
    path = made(spark, "junk", 2 * DISTINCT_JUNK, files, junk=junk.otherwise(skewed(3, len(MANY))))
    dirty = spark.read.parquet(path)
    lines = (
        Line("9 values", table, "few", FEW, 1.15, collected),
        Line("1,000 values", table, "many", MANY, 1.15, collected),
        Line("100,000 integers", table, "number", dp.Integers(0, len(NUMBERS) - 1), 1.15, collected),
        Line("64 bins of a double", table, "double", dp.Bins(0, 1, 64), 1.15, binned),
        Line("9 values among 10 M others", dirty, "junk", FEW, 1.05, collected),
        Line("  to the groupBy left on Spark", dirty, "junk", FEW, None, discarded),
        Line("  the same for 1,000 values", dirty, "junk", MANY, None, discarded),
        Line("dp.parquet: 9 values", plain, "few", FEW, 0.30, collected),
        Line("dp.parquet: 1,000 values", plain, "many", MANY, 0.30, collected),
        # More than half of it is what no counter saves: noise for each of the 100,000 values.
        Line("dp.parquet: 100,000 integers", plain, "number", NUMBERS, 0.30, collected),
        Line("dp.parquet: 9 among 10 M others", dp.parquet(spark, path), "junk", FEW, None, discarded),
    )
    print(f"spark_dp {dp.__version__}, Spark {spark.version}, {os.cpu_count()} cores, {rows:,} rows")
    print(f"{'column':<32}{'groupBy s':>10}{'dp_sample s':>13}{'ratio':>8}{'limit':>8}", flush=True)
    for line in lines:
        measure(line, arguments.rounds)
    print(f"{'synthetic rows':<32}{'range s':>10}{'rows s':>13}{'ratio':>8}{'limit':>8}", flush=True)
    for name, domain in (("9 values", FEW), ("1,000 values", MANY)):
        measure_synthetic(spark, name, domain, arguments.rounds)
    spark.stop()
    return 0


def measure(line: Line, rounds: int) -> None:
    """Time a sample against its yardstick."""

    def native() -> object:
        return line.baseline(line.table, line.column)

    def private() -> object:
        return dp.dp_sample(line.table, line.column, 1, domain=line.domain, num_samples=10)

    compare(line.name, native, private, line.limit, rounds)


def measure_synthetic(spark: SparkSession, name: str, domain: Sequence[str], rounds: int) -> None:
    """Time making synthetic rows of a text column against making as many numbers, both thrown away."""
    numbers = spark.range(SYNTHETIC_ROWS)
    table = spark.range(1000).select(skewed(6, len(domain)).alias("text"))
    sample = dp.dp_sample(table, "text", 1, domain=domain, num_samples=SYNTHETIC_ROWS)
    compare(f"{SYNTHETIC_ROWS // 10**6} M, {name}", lambda: discard(numbers), lambda: discard(sample), 3.0, rounds)


def discard(df: DataFrame) -> None:
    """Make all rows and keep none."""
    df.write.format("noop").mode("overwrite").save()


def compare(
    name: str, native: Callable[[], object], private: Callable[[], object], limit: float | None, rounds: int
) -> None:
    """Time two calls in turn after one warm-up of each and print the medians."""
    seconds(native)
    seconds(private)
    timed = [(seconds(native), seconds(private)) for _ in range(rounds)]
    theirs, ours = (statistics.median(side) for side in zip(*timed, strict=True))
    ratio = statistics.median(second / first for first, second in timed)
    print(f"{name:<32}{theirs:>10.2f}{ours:>13.2f}{ratio:>8.2f}{limit or '':>8}", flush=True)


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def made(spark: SparkSession, name: str, rows: int, files: int, **columns: Column) -> str:
    """The path of a table of that many rows in that many Parquet files, made by an earlier run or now."""
    path = FOLDER / f"{name}.parquet"
    if not (path / "_SUCCESS").exists():
        print(f"Making {rows:,} rows in {path} …", flush=True)
        numbers = spark.range(0, rows, 1, files)
        selected = numbers.select(*(column.alias(label) for label, column in columns.items()))
        selected.write.mode("overwrite").parquet(str(path))
    return str(path)


def skewed(seed: int, k: int) -> Column:
    """A text column of k values whose logarithm is uniform, so that the first is the most frequent."""
    return F.concat(F.lit("value "), skewed_rank(seed, k).cast("string"))


def skewed_rank(seed: int, k: int) -> Column:
    """The same as integers from 0 on."""
    return F.floor(F.pow(F.lit(k + 1.0), F.rand(seed))).cast("int") - 1


if __name__ == "__main__":
    sys.exit(main())
