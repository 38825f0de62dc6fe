"""Functions that go to executors which have no spark_dp of their own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Lock
from typing import Any

#: What is pickled by value is one list for the whole process.
_LIST = Lock()


def by_value(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as one whose code, with all it uses of spark_dp, travels with it."""
    from pyspark import cloudpickle

    pickler: Any = cloudpickle
    package = sys.modules[__name__.partition(".")[0]]
    with _LIST:
        listed = package.__name__ in pickler.list_registry_pickle_by_value()
        pickler.register_pickle_by_value(package)
        try:
            code = pickler.dumps(function)
        finally:
            if not listed:
                pickler.unregister_pickle_by_value(package)

    def unpacked(*arguments: Any) -> Any:
        import pickle

        return pickle.loads(code)(*arguments)  # noqa: S301 — made above, by this very process

    return unpacked
