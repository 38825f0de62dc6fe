"""A release as people read it: what it promises, what is public of it, what came out."""

from __future__ import annotations

from dataclasses import dataclass

from spark_dp import html
from spark_dp.budget import Entry
from spark_dp.privacy import Guarantee, Relation

#: How much of a release is shown.
SHOWN_ROWS, SHOWN_BARS = 20, 30


@dataclass(frozen=True, repr=False)
class Report:
    """What there is to say of a release: of the release alone, so that reading it costs nothing.

    Made by :func:`spark_dp.report`; ``print`` writes it as text, and a notebook shows it.

    Args:
        entry: the public record.
        columns: names of the columns that were released.
        rows: the first rows, as text.
        released: how many rows there are.
        bars: values of the domain with how often each was drawn, or its noisy count; empty for a single
            sample, or where the domain is not known.
        left_out: how many values of the domain have no bar.
    """

    entry: Entry
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    released: int
    bars: tuple[tuple[str, int], ...] = ()
    left_out: int = 0

    @property
    def guarantee(self) -> Guarantee:
        """What the release promises."""
        return self.entry.guarantee

    def _facts(self) -> dict[str, str]:
        """What is public and what stays private, in words."""
        entry = self.entry
        records = "rows" if entry.privacy_unit is None else f"values of {entry.privacy_unit}"
        known = entry.relation == Relation.REPLACE.value
        each = " in each group" if entry.by else ""
        drawn = f"num_samples {entry.num_samples:,}{each}" if entry.num_samples else "every value with its noisy count"
        public = f"the domain of {entry.k:,} values, method {entry.method}, eps {entry.epsilon}, relation "
        public += f"{entry.relation}, {drawn}" + (f", the number of {records}" if known else "")
        private = "every row, every count, " + ("" if known else f"the number of {records}, ")
        return {
            "Guarantee": entry.guarantee.in_words(),
            "Public": public,
            "Private": f"{private}and whether a draw revealed a row or obscured it",
            "Release": entry.release_id,
        }

    def _lines(self) -> dict[str, str]:
        """What stands on a line each, by its name."""
        groups = {"Groups": f"by {', '.join(self.entry.by)}"} if self.entry.by else {}
        sample = {"Sample": self._sample()} if self.entry.num_samples else {}
        return groups | sample | self._facts()

    def _sample(self) -> str:
        """The first rows on one line."""
        shown = ", ".join(row[0] if len(row) == 1 else f"({', '.join(row)})" for row in self.rows)
        rest = self.released - len(self.rows)
        return shown + (f", … ({rest:,} more)" if rest else "")

    def __str__(self) -> str:
        return "\n".join([*(f"{name + ':':<11}{text}" for name, text in self._lines().items()), *self._drawn_bars()])

    __repr__ = __str__

    def _drawn_bars(self) -> list[str]:
        if not self.bars:
            return []
        width = max(len(label) for label, _ in self.bars)
        longest = max(1, *(value for _, value in self.bars))
        drawn = [f"  {label:<{width}}  {'█' * round(40 * value / longest)} {value:,}" for label, value in self.bars]
        return ["", f"{self._axis()}:", *drawn, *self._others()]

    def _axis(self) -> str:
        return "Noisy counts" if self.entry.num_samples == 0 else "How often each value was drawn"

    def _others(self) -> list[str]:
        return [f"and {self.left_out:,} other values of the domain"] if self.left_out else []

    def _repr_html_(self) -> str:
        parts = [html.paragraph(text, name) for name, text in self._lines().items()]
        if self.bars:
            labels, values = zip(*self.bars, strict=True)
            parts += [html.paragraph(self._axis()), html.bars(labels, values), *map(html.paragraph, self._others())]
        what = "Private sample" if self.entry.num_samples else "Private histogram"
        return html.card(f"{what} of {', '.join(self.entry.columns)}", *parts)
