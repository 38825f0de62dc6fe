"""From a DataFrame call to a release and back to a DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_dp.budget import Budget
from spark_dp.errors import SourceError
from spark_dp.mechanisms.base import check_num_samples
from spark_dp.mechanisms.registry import mechanism_class
from spark_dp.privacy import Epsilon, Relation
from spark_dp.release import release
from spark_dp.spark.columns import sampled_columns
from spark_dp.spark.counting import count_native
from spark_dp.spark.domains import resolve
from spark_dp.spark.frames import is_dataframe, sample_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def sample(
    df: DataFrame,
    col: object,
    eps: object,
    method: object,
    domain: object,
    num_samples: object,
    relation: object,
    budget: Budget | None,
) -> DataFrame:
    """See :func:`spark_dp.dp_sample`. Everything is checked before the private table is touched."""
    if not is_dataframe(df):
        raise SourceError(
            f"An object of type {type(df).__module__}.{type(df).__name__} cannot be sampled; give a Spark DataFrame."
        )
    if df.isStreaming:
        raise SourceError(
            "A streaming DataFrame never ends, so no one release can cover it. Sample a batch: read the table with "
            "spark.read, or call dp_sample inside foreachBatch."
        )
    chosen = mechanism_class(method)
    epsilon = Epsilon.parse(eps)
    neighbors = Relation.parse(relation)
    draws = check_num_samples(num_samples)
    columns = sampled_columns(df, col)
    values = resolve(columns, domain)
    mechanism = chosen(epsilon, values.size, neighbors, draws)
    names = tuple(column.name for column in columns)
    # Only where the number of rows is public do those outside the domain take part.
    outside = neighbors is Relation.REPLACE
    drawn = release(mechanism, names, lambda: count_native(df, columns, values, outside=outside), budget)
    return sample_frame(df.sparkSession, columns, values, drawn.ranks, drawn.entry.record())
