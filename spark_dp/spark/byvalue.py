"""Functions that go to executors which have no spark_dp of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import spark_dp


def by_value(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as one whose code, with all it uses of spark_dp, travels with it."""
    from pyspark import cloudpickle

    pickler: Any = cloudpickle
    pickler.register_pickle_by_value(spark_dp)
    try:
        code = pickler.dumps(function)
    finally:
        pickler.unregister_pickle_by_value(spark_dp)

    def unpacked(*arguments: Any) -> Any:
        import pickle

        return pickle.loads(code)(*arguments)  # noqa: S301 — of this very process

    return unpacked
