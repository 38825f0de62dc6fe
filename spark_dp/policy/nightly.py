"""Releases listed in a file: planned all at once, then drawn one after another under their names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from spark_dp.budget.amount import cost, written
from spark_dp.errors import BudgetError, PolicyError
from spark_dp.policy.layer import PrivacyLayer
from spark_dp.policy.loading import read_file
from spark_dp.policy.model import EpsilonNumber, Part
from spark_dp.policy.yaml_lines import Document
from spark_dp.privacy import Epsilon

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class ReleasePart(Part):
    """One release."""

    id: str = Field(description="Its name; {date} is the day of the run. One name is drawn once.")
    dataset: str = Field(description="A dataset of the policy.")
    columns: list[str] = Field(min_length=1, description="The columns to sample or to count, jointly.")
    eps: EpsilonNumber
    histogram: bool = Field(default=False, description="Noisy counts instead of a sample.")
    method: str | None = Field(default=None, description="One of the methods; auto if not given.")
    num_samples: int | None = Field(default=None, description="How many samples; 1 if not given.")
    by: list[str] | None = Field(default=None, min_length=1, description="Columns that make groups.")
    where: str | None = Field(default=None, description="A condition on the dataset's rows, as SQL has it.")
    path: str | None = Field(default=None, description="Where to write Parquet; {date} is the day of the run.")
    table: str | None = Field(
        default=None, description="The catalog table to write; {date} is the day of the run, as 2026_11_30."
    )

    @model_validator(mode="after")
    def _whole(self) -> ReleasePart:
        if (self.path is None) == (self.table is None):
            raise ValueError("give either path or table, where the release is written")
        if self.histogram and (self.method or self.num_samples or self.by):
            raise ValueError("a histogram has no method, num_samples or by")
        return self

    def on(self, day: date) -> ReleasePart:
        """The release of a day."""
        written = day.isoformat()
        filled = {
            "id": (self.id, written),
            "path": (self.path, written),
            "table": (self.table, written.replace("-", "_")),
        }
        changed = {name: text.replace("{date}", put) for name, (text, put) in filled.items() if text is not None}
        return self.model_copy(update=changed)

    @property
    def place(self) -> str:
        """Where it is written."""
        return str(self.path or self.table)


class Releases(Part):
    """The whole file."""

    policy: str = Field(description="Path of the policy file, from where the job runs.")
    on_failure: Literal["stop", "continue"] = Field(default="stop", description="What a failed release means.")
    releases: list[ReleasePart] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_once(self) -> Releases:
        for name in ("id", "place"):
            values = [getattr(release, name) for release in self.releases]
            if twice := [value for value in values if values.count(value) > 1]:
                raise ValueError(f"two releases have the {name} {twice[0]!r}; each needs its own")
        return self


@dataclass(frozen=True)
class Bill:
    """What the releases of a run cost a dataset, in decimal text.

    Args:
        dataset: its name.
        cost: of those that are not yet charged.
        remaining: what its budget has left before.
        charged: how many are charged already, by an earlier run.
    """

    dataset: str
    cost: str
    remaining: str
    charged: int


def read_releases(path: str | os.PathLike[str], day: date) -> tuple[Releases, Document]:
    """The releases of a day that a file lists.

    Raises:
        PolicyError: for all that is wrong in the file, with its lines.
    """
    listed, document = read_file(path, Releases)
    return listed.model_copy(update={"releases": [release.on(day) for release in listed.releases]}), document


def plan(layer: PrivacyLayer, releases: Releases, document: Document) -> list[Bill]:
    """What the releases cost, after each was found to have an answer and the budgets to cover them all.

    Raises:
        PolicyError: for every release that has no answer, with its line.
        BudgetError: if a budget does not cover its part; then none of them should be run.
    """
    problems = [
        document.error(("releases", number), problem)
        for number, release in enumerate(releases.releases)
        if (problem := layer.problem(**question(release), histogram=release.histogram))
    ]
    if problems:
        raise PolicyError("\n".join(problems))
    bills = list(_bills(layer, releases))
    if short := [bill for bill in bills if Decimal(bill.cost) > Decimal(bill.remaining)]:
        told = "; ".join(f"{bill.dataset!r} has {bill.remaining} left and needs {bill.cost}" for bill in short)
        raise BudgetError(f"The budgets do not cover the releases of this run: {told}. None was run, nothing was read.")
    return bills


def question(release: ReleasePart) -> dict[str, object]:
    """The arguments of a call of the layer."""
    asked: dict[str, object] = {"dataset": release.dataset, "col": release.columns, "eps": release.eps}
    asked |= {"where": release.where, "release_id": release.id}
    if not release.histogram:
        asked |= {"method": release.method or "auto", "num_samples": release.num_samples or 1, "by": release.by}
    return asked


def write_once(spark: SparkSession, layer: PrivacyLayer, release: ReleasePart) -> bool:
    """Draw a release and write it, unless it is there; whether it was written now.

    What was drawn before is not drawn again: the ledger has it.

    Raises:
        SparkDPError: in one of its kinds, if it cannot be drawn or written.
    """
    from spark_dp.spark import writing

    if release.table is not None:
        if writing.table_is_written(spark, release.table, release.id):
            return False
        drawn = _draw(layer, release)
        writing.write_table(release.table, drawn, _record(drawn, release))
        return True
    path = str(release.path)
    if writing.folder_is_written(path, release.id):
        return False
    drawn = _draw(layer, release)
    writing.write_folder(path, drawn, _record(drawn, release))
    return True


def _draw(layer: PrivacyLayer, release: ReleasePart) -> DataFrame:
    """The release, or the stored one of its name."""
    call = layer.histogram if release.histogram else layer.sample
    return call(**question(release))  # type: ignore[arg-type]


def _record(drawn: DataFrame, release: ReleasePart) -> dict[str, object]:
    """What the public may know of a release."""
    from spark_dp.spark.reports import record_of

    entry = record_of(drawn)
    told = {"dataset": release.dataset, "where": release.where, "guarantee": entry.guarantee.in_words()}
    return {**entry.record(), **told}


def _bills(layer: PrivacyLayer, releases: Releases) -> Iterator[Bill]:
    datasets: Mapping[str, list[ReleasePart]] = {release.dataset: [] for release in releases.releases}
    for release in releases.releases:
        datasets[release.dataset].append(release)
    for name, asked in datasets.items():
        known = layer.release_ids(name)
        new = [release for release in asked if release.id not in known]
        price = sum(cost(Epsilon.parse(release.eps)) for release in new)
        yield Bill(name, written(price), layer.budget(name).remaining, len(asked) - len(new))
