"""How long ``import spark_dp`` takes, beside the pyspark that every user imports anyway, from one run.

Starts fresh interpreters in turn, every other of which also imports spark_dp, and prints the medians, the median of
their differences and of their ratios.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

YARDSTICK = "from pyspark.sql import SparkSession"
#: More than the yardstick, in milliseconds.
LIMIT = 150


def main() -> None:
    """Time both in turn and print."""
    parser = argparse.ArgumentParser(description="What importing spark_dp adds to importing pyspark.")
    parser.add_argument("--rounds", type=int, default=15, help="fresh interpreters of each kind (default: %(default)s)")
    rounds = parser.parse_args().rounds
    with_us = f"{YARDSTICK}; import spark_dp"
    # The first of each reads files that the others find in memory.
    milliseconds(YARDSTICK), milliseconds(with_us)
    timed = [(milliseconds(YARDSTICK), milliseconds(with_us)) for _ in range(rounds)]
    theirs, ours = (statistics.median(side) for side in zip(*timed, strict=True))
    more = statistics.median(second - first for first, second in timed)
    ratio = statistics.median(second / first for first, second in timed)
    print(f"{YARDSTICK:<40}{theirs:>8.0f} ms")
    print(f"{'the same; import spark_dp':<40}{ours:>8.0f} ms")
    print(f"{'more':<40}{more:>8.1f} ms, limit {LIMIT}")
    print(f"{'ratio':<40}{ratio:>8.2f}")


def milliseconds(code: str) -> float:
    """How long a fresh interpreter takes for the code."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 — our own interpreter and code
    return 1000 * (time.perf_counter() - started)


if __name__ == "__main__":
    main()
