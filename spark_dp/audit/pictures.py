"""The picture of an audit: the privacy loss of every pair of neighbors, and the draws of the sampler."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from spark_dp.audit.chi_square import threshold
from spark_dp.audit.enumeration import EnumerationCheck
from spark_dp.audit.report import Audit
from spark_dp.audit.sampler import LEVEL, SamplerCheck
from spark_dp.audit.words import title
from spark_dp.pictures import BLACK, BLUE, ORANGE, SKY, VERMILION, figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Whether a record is replaced, and how such pairs are drawn.
_STEPS = ((True, BLUE, "o", "a record replaced"), (False, ORANGE, "^", "a record added or removed"))


def draw(audit: Audit, path: str | os.PathLike[str]) -> None:
    """Write the picture of an audit.

    Raises:
        ArgumentError: if it cannot be written.
    """
    picture, (left, right) = figure(2, height=4.2)
    picture.suptitle(title(audit), fontsize=10)
    _losses(left, audit.enumeration)
    _frequencies(right, audit.sampler)
    save(picture, path)


def _losses(axes: Axes, found: EnumerationCheck) -> None:
    """Every pair of neighbors: what one record changes, by how rare the values are that it changes."""
    from matplotlib.ticker import MaxNLocator

    for replaces, color, marker, label in _STEPS:
        points = [(count, share) for count, replaced, share in found.losses if replaced is replaces]
        counts, shares = zip(*points, strict=True) if points else ((), ())
        if points:
            axes.scatter(counts, shares, s=18, c=color, marker=marker, alpha=0.6, linewidths=0, label=label, zorder=3)
    axes.axhline(1, color=BLACK, linestyle="--", linewidth=1.2, label="limit: ε", zorder=4)
    top = 1.0
    if found.worst is not None and math.isfinite(found.share):
        top, at = max(top, found.share), ([found.worst.smallest], [found.share])
        axes.plot(*at, "o", ms=11, mfc="none", mec=VERMILION, mew=2, label=f"largest: {found.share:.4g} ε", zorder=5)
    axes.set_title(f"Privacy loss of {found.pairs:,} pairs of neighbors", fontsize=11)
    axes.set(xlabel="smallest count that changes (records)", ylabel="privacy loss (multiples of ε)")
    axes.set_ylim(0, 1.1 * top)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _explained(axes)


def _frequencies(axes: Axes, found: SamplerCheck) -> None:
    """Every outcome: how often it was drawn, as a multiple of what was to be expected."""
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    cells = [cell for cell in found.cells if cell.probability]
    rarest, commonest = cells[-1].probability / 1.25, min(cells[0].probability * 1.25, 1)
    grid = [rarest * (commonest / rarest) ** (step / 200) for step in range(201)]
    # A frequency is off by so many standard deviations with the probability α.
    reach = math.sqrt(threshold(LEVEL, 1) / found.number)
    band = [reach * math.sqrt(max(0, 1 - p) / p) for p in grid]
    lower, upper = [1 - width for width in band], [1 + width for width in band]
    axes.fill_between(grid, lower, upper, color=SKY, alpha=0.25, linewidth=0, label="99.9999 % of right samplers")
    axes.axhline(1, color=BLACK, linewidth=1.2)
    ratios = [cell.observed / (cell.probability * found.number) for cell in cells]
    axes.scatter([cell.probability for cell in cells], ratios, s=24, c=BLUE, label=f"{found.number:,} drawn", zorder=3)
    axes.set_title(f"Sampler: χ² = {found.statistic:.1f}, threshold {found.threshold:.1f}", fontsize=11)
    axes.set(xlabel="exact probability of the outcome", ylabel="observed / expected frequency", xscale="log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    _explained(axes)


def _explained(axes: Axes) -> None:
    """A legend below, where nothing is drawn."""
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, frameon=False, fontsize=9)
