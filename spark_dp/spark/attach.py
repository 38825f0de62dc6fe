"""Makes dp_sample and dp_histogram methods of the DataFrame classes, classic and Connect."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable
from typing import Any

_CONNECT = "pyspark.sql.connect.dataframe"


def attach(methods: dict[str, Callable[..., Any]]) -> None:
    """Attach the functions to every DataFrame class of the installed pyspark; again changes nothing.

    Without pyspark there is nothing to attach to, and the engine-free part still works.
    """
    for cls in _dataframe_classes():
        for name, function in methods.items():
            present = cls.__dict__.get(name)
            if present is function:
                continue
            if present is not None:
                warnings.warn(
                    f"DataFrame.{name} was already defined by {present.__module__} and is replaced; "
                    f"spark_dp.{name}(df, ...) is the same as a function.",
                    stacklevel=3,
                )
            setattr(cls, name, function)


def _dataframe_classes() -> list[type]:
    if importlib.util.find_spec("pyspark") is None:
        return []
    classic: type = importlib.import_module("pyspark.sql").DataFrame
    # From 4.0 on the Connect class inherits from this one; in 3.5 it stands alone.
    if int(importlib.import_module("pyspark").__version__.split(".")[0]) >= 4:
        return [classic]
    try:
        return [classic, importlib.import_module(_CONNECT).DataFrame]
    except ImportError:  # the packages that Connect needs are not here, so neither is a Connect DataFrame
        return [classic]
