"""Every exception that spark_dp raises, as one tree.

    SparkDPError
    ├── ArgumentError (also a ValueError): the call cannot be answered; found from public facts alone
    │   ├── EpsilonError
    │   ├── RelationError
    │   ├── MethodError
    │   ├── NumSamplesError
    │   ├── ColumnError
    │   ├── DomainError
    │   ├── SourceError
    │   ├── ReleaseIdError
    │   ├── QueryError
    │   └── PolicyError
    ├── BudgetError: the budget does not allow the release; nothing was read
    │   └── LedgerError: the ledger cannot be read or written
    ├── PrivateComputationError: something failed while private rows were read
    ├── OutputError: a release cannot be written where it should be
    └── JavaNotFoundError: a local Spark session has no Java to run on

An ArgumentError is raised before Spark runs and before any budget is charged.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

#: How many names a message lists; a schema may have thousands.
_LISTED = 20


class SparkDPError(Exception):
    """Root of everything that spark_dp raises on purpose."""


class ArgumentError(SparkDPError, ValueError):
    """The call cannot be answered as it stands. Nothing was read, nothing was charged."""


class EpsilonError(ArgumentError):
    """The privacy loss bound is not a decimal number in the allowed range."""


class RelationError(ArgumentError):
    """The neighboring relation is unknown, or the method has no guarantee under it."""


class MethodError(ArgumentError):
    """There is no method of that name, or it cannot do what is asked with these public parameters."""


class NumSamplesError(ArgumentError):
    """The number of samples is not a whole number in the allowed range."""


class ColumnError(ArgumentError):
    """The sampled column is missing, ambiguous, or of a type that cannot be sampled."""


class DomainError(ArgumentError):
    """The public domain is missing, empty, repeats itself, or does not fit the column."""


class SourceError(ArgumentError):
    """What should be sampled is not a batch Spark DataFrame."""


class ReleaseIdError(ArgumentError):
    """The name of the release is no text, or nothing remembers releases by name."""


class QueryError(ArgumentError):
    """The SQL text, or the condition, is not one that can be answered privately."""


class PolicyError(ArgumentError):
    """The policy file is wrong, or does not allow the release."""


class BudgetError(SparkDPError):
    """The budget does not allow this release. Nothing was read."""


class LedgerError(BudgetError):
    """The ledger cannot be read or written. What it did not confirm is not shown; what it charged stays charged."""


class PrivateComputationError(SparkDPError, RuntimeError):
    """Something failed while private rows were read.

    Carries neither text nor chain of the cause, which may quote a private value; whoever operates
    Spark finds it in Spark's own logs. A budget stays charged.
    """


class OutputError(SparkDPError):
    """A release cannot be written where it should be, or something else is there."""


class JavaNotFoundError(SparkDPError, RuntimeError):
    """Neither a fitting Java nor the JRE of the ``local`` extra was found."""


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """A sentence that names the nearest of the known words, or lists them all.

    >>> did_you_mean("ds_roo", ["roo", "ds-roo"])
    "Did you mean 'ds-roo'?"
    >>> did_you_mean(7, ["roo", "ds-roo"])
    "Known: 'roo', 'ds-roo'."
    """
    known = list(known)
    near = difflib.get_close_matches(str(word).lower(), [name.lower() for name in known], n=1)
    if near:
        return f"Did you mean {next(name for name in known if name.lower() == near[0])!r}?"
    listed = ", ".join(repr(name) for name in known[:_LISTED])
    return f"Known: {listed}{', …' if len(known) > _LISTED else '.'}"
