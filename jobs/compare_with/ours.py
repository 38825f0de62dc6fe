"""spark_dp's lines: Spark's count, and with --variant parquet the count of the files themselves."""

from __future__ import annotations

from collections.abc import Mapping

from rounds import EPSILON, Release, Task, compare

import spark_dp as dp


def prepared(task: Task) -> Release:
    """Noisy counts of a table that Spark reads, or that remembers its files."""
    table = dp.parquet(task.spark, task.path) if task.variant == "parquet" else task.table

    def release() -> Mapping[str, float]:
        counts = dp.dp_histogram(table, "value", EPSILON, domain=task.domain, relation="add-remove")
        return {row["value"]: row["noisy_count"] for row in counts.collect()}

    return release


if __name__ == "__main__":
    compare("spark-dp", prepared)
