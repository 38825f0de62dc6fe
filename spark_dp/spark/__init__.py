"""The Spark layer: ``dp_sample`` and ``declare_domain``, as functions and as DataFrame methods.

Nothing below is imported before the first call, so that ``import spark_dp`` stays quick and works
without pyspark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spark_dp.budget import Budget

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def dp_sample(
    df: DataFrame,
    col: str | Sequence[str],
    eps: float | str,
    method: str = "ds-roo",
    *,
    domain: Any = None,
    num_samples: int = 1,
    relation: str = "any",
    budget: Budget | None = None,
) -> DataFrame:
    """Differentially private samples of a column, drawn once.

    Spark counts the column in one job, the driver draws, and literal rows come back: showing or
    collecting them again cannot draw again. Rows that are null or outside the domain are dropped
    (under "replace", where the number of rows is public, each becomes a random domain value).

    Args:
        df: the private table, one row for each person. Batch, classic or Connect.
        col: the column to sample, or several to sample jointly.
        eps: privacy loss bound of the whole release, read as decimal text; 10⁻⁹ to 50.
        method: "roo" or "ds-roo".
        domain: the public values a sample can take: a list; a DataFrame of a public reference table
            with a column of the same name; ``Values``; for several columns a dict of these. None
            takes what :func:`declare_domain` wrote, or false and true for a boolean column. It must
            not be computed from private rows.
        num_samples: independent draws T in the release, each at eps/T; 1 to 1,000,000.
        relation: what one person can change: "any" (a row added, removed or replaced; the default),
            "replace" (the number of rows is public) or "add-remove".
        budget: an allowance to charge before any row is read.

    Returns:
        A DataFrame of num_samples literal rows with the sampled columns in their own types, and
        the public record of the release in ``df.schema[col].metadata["spark_dp"]``.

    Guarantee:
        eps-differential privacy under the relation, for one row of df.

    Error bound:
        The total variation of each draw to the column's distribution is at most q (1 − 1/k) with
        q = 1/(1 + (n/k)(e^(eps/T) − 1)), for n rows in the domain.

    Raises:
        ArgumentError: in one of its kinds, if the call cannot be answered; nothing was read.
        BudgetError: if the budget refuses; nothing was read.
        PrivateComputationError: if reading the rows failed; the budget stays charged.

    Source:
        Tasnim, Gilani, Sankar, Kosut (2025), arXiv:2504.14696, ROO and DS-ROO; docs/mechanisms.md.

    Example:
        >>> df = spark.createDataFrame([("flu",), ("cold",), (None,)], "diagnosis string")
        >>> sample = df.dp_sample("diagnosis", 1.0, domain=["flu"], num_samples=3)
        >>> sample.collect()
        [Row(diagnosis='flu'), Row(diagnosis='flu'), Row(diagnosis='flu')]
        >>> sample.schema["diagnosis"].metadata["spark_dp"]["method"]
        'ds-roo'
    """
    from spark_dp.spark.sampling import sample

    return sample(df, col, eps, method, domain, num_samples, relation, budget)


def declare_domain(df: DataFrame, col: str, domain: Any) -> DataFrame:
    """The DataFrame with a column's public domain written into its metadata.

    Parquet and Delta keep it, so that a table declared once is sampled without ``domain=`` ever after.

    Args:
        df: any DataFrame; it is not read.
        col: the column.
        domain: as for :func:`dp_sample`, for one column. A reference table is read now.

    Raises:
        ColumnError, DomainError: if the column cannot be sampled, or the domain does not fit it.

    Example:
        >>> df = spark.createDataFrame([("f",)], "sex string")
        >>> declared = declare_domain(df, "sex", ["f", "m"])
        >>> declared.dp_sample("sex", 1.0, num_samples=4).count()
        4
    """
    from spark_dp.spark.domains import declared

    return declared(df, col, domain)
