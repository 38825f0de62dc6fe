"""Differentially private samples of the columns of Spark DataFrames.

    import spark_dp as dp

    df.dp_sample("diagnosis", 1.0, domain=["flu", "cold", "covid"])
    df.dp_histogram("diagnosis", 1.0, domain=["flu", "cold", "covid"])

Importing the package attaches both to the DataFrame classes of the installed pyspark.
"""

import importlib
from typing import TYPE_CHECKING, Any

from spark_dp import errors
from spark_dp.budget import Budget, Entry
from spark_dp.counts import Counts
from spark_dp.domain import Bins, Dates, Integers, Product, Values
from spark_dp.mechanisms import Mechanism, max_draws, mechanism, methods
from spark_dp.privacy import Epsilon, Guarantee, Relation
from spark_dp.spark import declare_domain, delta, dp_histogram, dp_sample, parquet
from spark_dp.spark.attach import attach
from spark_dp.version import __version__

if TYPE_CHECKING:
    from spark_dp.budget.ledger import Ledger
    from spark_dp.policy.layer import PrivacyLayer

__all__ = [
    "Bins",
    "Budget",
    "Counts",
    "Dates",
    "Entry",
    "Epsilon",
    "Guarantee",
    "Integers",
    "Ledger",
    "Mechanism",
    "PrivacyLayer",
    "Product",
    "Relation",
    "Values",
    "__version__",
    "declare_domain",
    "delta",
    "dp_histogram",
    "dp_sample",
    "errors",
    "max_draws",
    "mechanism",
    "methods",
    "parquet",
]

attach({"dp_sample": dp_sample, "dp_histogram": dp_histogram})


#: What needs the extra ``layer``, by where it is.
_LAYER = {"Ledger": "spark_dp.budget.ledger", "PrivacyLayer": "spark_dp.policy.layer"}


def __getattr__(name: str) -> Any:
    """What needs an extra is imported when it is first asked for."""
    if name not in _LAYER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(_LAYER[name]), name)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{name} needs {error.name}, which is not installed: pip install 'spark-dp[layer]'."
        ) from None
