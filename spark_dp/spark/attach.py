"""Makes dp_sample and dp_histogram methods of the DataFrame classes, classic and Connect."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_CONNECT = "pyspark.sql.connect.dataframe"

Methods = dict[str, Callable[..., Any]]


def attach(methods: Methods) -> None:
    """Attach the functions to every DataFrame class of the installed pyspark; again changes nothing.

    Without pyspark there is nothing to attach to, and the engine-free part still works.
    """
    if importlib.util.find_spec("pyspark") is None:
        return
    attach_to(importlib.import_module("pyspark.sql").DataFrame, methods)
    # From 4.0 on the Connect class inherits from this one; in 3.5 it stands alone.
    if int(importlib.import_module("pyspark").__version__.split(".")[0]) >= 4:
        return
    if _CONNECT in sys.modules:
        attach_to(sys.modules[_CONNECT].DataFrame, methods)
    else:
        # Importing it takes half a second, for a class that most sessions never use.
        sys.meta_path.insert(0, _WhenImported(_CONNECT, lambda module: attach_to(module.DataFrame, methods)))


def attach_to(cls: type, methods: Methods) -> None:
    """Attach the functions to a class, with a warning if they replace others."""
    for name, function in methods.items():
        present = cls.__dict__.get(name)
        if present is function:
            continue
        if present is not None:
            warnings.warn(
                f"DataFrame.{name} was already defined by {present.__module__} and is replaced; "
                f"spark_dp.{name}(df, ...) is the same as a function.",
                stacklevel=4,
            )
        setattr(cls, name, function)


class _WhenImported(MetaPathFinder):
    """Does something with a module as soon as somebody imports it."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._then = then

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module as it is found otherwise, with what comes after its import."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname == self._name else None
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_then(module: ModuleType) -> None:
            execute(module)
            self._then(module)

        spec.loader.exec_module = execute_and_then  # type: ignore[method-assign]
        return spec
