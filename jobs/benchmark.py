"""How long spark_dp takes, as ratios to Spark's own work on the same session, from one run.

Makes the tables once, then times a call and its yardstick in turn, and prints the median of their
ratios. Seconds differ from machine to machine and from hour to hour; ratios hardly do.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_dp as dp
from spark_dp.spark.local import prepare_local

FOLDER = Path("build/benchmark")
FEW = [f"value {number}" for number in range(9)]
MANY = [f"value {number}" for number in range(1000)]
LEFT, RIGHT = MANY[:50], MANY[:40]
NUMBERS = range(100_000)
DISTINCT_JUNK = 10_000_000
UNITS = 10_000_000
SYNTHETIC_ROWS = 100_000_000

Call = Callable[[], object]


@dataclass(frozen=True)
class Line:
    """One line of the table: what is timed against what."""

    name: str
    yardstick: Call
    private: Call
    limit: float | None = None


def main() -> int:
    """Make the tables, time the lines, print the ratios."""
    parser = argparse.ArgumentParser(description="Ratios of spark_dp to Spark's own groupBy, from one run.")
    parser.add_argument("--rows", type=int, default=100_000_000, help="rows of the table (default: %(default)s)")
    parser.add_argument("--files", type=int, default=16, help="Parquet files of the table (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds of each line (default: %(default)s)")
    parser.add_argument("--growth", type=int, nargs="*", default=[10**7, 10**8, 10**9], help="rows of growing tables")
    parser.add_argument("--only", nargs="*", choices=SECTIONS, default=SECTIONS, help="parts of it (default: all)")
    arguments = parser.parse_args()
    os.environ.setdefault("SPARK_CONF_DIR", str(Path(__file__).resolve().parent.parent / "conf"))
    prepare_local()
    # Grouping 10 M distinct texts does not fit the default gigabyte.
    builder = SparkSession.builder.master("local[*]").config("spark.driver.memory", "8g")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    print(f"spark_dp {dp.__version__}, Spark {spark.version}, {os.cpu_count()} cores, {arguments.rows:,} rows")
    print(f"{'':<44}{'yardstick s':>12}{'spark_dp s':>12}{'ratio':>8}{'limit':>8}", flush=True)
    for section in arguments.only:
        print(section, flush=True)
        for line in SECTIONS[section](spark, arguments):
            measure(line, arguments.rounds)
    spark.stop()
    if "huge" in arguments.only:
        # In a process of its own, whose driver has one gigabyte.
        subprocess.run([sys.executable, Path(__file__).with_name("benchmark_huge.py")], check=True)  # noqa: S603 — ours
    return 0


def counting(spark: SparkSession, arguments: argparse.Namespace) -> Iterator[Line]:
    """A sample of a column, against the plain count of the same column that is collected."""
    path = everything(spark, arguments)
    table, files = spark.read.parquet(path), dp.parquet(spark, path)
    integers = dp.Integers(0, len(NUMBERS) - 1)
    yield sampled("text, 9 values", table, "few", FEW, 1.15)
    yield sampled("text, 1,000 values", table, "many", MANY, 1.15)
    yield sampled("50 x 40 texts jointly", table, ["left", "right"], {"left": LEFT, "right": RIGHT}, 1.15)
    yield sampled("100,000 integers", table, "number", integers, 1.15)
    yield sampled("100,000 integers, from noisy counts", table, "number", integers, None, num_samples=10)
    binned = F.floor(F.col("double") * 64)
    yield sampled("64 bins of a double", table, "double", dp.Bins(0, 1, 64), 1.15, by=binned)
    edges = [0, *(place / 64 + 0.001 for place in range(1, 64)), 1]
    yield sampled("64 uneven bins of a double", table, "double", dp.Bins(edges=edges), None, by=binned)
    yield sampled("dp.parquet: text, 9 values", files, "few", FEW, 0.3)
    yield sampled("dp.parquet: text, 1,000 values", files, "many", MANY, 0.3)
    yield sampled("dp.parquet: 100,000 integers", files, "number", NUMBERS, 0.3)


def junk(spark: SparkSession, arguments: argparse.Namespace) -> Iterator[Line]:
    """A few values among ten million others, against the same count left on Spark, and collected."""
    every_other = F.when(F.col("id") % 2 == 0, F.concat(F.lit("junk "), F.col("id").cast("string")))
    path = made(spark, "junk", 2 * DISTINCT_JUNK, arguments.files, junk=every_other.otherwise(skewed(3, len(MANY))))
    table = spark.read.parquet(path)
    yield sampled("9 values among 10 M others", table, "junk", FEW, 1.05)
    grouped = table.groupBy("junk").count()
    for name, domain in (("9 values, the count left on Spark", FEW), ("1,000 values, the count left on Spark", MANY)):
        yield Line(name, discarding(grouped), sampler(table, "junk", domain))


def units(spark: SparkSession, arguments: argparse.Namespace) -> Iterator[Line]:
    """One row of each of ten million units, against the plain count of rows by unit, left on Spark."""
    table = spark.read.parquet(everything(spark, arguments))
    grouped = table.groupBy("unit").count()
    integers = dp.Integers(0, len(NUMBERS) - 1)
    for name, column, domain in (("100,000 integers", "number", integers), ("text, 9 values", "few", FEW)):
        private = sampler(table, column, domain, privacy_unit="unit")
        yield Line(f"{UNITS // 10**6} M units, {name}", discarding(grouped), private, 1.2)


def synthetic(spark: SparkSession, _arguments: argparse.Namespace) -> Iterator[Line]:
    """Synthetic rows, against as many numbers, both thrown away."""
    numbers = spark.range(SYNTHETIC_ROWS)
    for name, domain in (("9 values", FEW), ("1,000 values", MANY)):
        table = spark.range(1000).select(skewed(6, len(domain)).alias("text"))
        sample = dp.dp_sample(table, "text", 1, domain=domain, num_samples=SYNTHETIC_ROWS)
        label = f"{SYNTHETIC_ROWS // 10**6} M rows of text, {name}"
        yield Line(label, discarding(numbers), discarding(sample), 3.0)


def growth(spark: SparkSession, arguments: argparse.Namespace) -> Iterator[Line]:
    """More rows of one column, and more values in as many rows."""
    for rows in arguments.growth:
        path = made(spark, f"{rows}-few", rows, arguments.files, few=skewed(1, len(FEW)))
        yield sampled(f"{rows:,} rows", spark.read.parquet(path), "few", FEW, None)
        yield sampled(f"{rows:,} rows, dp.parquet", dp.parquet(spark, path), "few", FEW, None)
    sizes = [10**power for power in range(1, 7)]
    columns = {f"of{k}": skewed_rank(k, k) for k in sizes}
    table = spark.read.parquet(made(spark, f"{arguments.rows}-sizes", arguments.rows, arguments.files, **columns))
    for k in sizes:
        yield sampled(f"{k:,} integers", table, f"of{k}", dp.Integers(0, k - 1), None)


def huge(_spark: SparkSession, _arguments: argparse.Namespace) -> Iterator[Line]:
    """Told by a process of its own, at the end."""
    yield from ()


SECTIONS = {part.__name__: part for part in (counting, junk, units, synthetic, growth, huge)}


def everything(spark: SparkSession, arguments: argparse.Namespace) -> str:
    """The path of a table with a column of each kind."""
    columns = {"few": skewed(1, len(FEW)), "many": skewed(2, len(MANY)), "number": skewed_rank(4, len(NUMBERS))}
    columns |= {"double": F.rand(5), "left": skewed(7, len(LEFT)), "right": skewed(8, len(RIGHT))}
    columns["unit"] = F.floor(F.rand(9) * UNITS)
    return made(spark, f"{arguments.rows}-{arguments.files}-all", arguments.rows, arguments.files, **columns)


def sampled(
    name: str,
    table: DataFrame,
    column: str | list[str],
    domain: object,
    limit: float | None,
    *,
    by: Column | None = None,
    num_samples: int = 1,
) -> Line:
    """A sample of a column against the plain count of it, or of an expression, both brought to the driver."""
    keys = [by] if by is not None else [column] if isinstance(column, str) else column
    # Made anew for each round: a frame that was collected keeps the counts that were shuffled for it.
    return Line(
        name,
        lambda: table.groupBy(*keys).count().collect(),
        sampler(table, column, domain, num_samples=num_samples),
        limit,
    )


def sampler(table: DataFrame, column: str | list[str], domain: object, **options: object) -> Call:
    """A call of dp_sample at ε = 1."""
    return lambda: dp.dp_sample(table, column, 1, domain=domain, **options)  # type: ignore[arg-type]


def discarding(df: DataFrame) -> Call:
    """A call that makes all rows and keeps none."""
    return df.write.format("noop").mode("overwrite").save


def measure(line: Line, rounds: int) -> None:
    """Time both sides in turn after one warm-up of each and print the medians."""
    seconds(line.yardstick)
    seconds(line.private)
    timed = [(seconds(line.yardstick), seconds(line.private)) for _ in range(rounds)]
    theirs, ours = (statistics.median(side) for side in zip(*timed, strict=True))
    ratio = statistics.median(second / first for first, second in timed)
    print(f"  {line.name:<42}{theirs:>12.2f}{ours:>12.2f}{ratio:>8.2f}{line.limit or '':>8}", flush=True)


def seconds(call: Call) -> float:
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
