"""Differentially private samples of the columns of Spark DataFrames.

    import spark_dp as dp

    df.dp_sample("diagnosis", 1.0, domain=["flu", "cold", "covid"])
    df.dp_histogram("diagnosis", 1.0, domain=["flu", "cold", "covid"])

Importing the package attaches both to the DataFrame classes of the installed pyspark, and loads nothing else: every
other name is imported when it is first asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

from spark_dp import errors
from spark_dp.spark import declare_domain, delta, dp_histogram, dp_sample, parquet, report
from spark_dp.spark.attach import attach
from spark_dp.version import __version__

if TYPE_CHECKING:
    from spark_dp.budget import Budget, Entry
    from spark_dp.budget.ledger import Ledger
    from spark_dp.counts import Counts
    from spark_dp.domain import Bins, Dates, Integers, Product, Values
    from spark_dp.mechanisms import Mechanism, max_draws, mechanism, methods
    from spark_dp.planning import Plan, eps_needed, plan, rows_needed
    from spark_dp.policy.layer import PrivacyLayer
    from spark_dp.privacy import Epsilon, Guarantee, Relation
    from spark_dp.reporting import Report

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
    "Plan",
    "PrivacyLayer",
    "Product",
    "Relation",
    "Report",
    "Values",
    "__version__",
    "declare_domain",
    "delta",
    "dp_histogram",
    "dp_sample",
    "eps_needed",
    "errors",
    "max_draws",
    "mechanism",
    "methods",
    "parquet",
    "plan",
    "report",
    "rows_needed",
]

attach({"dp_sample": dp_sample, "dp_histogram": dp_histogram})

#: Where a name is, for those that are imported late; the first import of numpy alone takes longer than all of this.
_LATE = {
    "Bins": "spark_dp.domain",
    "Budget": "spark_dp.budget",
    "Counts": "spark_dp.counts",
    "Dates": "spark_dp.domain",
    "Entry": "spark_dp.budget",
    "Epsilon": "spark_dp.privacy",
    "Guarantee": "spark_dp.privacy",
    "Integers": "spark_dp.domain",
    "Ledger": "spark_dp.budget.ledger",
    "Mechanism": "spark_dp.mechanisms",
    "Plan": "spark_dp.planning",
    "PrivacyLayer": "spark_dp.policy.layer",
    "Product": "spark_dp.domain",
    "Relation": "spark_dp.privacy",
    "Report": "spark_dp.reporting",
    "Values": "spark_dp.domain",
    "eps_needed": "spark_dp.planning",
    "max_draws": "spark_dp.mechanisms",
    "mechanism": "spark_dp.mechanisms",
    "methods": "spark_dp.mechanisms",
    "plan": "spark_dp.planning",
    "rows_needed": "spark_dp.planning",
}
#: The extra that a name needs.
_EXTRA = {"Ledger": "layer", "PrivacyLayer": "layer"}


# A type checker that sees this function takes any misspelled name for one of ours.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            found = getattr(importlib.import_module(_LATE[name]), name)
        except ModuleNotFoundError as error:
            if name not in _EXTRA:
                raise
            raise ImportError(
                f"{name} needs {error.name}, which is not installed: pip install 'spark-dp[{_EXTRA[name]}]'."
            ) from None
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted(globals().keys() | _LATE.keys())
