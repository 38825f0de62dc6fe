"""PipelineDP's lines: each row bounded by its id, and with --variant enforced taken at its word.

By default PipelineDP makes sure that nobody contributes more than one row, for which it shuffles all of
them. The other libraries here believe that one row is one person, as PipelineDP does when told that the
bounds are enforced already.
"""

from __future__ import annotations

from collections.abc import Mapping

import pipeline_dp
from rounds import EPSILON, Release, Task, compare


def prepared(task: Task) -> Release:
    """Counts of public partitions with Laplace noise, one contribution for each id."""
    backend = pipeline_dp.SparkRDDBackend(task.spark.sparkContext)
    params = pipeline_dp.AggregateParams(
        metrics=[pipeline_dp.Metrics.COUNT],
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        contribution_bounds_already_enforced=task.variant == "enforced",
    )
    columns = pipeline_dp.DataExtractors(
        privacy_id_extractor=None if task.variant == "enforced" else lambda row: row["id"],
        partition_extractor=lambda row: row["value"],
        value_extractor=lambda _: 1,
    )

    def release() -> Mapping[str, float]:
        accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=0)
        engine = pipeline_dp.DPEngine(accountant, backend)
        rows = task.table.select("id", "value").rdd
        counts = engine.aggregate(rows, params, columns, public_partitions=list(task.domain))
        accountant.compute_budgets()
        # Lazy: each action on it would draw anew.
        return {value: metrics.count for value, metrics in counts.collect()}

    return release


if __name__ == "__main__":
    compare("pipeline-dp", prepared)
