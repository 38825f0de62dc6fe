"""What a policy file says: which tables may be asked about, and on what terms."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from spark_dp.budget.amount import allowance
from spark_dp.domain import Axis, Bins, Dates, Integers, Values
from spark_dp.mechanisms import methods
from spark_dp.privacy import Epsilon


class Part(BaseModel):
    """Any part of a policy: unknown keys are errors, and nothing is turned into another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _epsilon(value: int | Decimal) -> Decimal:
    return Epsilon.parse(value).decimal


def _total(value: int | Decimal) -> Decimal:
    allowance(value)
    return Decimal(value)


EpsilonNumber = Annotated[int | Decimal, AfterValidator(_epsilon), Field(description="ε, a decimal number.")]
Amount = Annotated[int | Decimal, AfterValidator(_total), Field(description="An amount of ε, a decimal number.")]


class BudgetPart(Part):
    """ε of a dataset."""

    total: Amount = Field(description="ε of all releases together.")
    each: dict[Literal["day", "week", "month", "year"], Amount] | None = Field(
        default=None, min_length=1, max_length=1, description="ε in each period of universal time, as {day: 0.5}."
    )

    @property
    def period(self) -> tuple[str, str] | None:
        """The amount of a period and its name, as a ledger takes them."""
        return next(((str(amount), name) for name, amount in (self.each or {}).items()), None)


class BinsPart(Part):
    """Bins of a column of numbers, dates or timestamps."""

    lower: Any = Field(default=None, description="Where the first bin begins.")
    upper: Any = Field(default=None, description="Where the last bin ends.")
    count: int | None = Field(default=None, description="Number of bins, of equal width.")
    edges: list[Any] | None = Field(default=None, description="All edges, instead of lower, upper and count.")
    outside: Literal["drop", "clip"] = Field(default="drop", description="What becomes of values beyond the ends.")

    def axis(self) -> Axis:
        """The domain."""
        return Bins(self.lower, self.upper, self.count, edges=self.edges, outside=self.outside)


class IntegersPart(Part):
    """Consecutive whole numbers."""

    low: int
    high: int

    def axis(self) -> Axis:
        """The domain."""
        return Integers(self.low, self.high)


class DatesPart(Part):
    """Consecutive days."""

    start: date
    end: date

    def axis(self) -> Axis:
        """The domain."""
        return Dates(self.start, self.end)


class TablePart(Part):
    """A catalog table, or files at a path."""

    table: str | None = Field(default=None, description="Name in the catalog.")
    path: str | None = Field(default=None, description="Path of the files.")
    format: Literal["parquet", "delta", "orc"] = Field(default="parquet", description="Format of the files.")

    @model_validator(mode="after")
    def _one_place(self) -> TablePart:
        if (self.table is None) == (self.path is None):
            raise ValueError("give either table (a name in the catalog) or path (and format)")
        return self


class ReferencePart(TablePart):
    """A public table that lists the values of a column."""

    column: str | None = Field(default=None, description="Its column with the values; the one of the same name if not.")


class ColumnPart(Part):
    """The public domain of a column: one of these."""

    values: list[Any] | None = Field(default=None, min_length=1, description="The values themselves.")
    bins: BinsPart | None = None
    integers: IntegersPart | None = None
    dates: DatesPart | None = None
    reference: ReferencePart | None = None

    @model_validator(mode="after")
    def _one_domain(self) -> ColumnPart:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError("give one of values, bins, integers, dates and reference")
        # Made once here, so that a bad domain is an error of the file.
        self.axis()
        return self

    def axis(self) -> Axis | None:
        """The domain; None if it is that of a table."""
        if self.values is not None:
            return Values(self.values)
        part = self.bins or self.integers or self.dates
        return None if part is None else part.axis()


class DatasetPart(TablePart):
    """A private table."""

    budget: BudgetPart
    columns: dict[str, ColumnPart] = Field(min_length=1, description="The columns that may be sampled.")
    privacy_unit: str | None = Field(default=None, description="The column that tells whose a row is.")
    relation: Literal["any", "replace", "add-remove"] = Field(default="any", description="What one person can change.")
    methods: list[str] | None = Field(default=None, min_length=1, description="The allowed methods; all if not given.")
    max_epsilon: EpsilonNumber | None = Field(default=None, description="The largest ε of one release.")

    @model_validator(mode="after")
    def _known_methods(self) -> DatasetPart:
        known = {"auto", "histogram", *methods()}
        if unknown := [name for name in self.methods or () if name not in known]:
            raise ValueError(f"methods has {unknown[0]!r}; known are {', '.join(sorted(known))}")
        return self


class Policy(Part):
    """The whole file."""

    ledger: str | None = Field(default=None, description="File or database URL of the ledger; without a password.")
    datasets: dict[str, DatasetPart] = Field(min_length=1, description="The tables, by the names that queries use.")
