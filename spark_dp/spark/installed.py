"""Whether there is a pyspark, which is never required, so that nothing replaces the one of a cluster."""

from __future__ import annotations

import importlib.util


def require_pyspark(name: str) -> None:
    """Raise an ImportError that says what to install for the function of that name, unless pyspark is there."""
    if importlib.util.find_spec("pyspark") is None:
        raise ImportError(
            f"{name} needs pyspark, which is not installed: pip install 'spark-dp[spark]', "
            "or 'spark-dp[local]' on a machine without Java."
        )
