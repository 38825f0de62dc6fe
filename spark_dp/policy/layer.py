"""What stands between people and private tables: a policy, a ledger, and releases that keep to both."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from spark_dp.budget.ledger import Ledger, LedgerBudget
from spark_dp.budget.lines import Balance
from spark_dp.conditions import Condition, written
from spark_dp.errors import ArgumentError, PolicyError
from spark_dp.policy import sql
from spark_dp.policy.loading import read_policy, unknown
from spark_dp.policy.model import ColumnPart, DatasetPart, Policy, ReferencePart
from spark_dp.policy.yaml_lines import Document
from spark_dp.privacy import Epsilon, Relation
from spark_dp.release import Account

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class PrivacyLayer:
    """Answers questions about the tables of a policy, and charges each to the table's budget.

    What a question may name, and what it costs, is checked before Spark reads a private row.

    Args:
        policy: what is allowed.
        spark: the session that reads the tables.
        ledger: where releases are charged.
    """

    def __init__(self, policy: Policy, spark: SparkSession, ledger: Ledger) -> None:
        self.policy = policy
        self._spark = spark
        self._ledger = ledger

    @classmethod
    def from_file(
        cls, path: str | os.PathLike[str], spark: SparkSession, *, ledger: Ledger | str | os.PathLike[str] | None = None
    ) -> PrivacyLayer:
        """The layer of a policy file, after every table, column and domain in it was found and fitted.

        Args:
            path: of the YAML file.
            spark: the session that reads the tables.
            ledger: instead of the one that the file names.

        Raises:
            PolicyError: for all that is wrong in the file, with its lines.
            LedgerError: if the ledger cannot be opened.
        """
        policy, document = read_policy(path)
        place = ledger or policy.ledger
        if place is None:
            raise PolicyError(document.error((), "there is no ledger. Name one in the file, or give ledger=."))
        layer = cls(policy, spark, place if isinstance(place, Ledger) else Ledger(place))
        if told := layer._problems(document):
            raise PolicyError("\n".join(told))
        return layer

    def sample(
        self,
        dataset: str,
        col: str | Sequence[str],
        eps: object,
        method: str = "auto",
        *,
        where: str | None = None,
        num_samples: int = 1,
        by: str | Sequence[str] | None = None,
        release_id: str | None = None,
    ) -> DataFrame:
        """A sample as :func:`spark_dp.dp_sample` gives it, of the rows for which ``where`` holds.

        Args:
            dataset: its name in the policy.
            col: the column to sample, or several to sample jointly.
            eps: ε of the release.
            method: one that the policy allows for the dataset.
            where: a condition on the dataset's own columns, as SQL has it after WHERE.
            num_samples: how many.
            by: columns that make groups.
            release_id: a name under which the release is drawn once.

        Raises:
            PolicyError: if the policy does not allow it.
            ArgumentError: in another of its kinds, if the question has no answer.
            BudgetError: if the budget does not cover it. In all these cases nothing was read.
            PrivateComputationError: if reading the rows failed; the charge stays.
        """
        asked = None if where is None else sql.condition(where, dataset)
        return self._sample(dataset, col, eps, method, asked, num_samples, by, release_id)

    def histogram(
        self,
        dataset: str,
        col: str | Sequence[str],
        eps: object,
        *,
        where: str | None = None,
        release_id: str | None = None,
    ) -> DataFrame:
        """Noisy counts as :func:`spark_dp.dp_histogram` gives them; otherwise as :meth:`sample`."""
        asked = None if where is None else sql.condition(where, dataset)
        return self._histogram(dataset, col, eps, asked, release_id)

    def sql(self, query: str, *, release_id: str | None = None) -> DataFrame:
        """The answer to a SELECT with DP_SAMPLE or DP_HISTOGRAM.

        The text is read and what it asks for is planned; Spark never sees the text.

        Args:
            query: such as SELECT DP_SAMPLE(dest, 1.0, 'ds-roo', 20) FROM flights WHERE month = 6.
            release_id: a name under which the release is drawn once.

        Raises:
            QueryError: if the text asks for anything else; otherwise as :meth:`sample`.
        """
        from spark_dp.spark.tables import arranged

        asked = sql.read(query)
        if asked.histogram:
            return self._histogram(asked.dataset, asked.columns, asked.epsilon, asked.where, release_id)
        drawn = self._sample(
            asked.dataset,
            asked.columns,
            asked.epsilon,
            asked.method,
            asked.where,
            asked.num_samples,
            asked.by or None,
            release_id,
        )
        return arranged(drawn, asked.selected, {asked.columns[0]: asked.alias} if asked.alias else {})

    def budget(self, dataset: str) -> Balance:
        """What is left of a dataset's budget.

        Raises:
            PolicyError: if the policy has no such dataset.
            BudgetError: if the ledger has it with other amounts.
        """
        return self._budget(dataset, self._dataset(dataset)).balance()

    def release_ids(self, dataset: str) -> set[str]:
        """The names of the releases that a dataset's budget was charged."""
        self._budget(dataset, self._dataset(dataset))
        return {charge.entry.release_id for charge in self._ledger.history(dataset)}

    def problem(self, *, histogram: bool, **question: Any) -> str | None:
        """Why a sample, or a histogram, would be refused whatever the budget; None if it would not.

        Args:
            histogram: whether it is one.
            question: the arguments of :meth:`sample` or :meth:`histogram`.
        """
        layer = PrivacyLayer(self.policy, self._spark, _Planned())  # type: ignore[arg-type]
        try:
            return _told(lambda: (layer.histogram if histogram else layer.sample)(**question))
        except _WouldBeChargedError:
            return None

    def _sample(
        self,
        name: str,
        col: object,
        eps: object,
        method: object,
        where: Condition | None,
        num_samples: object,
        by: object,
        release_id: str | None,
    ) -> DataFrame:
        from spark_dp.spark import sampling

        dataset = self._allowed(name, eps, method, where)
        keys: tuple[str, ...] = () if by is None else _names(by)
        columns = _names(col)
        domain = self._domains(name, dataset, (*keys, *columns))
        rows = self._rows(dataset, where)
        account = self._account(name, dataset, where, release_id)
        unit, relation = dataset.privacy_unit, dataset.relation
        return sampling.sample(
            rows, list(columns), eps, method, domain, num_samples, relation, unit, list(keys) or None, account
        )

    def _histogram(
        self, name: str, col: object, eps: object, where: Condition | None, release_id: str | None
    ) -> DataFrame:
        from spark_dp.spark import sampling

        dataset = self._allowed(name, eps, "histogram", where)
        columns = _names(col)
        domain = self._domains(name, dataset, columns)
        rows = self._rows(dataset, where)
        account = self._account(name, dataset, where, release_id)
        return sampling.histogram(rows, list(columns), eps, domain, dataset.relation, dataset.privacy_unit, account)

    def _dataset(self, name: str) -> DatasetPart:
        if name not in self.policy.datasets:
            raise unknown("dataset", name, self.policy.datasets)
        return self.policy.datasets[name]

    def _allowed(self, name: str, eps: object, method: object, where: Condition | None) -> DatasetPart:
        """The dataset, if the policy allows such a release of it."""
        dataset = self._dataset(name)
        epsilon = Epsilon.parse(eps)
        if dataset.max_epsilon is not None and epsilon.decimal > dataset.max_epsilon:
            raise PolicyError(
                f"A release of {name!r} may cost at most ε = {dataset.max_epsilon}, not {epsilon}. Ask for less."
            )
        if dataset.methods is not None and method not in dataset.methods:
            raise PolicyError(f"The policy does not allow the method {method!r} for {name!r}, only {dataset.methods}.")
        if where is not None and dataset.relation == Relation.REPLACE.value:
            raise PolicyError(
                f"Under the relation 'replace' the number of rows of {name!r} is public, and that of rows that fulfil "
                "a condition is not. Ask without a condition."
            )
        return dataset

    def _domains(self, name: str, dataset: DatasetPart, columns: Sequence[str]) -> dict[str, Any]:
        for column in columns:
            if column not in dataset.columns:
                raise unknown(f"column of {name!r}", column, dataset.columns)
        return {column: self._domain(dataset.columns[column], column) for column in columns}

    def _domain(self, part: ColumnPart, column: str) -> Any:
        return part.axis() if part.reference is None else self._reference(part.reference, column)

    def _reference(self, part: ReferencePart, column: str) -> DataFrame:
        from spark_dp.spark.tables import column_as, table

        listed = table(self._spark, part.table, part.path, part.format)
        return column_as(listed, part.column or column, column)

    def _rows(self, dataset: DatasetPart, where: Condition | None) -> DataFrame:
        from spark_dp.spark.filtering import filtered
        from spark_dp.spark.tables import table

        rows = table(self._spark, dataset.table, dataset.path, dataset.format)
        return rows if where is None else filtered(rows, where)

    def _budget(self, name: str, dataset: DatasetPart) -> LedgerBudget:
        return self._ledger.budget(name, total=str(dataset.budget.total), period=dataset.budget.period)

    def _account(self, name: str, dataset: DatasetPart, where: Condition | None, release_id: str | None) -> Account:
        asked = json.dumps([name, "" if where is None else written(where)])
        return Account(self._budget(name, dataset), release_id, asked)

    def _problems(self, document: Document) -> list[str]:
        """What in the file does not fit the tables."""
        return [
            document.error(("datasets", name, *key), problem)
            for name, dataset in self.policy.datasets.items()
            for key, problem in self._unfit(dataset)
        ]

    def _unfit(self, dataset: DatasetPart) -> list[tuple[tuple[str, ...], str]]:
        """What in a dataset does not fit its table, with the way to the key."""
        from spark_dp.spark.columns import sampled_columns
        from spark_dp.spark.domains import resolve
        from spark_dp.spark.privacy_unit import check_unit

        try:
            rows = self._rows(dataset, None)
        except ArgumentError as error:
            return [(("table" if dataset.table else "path",), str(error))]

        def fits(column: str, part: ColumnPart) -> None:
            resolve(sampled_columns(rows, column), self._domain(part, column))

        checks: dict[tuple[str, ...], Callable[[], object]] = {
            ("privacy_unit",): partial(check_unit, rows, dataset.privacy_unit)
        }
        for column, part in dataset.columns.items():
            checks["columns", column] = partial(fits, column, part)
        told = ((key, _told(check)) for key, check in checks.items())
        return [(key, problem) for key, problem in told if problem]


def problems(policy: Policy, spark: SparkSession, document: Document) -> list[str]:
    """What in a policy file does not fit the tables, with its lines."""
    return PrivacyLayer(policy, spark, _Planned())._problems(document)  # type: ignore[arg-type]  # noqa: SLF001


class _WouldBeChargedError(Exception):
    """A release has come as far as its charge."""


class _Planned:
    """A ledger, and any budget of it, at which releases end before they are charged."""

    def budget(self, *_arguments: object, **_terms: object) -> _Planned:
        return self

    def reserve(self, *_arguments: object) -> NoReturn:
        raise _WouldBeChargedError


def _told(check: Callable[[], object]) -> str | None:
    """What an argument's error says; None if there is none."""
    try:
        check()
    except ArgumentError as error:
        return str(error)
    return None


def _names(col: object) -> tuple[str, ...]:
    from spark_dp.spark.columns import column_names

    return column_names(col)
