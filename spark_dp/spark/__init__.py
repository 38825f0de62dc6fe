"""The Spark layer: ``dp_sample``, ``dp_histogram``, ``declare_domain``, ``parquet`` and ``delta``.

Nothing below is imported before the first call, so that ``import spark_dp`` stays quick and works
without pyspark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spark_dp.spark.installed import require_pyspark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_dp.budget import Budget
    from spark_dp.reporting import Report


def dp_sample(
    df: DataFrame,
    col: str | Sequence[str],
    eps: float | str,
    method: str = "auto",
    *,
    domain: Any = None,
    num_samples: int = 1,
    relation: str = "any",
    privacy_unit: str | None = None,
    by: str | Sequence[str] | None = None,
    budget: Budget | None = None,
    release_id: str | None = None,
) -> DataFrame:
    """Differentially private samples of a column, drawn once.

    Spark counts the column in one job, the driver draws, and literal rows come back: showing or
    collecting them again cannot draw again. More than 1,000,000 samples are a synthetic column: the
    driver releases noisy weights once, and each row is made from them, a key of the release and the
    row's number whenever it is read, always the same. Rows that are null or outside the domain are dropped
    (under "replace", where the number of rows is public, each becomes a random domain value).

    Args:
        df: the private table, one row for each person unless ``privacy_unit`` says whose a row is. Batch,
            classic or Connect.
        col: the column to sample, or several to sample jointly.
        eps: privacy loss bound of the whole release, read as decimal text; 10⁻⁹ to 50.
        method: one of :func:`spark_dp.methods`; "auto" takes the one with the smaller worst error,
            chosen from public parameters alone.
        domain: the public values a sample can take: a list; a DataFrame of a public reference table
            with a column of the same name; ``Values``, ``Bins``, ``Integers`` or ``Dates``; for several
            columns a dict of these. None takes what :func:`declare_domain` wrote, or false and true for
            a boolean column. It must not be computed from private rows.
        num_samples: values T in the release, which share eps; 1 to 1,000,000, and to 1,000,000,000 for
            the methods that draw from noisy counts ("perturbed-histogram", "laplace-projection", and
            "auto", which then takes the former) without ``by``.
        relation: what one person can change: "any" (a row added, removed or replaced; the default),
            "replace" (the number of rows is public) or "add-remove".
        privacy_unit: the column that tells whose a row is. All rows of one person are then protected together:
            one uniformly random row of each, of those in the domain, is sampled from, and "row" in all that is
            said here reads "unit". Rows in which it is null are left out; a unit without a row in the domain is
            outside it.
        by: columns whose values make groups, each sampled on its own in the one release: num_samples
            values for every group of their domain, which ``domain`` gives too; empty groups have them
            as well. Each group runs at eps under "add-remove", else at eps/2.
        budget: an allowance to charge before any row is read: ``Ledger(url).budget(name, total=…)``.
        release_id: a name for this one release, which the budget then remembers: the same call again gives the
            stored release and costs nothing, another call of that name is refused. Which rows the table holds
            is not compared.

    Returns:
        A DataFrame of num_samples literal rows (for each group) with the sampled columns in their own types, and
        the public record of the release in ``df.schema[col].metadata["spark_dp"]``. Above 1,000,000 the rows
        are native expressions over ``spark.range``, whose plan holds the released weights and the key.

    Guarantee:
        eps-differential privacy under the relation, for one row of df, or for all rows of one privacy unit.

    Error bound:
        ``mechanism(method, eps, k, num_samples=T).error_bound(n)`` bounds the total variation of each
        draw to the distribution of the n rows in the domain.

    Raises:
        ArgumentError: in one of its kinds, if the call cannot be answered; nothing was read.
        BudgetError: if the budget refuses; nothing was read.
        PrivateComputationError: if reading the rows failed; the budget stays charged.

    Source:
        That of each method; docs/mechanisms.md.

    Example:
        >>> df = spark.createDataFrame([("flu",), ("cold",), (None,)], "diagnosis string")
        >>> sample = df.dp_sample("diagnosis", 1.0, domain=["flu"], num_samples=3)
        >>> sample.collect()
        [Row(diagnosis='flu'), Row(diagnosis='flu'), Row(diagnosis='flu')]
        >>> sample.schema["diagnosis"].metadata["spark_dp"]["method"]
        'ss-roo'
    """
    require_pyspark("dp_sample")
    from spark_dp.release import Account
    from spark_dp.spark.sampling import sample

    return sample(df, col, eps, method, domain, num_samples, relation, privacy_unit, by, Account(budget, release_id))


def dp_histogram(
    df: DataFrame,
    col: str | Sequence[str],
    eps: float | str,
    *,
    domain: Any = None,
    relation: str = "any",
    privacy_unit: str | None = None,
    budget: Budget | None = None,
    release_id: str | None = None,
) -> DataFrame:
    """Differentially private counts of all values of a column, drawn once.

    Every value of the domain gets its count plus independent integer noise P(x) ∝ e^(−|x|/λ), with
    λ = 2/eps (1/eps under "add-remove"); also the values that no row holds. Counts can be negative:
    clipping them is the reader's choice and costs no privacy. Rows that are null or outside the
    domain are dropped (under "replace" each becomes a random domain value).

    Args:
        df: the private table, one row for each person unless ``privacy_unit`` says whose a row is. Batch,
            classic or Connect.
        col: the column to count, or several to count jointly.
        eps: privacy loss bound of the whole histogram, read as decimal text; 10⁻⁹ to 50.
        domain: as for :func:`dp_sample`; at most 2^20 values, or combinations of values.
        relation: as for :func:`dp_sample`.
        privacy_unit: as for :func:`dp_sample`; each person is counted once.
        budget: an allowance to charge before any row is read: ``Ledger(url).budget(name, total=…)``.
        release_id: a name for this one release, which the budget then remembers: the same call again gives the
            stored release and costs nothing, another call of that name is refused. Which rows the table holds
            is not compared.

    Returns:
        A DataFrame with one literal row for each value of the domain, in its order: the columns in
        their own types and ``noisy_count`` (bigint), with the public record of the release in the
        metadata ``spark_dp`` of each.

    Guarantee:
        eps-differential privacy under the relation, for one row of df, or for all rows of one privacy unit.

    Error bound:
        Each count is off by x with probability (1 − r)/(1 + r) · r^|x|, r = e^(−1/λ): by λ on average.

    Raises:
        ArgumentError: in one of its kinds, if the call cannot be answered; nothing was read.
        BudgetError: if the budget refuses; nothing was read.
        PrivateComputationError: if reading the rows failed; the budget stays charged.

    Source:
        Ghosh, Roughgarden, Sundararajan (2009), the two-sided geometric mechanism; noise by OpenDP.

    Example:
        >>> df = spark.createDataFrame([("flu",)] * 3, "diagnosis string")
        >>> df.dp_histogram("diagnosis", 50, domain=["flu", "cold"]).columns
        ['diagnosis', 'noisy_count']
    """
    require_pyspark("dp_histogram")
    from spark_dp.release import Account
    from spark_dp.spark.sampling import histogram

    return histogram(df, col, eps, domain, relation, privacy_unit, Account(budget, release_id))


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
    require_pyspark("declare_domain")
    from spark_dp.spark.domains import declared

    return declared(df, col, domain)


def report(released: DataFrame, domain: Any = None) -> Report:
    """What there is to say of a release: its guarantee, its public record, the sample, and how often each value came.

    Reads the release alone, never the private table, so that it costs no ε. A notebook shows the result with bars
    for the drawn values against the domain; ``print`` writes it as text.

    Args:
        released: what :func:`dp_sample` or :func:`dp_histogram` returned, or what was read from where it was written
            as Parquet or Delta, which keep the record.
        domain: as for :func:`dp_sample`, if the release does not declare it: that of very many values.

    Raises:
        SourceError: if it is no release.
        DomainError: if the domain does not fit.

    Example:
        >>> df = spark.createDataFrame([("flu",)] * 3, "diagnosis string")
        >>> print(str(report(df.dp_sample("diagnosis", 50, domain=["flu"], num_samples=2))).splitlines()[0])
        Sample:    flu, flu
    """
    require_pyspark("report")
    from spark_dp.spark import reports

    return reports.report(released, domain)


def parquet(spark: SparkSession, path: str | Sequence[str]) -> DataFrame:
    """``spark.read.parquet(path)``, whose columns are counted without handing their rows to Spark.

    The executors open the files themselves with pyarrow, keep a column that is encoded as a dictionary
    encoded, and count. This takes a fraction of the time of a ``groupBy``, and the answer is the same.
    It holds for the DataFrame as it is returned, also after :func:`declare_domain`: any transformation
    makes an ordinary one of it. Where
    the files are not plain (a folder's name gives the column, a file lacks it or has it in another type,
    is encrypted, is out of pyarrow's reach, or has dates of the Julian calendar), Spark counts as always.

    Args:
        spark: the session.
        path: a file or folder, or a list of them.

    Raises:
        SourceError: if a path is no text, or that of a Delta table, whose folder also holds old files.

    Example:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp() + "/people"
        >>> spark.createDataFrame([("f",)], "sex string").write.parquet(folder)
        >>> parquet(spark, folder).dp_sample("sex", 50, domain=["f"]).collect()
        [Row(sex='f')]
    """
    require_pyspark("parquet")
    from spark_dp.spark import files

    return files.parquet(spark, path)


def delta(spark: SparkSession, path: str) -> DataFrame:
    """The present rows of a Delta table, counted from its files as :func:`parquet` does.

    The files are those that the table lists now; the package ``deltalake`` reads the list.

    Args:
        spark: the session.
        path: the folder of the table.

    Raises:
        SourceError: if ``deltalake`` is not installed, if there is no such table, or if its rows are not
            what stands in its files: it has deletion vectors, column mapping or partition columns.
    """
    require_pyspark("delta")
    from spark_dp.spark import deltas

    return deltas.delta(spark, path)
