"""What the Spark tests share: a table that cannot be read, and the rows that reach the driver."""

import pytest


@pytest.fixture(scope="session")
def untouchable(spark):
    """A table with a column of every kind, any row of which raises when Spark reads it."""
    from pyspark.sql import functions as F

    row = spark.range(3).select(
        F.raise_error(F.lit("a private row was read")).cast("string").alias("s"),
        F.col("id").alias("i"),
        F.col("id").cast("double").alias("f"),
        F.col("id").cast("float").alias("g"),
        (F.col("id") > 1).alias("b"),
        F.current_date().alias("d"),
        F.array(F.lit(1)).alias("a"),
        F.create_map(F.lit(1), F.lit(1)).alias("m"),
        F.struct(F.lit("x").alias("inner")).alias("st"),
        F.lit("x").alias("a.b"),
    )
    # Each column depends on the one that raises, so that no pruning saves a reader.
    return row.filter(F.col("s").isNotNull())


@pytest.fixture
def driver_rows(monkeypatch):
    """The sizes of all frames that were collected."""
    from spark_dp.spark import apart, counting

    sizes = []

    def table(grouped):
        found = original(grouped)
        sizes.append(found.num_rows)
        return found

    original = counting.arrow_table
    for module in (counting, apart):
        monkeypatch.setattr(module, "arrow_table", table)
    return sizes
