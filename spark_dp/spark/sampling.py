"""From a DataFrame call to a release and back to a DataFrame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from spark_dp.budget import Release
from spark_dp.counts import Counts
from spark_dp.domain import MAX_CELLS, Domain, Intervals
from spark_dp.errors import DomainError, NumSamplesError, SourceError
from spark_dp.exact.parts import Parts
from spark_dp.mechanisms import mechanism, noise
from spark_dp.mechanisms.base import MAX_DRAWS, Mechanism, check_num_samples
from spark_dp.mechanisms.groups import group_mechanism
from spark_dp.mechanisms.perturbed_histogram import PerturbedHistogram
from spark_dp.mechanisms.registry import AUTO, check_method
from spark_dp.mechanisms.weights import WeightsMechanism
from spark_dp.privacy import Epsilon, Guarantee, Relation
from spark_dp.release import (
    Account,
    Request,
    read_publicly,
    release_groups,
    release_histogram,
    release_sample,
    release_weights,
)
from spark_dp.spark.apart import MAX_DRAWS_APART, parts
from spark_dp.spark.columns import SampledColumn, check_histogram_names, column_names, sampled_columns
from spark_dp.spark.counting import collected, grouped_native
from spark_dp.spark.domains import resolve
from spark_dp.spark.files import count_parquet, is_parquet
from spark_dp.spark.frames import histogram_frame, histogram_names, is_dataframe, sample_frame
from spark_dp.spark.privacy_unit import check_unit, count_units, grouped_by_unit
from spark_dp.spark.synthetic import check_widths, synthetic_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Question:
    """What is asked of a table, checked without a look at its rows."""

    df: DataFrame
    columns: tuple[SampledColumn, ...]
    domain: Domain
    privacy_unit: str | None
    account: Account

    @property
    def names(self) -> tuple[str, ...]:
        """The sampled columns."""
        return tuple(column.name for column in self.columns)

    def request(self, names: tuple[str, ...] | None = None) -> Request:
        """The same without an engine; the sampled columns are all of them unless named."""
        return Request(names or self.names, self.domain, self.privacy_unit, self.account)

    def count(self, relation: Relation) -> Counts:
        """The private counts."""
        if is_parquet(self.df) and self.privacy_unit is None:
            return count_parquet(self.df, self.columns, self.domain, outside=_outside(relation))
        return collected(self._grouped(relation), self.domain)

    def count_apart(self, chosen: Mechanism) -> Parts:
        """The same for a domain whose counts stay where they are."""
        if not isinstance(chosen, WeightsMechanism):
            raise TypeError(f"{chosen.name} did not refuse a domain of {chosen.k:,} values")
        return parts(self._grouped(chosen.relation), chosen)

    def _grouped(self, relation: Relation) -> DataFrame:
        if self.privacy_unit is None:
            return grouped_native(self.df, self.columns, self.domain, outside=_outside(relation))
        return grouped_by_unit(self.df, self.columns, self.domain, self.privacy_unit, outside=_outside(relation))

    def public_n(self) -> int:
        """The number of records, where it is public."""
        count = self.df.count if self.privacy_unit is None else partial(count_units, self.df, self.privacy_unit)
        return read_publicly(count)


def _outside(relation: Relation) -> bool:
    """Whether rows outside the domain take part: only where the number of rows is public."""
    return relation is Relation.REPLACE


def sample(
    df: DataFrame,
    col: object,
    eps: object,
    method: object,
    domain: object,
    num_samples: object,
    relation: object,
    privacy_unit: object,
    by: object,
    account: Account,
) -> DataFrame:
    """See :func:`spark_dp.dp_sample`. Everything is checked before the private table is touched."""
    _check_source(df)
    name = check_method(method)
    epsilon = Epsilon.parse(eps)
    neighbors = Relation.parse(relation)
    draws = check_num_samples(num_samples)
    if name != AUTO:
        # With a domain of one value: what does not depend on the domain is refused before it is looked at.
        mechanism(name, epsilon, 1, relation=neighbors, num_samples=draws)
    account.check()
    unit = check_unit(df, privacy_unit)
    whole = Guarantee(epsilon, neighbors, unit)
    if by is not None:
        drawn, question = _grouped(df, col, by, name, whole, draws, domain, account)
    else:
        question = _question(df, col, domain, unit, account)
        chosen = mechanism(name, epsilon, question.domain.size, relation=neighbors, num_samples=draws)
        if draws > MAX_DRAWS and isinstance(chosen, noise.NoiseMechanism):
            return _synthetic(question, chosen)
        drawn = _drawn(question, chosen)
    return sample_frame(df.sparkSession, question.columns, question.domain, drawn)


def _drawn(question: Question, chosen: Mechanism) -> Release:
    """So many samples of the whole table that the driver makes them one by one."""
    apart = chosen.k > MAX_CELLS
    if apart:
        chosen.check_apart()
        if chosen.num_samples > MAX_DRAWS_APART:
            raise NumSamplesError(
                f"num_samples = {chosen.num_samples:,} from a domain of {chosen.k:,} values is more than "
                f"{MAX_DRAWS_APART:,}: where the values are more than {MAX_CELLS:,}, each part of the table offers a "
                "candidate for each sample. Ask for fewer, or sample fewer columns at once, or coarser values."
            )
    if chosen.depends_on_n:
        # Before the budget is asked.
        chosen = chosen.with_n(question.public_n())
    count = partial(question.count_apart, chosen) if apart else partial(question.count, chosen.relation)
    return release_sample(chosen, question.request(), count)


def _synthetic(question: Question, chosen: noise.NoiseMechanism) -> DataFrame:
    """More samples than the driver makes one by one: it releases their weights, and Spark draws."""
    check_widths(question.columns, question.domain)
    drawn = release_weights(chosen, question.request(), partial(question.count, chosen.relation))
    return synthetic_frame(question.df.sparkSession, question.columns, question.domain, drawn)


def _grouped(
    df: DataFrame,
    col: object,
    by: object,
    name: str,
    whole: Guarantee,
    draws: int,
    domain: object,
    account: Account,
) -> tuple[Release, Question]:
    """A sample in each group, from the counts of groups and values jointly."""
    keys, names = column_names(by), column_names(col)
    question = _question(df, [*keys, *names], domain, whole.privacy_unit, account)
    if question.domain.size > MAX_CELLS:
        raise DomainError(
            f"The groups and the values have {question.domain.size:,} combinations; their counts must fit the driver, "
            f"at most {MAX_CELLS:,}. Take fewer groups, fewer columns at once, or coarser values."
        )
    axes = question.domain.axes
    for key, axis in zip(keys, axes, strict=False):
        if isinstance(axis, Intervals):
            raise DomainError(
                f"Column {key!r} makes the groups, and its domain are bins, of which a sample would be a point. Give "
                "whole values: a list, Integers or Dates."
            )
    groups, k = (math.prod(axis.size for axis in some) for some in (axes[: len(keys)], axes[len(keys) :]))
    if groups * draws > MAX_DRAWS:
        raise NumSamplesError(
            f"num_samples = {draws} in each of {groups:,} groups are more than {MAX_DRAWS:,}. Ask for fewer."
        )
    chosen = group_mechanism(name, whole.epsilon, k, whole.relation, draws)
    # A row outside every group, or outside the domain, is in none: what a group holds is private anyway.
    count = partial(question.count, chosen.relation)
    return release_groups(chosen, whole, keys, groups, question.request(names), count), question


def histogram(
    df: DataFrame,
    col: object,
    eps: object,
    domain: object,
    relation: object,
    privacy_unit: object,
    account: Account,
) -> DataFrame:
    """See :func:`spark_dp.dp_histogram`. Everything is checked before the private table is touched."""
    _check_source(df)
    epsilon = Epsilon.parse(eps)
    neighbors = Relation.parse(relation)
    account.check()
    question = _question(df, col, domain, check_unit(df, privacy_unit), account)
    pairs = zip(question.names, question.domain.axes, strict=True)
    check_histogram_names([name for column, axis in pairs for name in histogram_names(column, axis)])
    if question.domain.size > noise.MAX_NOISY_CELLS:
        raise DomainError(
            f"A histogram needs noise for each of the {question.domain.size:,} values of the domain, and can have at "
            f"most {noise.MAX_NOISY_CELLS:,}. Count coarser values or fewer columns at once, or draw values with "
            "dp_sample, which has methods that cost only the values seen."
        )
    chosen = PerturbedHistogram(epsilon, question.domain.size, neighbors)
    noisy = release_histogram(chosen, question.request(), partial(question.count, neighbors))
    return histogram_frame(df.sparkSession, question.columns, question.domain, noisy)


def _check_source(df: object) -> None:
    if not is_dataframe(df):
        raise SourceError(
            f"An object of type {type(df).__module__}.{type(df).__name__} cannot be sampled; give a Spark DataFrame."
        )
    if df.isStreaming:
        raise SourceError(
            "A streaming DataFrame never ends, so no one release can cover it. Sample a batch: read the table with "
            "spark.read, or call dp_sample inside foreachBatch."
        )


def _question(df: DataFrame, col: object, domain: object, unit: str | None, account: Account) -> Question:
    columns = sampled_columns(df, col)
    return Question(df, columns, resolve(columns, domain), unit, account)
