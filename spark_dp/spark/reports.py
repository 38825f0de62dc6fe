"""Reading back what was released, for people."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from spark_dp.budget import Entry
from spark_dp.domain import MAX_CELLS, Axis, Domain, Intervals
from spark_dp.errors import DomainError, SourceError
from spark_dp.reporting import SHOWN_BARS, SHOWN_ROWS, Report
from spark_dp.spark.columns import NOISY_COUNT, quoted, sampled_columns
from spark_dp.spark.counting import count_native
from spark_dp.spark.domains import resolve
from spark_dp.spark.frames import is_dataframe

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: Labels with their numbers, and how many values have none.
Bars = tuple[tuple[tuple[str, int], ...], int]


def report(released: DataFrame, domain: object = None, shown: int = SHOWN_ROWS) -> Report:
    """See :func:`spark_dp.report`; so many rows are shown, and of noisy counts as many as of a small domain."""
    entry = record_of(released)
    columns = tuple(released.columns)
    # Spark writes the values: Python would move timestamps into its own time zone.
    texts = released.limit(shown).select(*(_text(released, name) for name in columns)).collect()
    rows = tuple(tuple(row) for row in texts)
    if entry.num_samples == 0:
        return Report(entry, columns, rows, entry.k, *_noisy(released, entry, max(shown, SHOWN_BARS)))
    size = released.count() if entry.by else entry.num_samples
    bars: Bars = _drawn(released, entry, domain) if size > 1 else ((), 0)
    return Report(entry, columns, rows, size, *bars)


def record_of(released: object) -> Entry:
    """The public record that every column of a release carries.

    Raises:
        SourceError: if it is no release.
    """
    if is_dataframe(released):
        for field in released.schema:
            if "spark_dp" in field.metadata:
                return Entry.read(field.metadata["spark_dp"])
    raise SourceError(
        "This is no release: none of its columns carries the record of one. Give the DataFrame that dp_sample or "
        "dp_histogram returned, or one read from where it was written; an expression in select loses the record."
    )


def json_rows(released: DataFrame) -> list[str]:
    """The rows as JSON, one document each, as Spark writes them."""
    return [row[0] for row in released.select(F.to_json(F.struct("*"))).collect()]


def _text(released: DataFrame, name: str) -> Column:
    column = F.col(quoted(name))
    if released.schema[name].dataType.typeName() == "binary":
        column = F.hex(column)
    return column.cast("string")


def _drawn(released: DataFrame, entry: Entry, domain: object) -> Bars:
    """How often each value of the domain was drawn; nothing where it is not known, or too large to count over."""
    columns = sampled_columns(released, [*entry.by, *entry.columns])
    try:
        known = resolve(columns, domain)
    except DomainError:
        if domain is not None:
            raise
        return (), 0
    if known.size > MAX_CELLS:
        return (), 0
    counts = count_native(released, columns, known, outside=False)
    drawn = dict(zip(counts.ranks.tolist(), counts.counts.tolist(), strict=True))
    shown: Iterable[int] = range(known.size)
    if known.size > SHOWN_BARS:
        shown = nlargest(SHOWN_BARS, drawn, key=drawn.__getitem__)
    bars = tuple((_label(known, rank), drawn.get(rank, 0)) for rank in shown)
    return bars, known.size - len(bars)


def _noisy(released: DataFrame, entry: Entry, shown: int) -> Bars:
    """The noisy counts; of many values the largest."""
    rows = released.orderBy(F.desc(NOISY_COUNT)).limit(shown) if entry.k > shown else released
    texts = [_text(released, name) for name in released.columns if name != NOISY_COUNT]
    found = rows.select(F.concat_ws(", ", *texts), NOISY_COUNT).collect()
    return tuple((row[0], row[1]) for row in found), entry.k - len(found)


def _label(domain: Domain, rank: int) -> str:
    """What people call a value of the domain."""
    places = zip(domain.axes, domain.coordinates(rank), strict=True)
    return ", ".join(_of_axis(axis, place) for axis, place in places)


def _of_axis(axis: Axis, place: int) -> str:
    value = axis.unrank(place)
    return f"{value[0]} to {value[1]}" if isinstance(axis, Intervals) else str(value)
