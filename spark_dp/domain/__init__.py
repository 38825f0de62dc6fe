"""Public domains: which values a sample can take, each with its rank 0..k−1."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from spark_dp.domain.axis import MAX_CELLS, Axis, ColumnType
from spark_dp.domain.bins import Bins
from spark_dp.domain.intervals import Intervals
from spark_dp.domain.product import Product
from spark_dp.domain.ranges import Dates, Integers
from spark_dp.domain.values import Values
from spark_dp.errors import DomainError

__all__ = [
    "MAX_CELLS",
    "Axis",
    "Bins",
    "ColumnType",
    "Dates",
    "Domain",
    "Integers",
    "Intervals",
    "Product",
    "Values",
    "from_json",
]

Domain = Axis | Product

_READERS: dict[str, Callable[[Mapping[str, Any]], Axis]] = {
    "values": Values.from_document,
    "integers": Integers.from_document,
    "dates": Dates.from_document,
    "bins": Bins.from_document,
}


def from_json(text: str) -> Domain:
    """The domain that a ``to_json`` wrote.

    Raises:
        DomainError: if the text is something else.

    >>> from_json('{"domain": "integers", "low": 1, "high": 12}')
    Integers(1, 12)
    """
    try:
        document = json.loads(text)
    except (ValueError, TypeError):
        raise DomainError(f"This is not JSON: {str(text)[:80]!r}. Write a domain with its to_json().") from None
    if isinstance(document, dict) and document.get("domain") == "product":
        columns = document.get("columns")
        if isinstance(columns, dict):
            return Product({name: _axis(axis) for name, axis in columns.items()})
    return _axis(document)


def _axis(document: object) -> Axis:
    reader = _READERS.get(str(document.get("domain"))) if isinstance(document, dict) else None
    if reader is None:
        raise DomainError(f"This is not the JSON of a domain: {str(document)[:80]}. Write one with its to_json().")
    return reader(document)  # type: ignore[arg-type]
