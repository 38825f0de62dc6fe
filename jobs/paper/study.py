"""What a study is: rows, a picture of them, and claims that they must meet."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import matplotlib as mpl
from matplotlib.figure import Figure

from spark_dp import pictures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: How each method is drawn, here beside what the data alone allow.
LOOKS = {**pictures.LOOKS, "no privacy": (pictures.BLACK, "o", "-")}

mpl.use("agg")
mpl.rcParams.update(
    {
        "font.size": 11,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "legend.handlelength": 3,
        "figure.facecolor": "white",
        "lines.linewidth": 1.8,
        "lines.markersize": 5.5,
    }
)


class Claim(NamedTuple):
    """A statement about the rows of a study, what was measured, and whether it holds."""

    text: str
    measured: str
    holds: bool


Row = TypeVar("Row", bound=tuple[object, ...])


@dataclass(frozen=True)
class Study(Generic[Row]):
    """One figure.

    Args:
        name: of its files, and on the command line.
        title: what it shows.
        header: names of the columns.
        compute: measures the rows.
        draw: makes the picture of them.
        check: compares them with the claims.
        summary: lines for the terminal.
    """

    name: str
    title: str
    header: Sequence[str]
    compute: Callable[[], list[Row]]
    draw: Callable[[list[Row]], Figure]
    check: Callable[[list[Row]], list[Claim]]
    summary: Callable[[list[Row]], list[str]] = lambda _: []

    def run(self, folder: Path) -> list[Row]:
        """Measure, and write the CSV and the PNG; each appears whole or not at all."""
        rows = self.compute()
        table, picture = folder / f"{self.name}.csv", folder / f"{self.name}.png"
        aside = table.with_suffix(".csv.tmp")
        with aside.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.header)
            writer.writerows([f"{cell:.9g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
        aside.replace(table)
        aside = picture.with_suffix(".png.tmp")
        self.draw(rows).savefig(aside, format="png", dpi=120)
        aside.replace(picture)
        return rows


def canvas(panels: int, height: float, *, sharey: bool = False) -> tuple[Figure, list[Axes]]:
    """A figure 9 inches wide with panels side by side; its text stays legible at 900 pixels."""
    figure = Figure(figsize=(9, height), layout="constrained")
    return figure, list(figure.subplots(1, panels, squeeze=False, sharey=sharey)[0])


def legend_below(figure: Figure, axes: Axes, columns: int) -> None:
    """One legend for all panels, where it hides nothing."""
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=columns)
