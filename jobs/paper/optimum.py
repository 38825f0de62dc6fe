"""Average errors against the best that any differentially private sampler of the same n and k can do.

A sampler is a table Q(y | c), and ε-differential privacy and the average total variation are linear in
it, so the best is the optimum of a linear program. Averaging a sampler over all relabelings of the domain
keeps it private and, by convexity, makes it no worse; so the variables are one probability for each
sorted histogram and each of its distinct counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import block_array, coo_array, eye_array, hstack

from paper.output_error import parameters
from paper.study import LOOKS, Claim, Study, canvas, legend_below
from spark_dp.mechanisms.ds_roo import DsRoo
from spark_dp.mechanisms.roo import Roo
from spark_dp.mechanisms.ss_roo import SsRoo

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CASES = ((2, 10), (2, 20), (2, 30), (3, 10), (3, 20), (3, 30), (4, 10), (4, 20), (4, 30), (5, 10), (5, 20), (5, 30))
FACTORS = (1.1, 1.5, 2.0, 5.0)
MECHANISMS = (Roo, DsRoo, SsRoo)

Histogram = tuple[int, ...]


class Row(NamedTuple):
    """A method's average total variation over all histograms, and that of the best sampler."""

    k: int
    n: int
    factor: float
    method: str
    average: float
    optimum: float
    ratio: float


class Samplers:
    """All samplers of k values from n records that do not depend on the labels."""

    def __init__(self, k: int, n: int) -> None:
        self.k, self.n = k, n
        self.histograms = list(_sorted_histograms(k, n, n))
        entries = [(c, count) for c in self.histograms for count in dict.fromkeys(c)]
        #: The number of the variable: the probability of one value with that count.
        self.index = {entry: number for number, entry in enumerate(entries)}
        total = math.comb(n + k - 1, k - 1)
        #: How many of all histograms a sorted one stands for, as a share.
        self.shares = {c: _arrangements(c) / total for c in self.histograms}

    @cached_property
    def limits(self) -> list[tuple[int, int]]:
        """Pairs of variables of which the first may be at most E times the second."""
        pairs = set()
        for c in self.histograms:
            for a in dict.fromkeys(c):
                for b in dict.fromkeys(c):
                    if a > 0 and (a != b or c.count(a) > 1):
                        pairs |= self._limits_of_a_step(c, a, b)
        return sorted(pair for pair in pairs if pair[0] != pair[1])

    def _limits_of_a_step(self, c: Histogram, a: int, b: int) -> set[tuple[int, int]]:
        """A record leaves a value of count a for one of count b."""
        rest = list(c)
        rest.remove(a)
        rest.remove(b)
        after = tuple(sorted([*rest, a - 1, b + 1], reverse=True))
        moved = {(a, a - 1), (b, b + 1)} | {(count, count) for count in rest}
        return {(self.index[c, before], self.index[after, then]) for before, then in moved}

    def best(self, factor: float) -> float:
        """The least average total variation, Σ_y max(0, c_y/n − Q(y)), under the factor E."""
        limits = np.array(self.limits)
        pairs, each = np.arange(len(limits)), np.arange(len(self.index))
        # Variables: all Q, then what each lacks to c/n.
        private = coo_array((np.ones(len(limits)), (pairs, limits[:, 0])), shape=(len(limits), len(each)))
        private -= coo_array((np.full(len(limits), factor), (pairs, limits[:, 1])), shape=private.shape)
        lacking = eye_array(len(each))
        values = np.array([c.count(count) for c, count in self.index])
        owners = [self.histograms.index(c) for c, _ in self.index]
        sums = coo_array((values, (owners, each)), shape=(len(self.histograms), len(each)))
        solved = linprog(
            np.r_[np.zeros(len(each)), values * [self.shares[c] for c, _ in self.index]],
            A_ub=block_array([[private, None], [-lacking, -lacking]], format="csr"),
            b_ub=np.r_[np.zeros(len(limits)), [-count / self.n for _, count in self.index]],
            A_eq=hstack([sums, 0 * sums], format="csr"),
            b_eq=np.ones(len(self.histograms)),
            method="highs",
        )
        if not solved.success:
            raise RuntimeError(f"no optimum for k = {self.k}, n = {self.n}, E = {factor}: {solved.message}")
        return float(solved.fun)

    def average(self, mechanism: Roo | SsRoo) -> float:
        """The average total variation of a mechanism over all histograms."""
        average = 0.0
        for c in self.histograms:
            errors = (abs(float(p) - count / self.n) for p, count in zip(mechanism.pmf(c), c, strict=True))
            average += self.shares[c] * sum(errors) / 2
        return average


def _sorted_histograms(k: int, n: int, largest: int) -> Iterator[Histogram]:
    if k == 1:
        if n <= largest:
            yield (n,)
        return
    for first in range(min(n, largest), -(-n // k) - 1, -1):
        for rest in _sorted_histograms(k - 1, n - first, first):
            yield (first, *rest)


def _arrangements(c: Histogram) -> int:
    return math.factorial(len(c)) // math.prod(math.factorial(c.count(count)) for count in set(c))


def compute() -> list[Row]:
    """Every case, every E, every method."""
    rows = []
    for k, n in CASES:
        samplers = Samplers(k, n)
        for factor in FACTORS:
            optimum = samplers.best(factor)
            epsilon = f"{math.log(factor):.15f}"
            for cls in MECHANISMS:
                average = samplers.average(cls(**parameters(epsilon, k, n)))
                rows.append(Row(k, n, factor, cls.name, average, optimum, average / optimum))
    return rows


def draw(rows: list[Row]) -> Figure:
    """A panel for each E, the cases side by side."""
    figure, panels = canvas(len(FACTORS), 4, sharey=True)
    places = {case: place for place, case in enumerate(CASES)}
    for axes, factor in zip(panels, FACTORS, strict=True):
        for cls in MECHANISMS:
            color, marker, _ = LOOKS[cls.name]
            shown = [row for row in rows if row.factor == factor and row.method == cls.name]
            axes.plot(
                [places[row.k, row.n] for row in shown],
                [row.ratio for row in shown],
                color=color,
                marker=marker,
                linestyle="none",
                label=cls.name,
            )
        axes.axhline(1, color="black", linewidth=1)
        axes.set(title=f"E = e$^ε$ = {factor:g}", yscale="log", xlabel="k, n")
        axes.set_xticks(list(places.values()), [f"{k}, {n}" for k, n in CASES], rotation=90, fontsize=9)
        axes.set_yticks([1, 2, 4, 8, 16], ["1", "2", "4", "8", "16"])
        axes.minorticks_off()
    panels[0].set_ylabel("average TV / least possible")
    legend_below(figure, panels[0], len(MECHANISMS))
    return figure


def check(rows: list[Row]) -> list[Claim]:
    """Nothing beats the optimum, and SS-ROO comes near it."""
    least = min(rows, key=lambda row: row.ratio)
    ours = [row.ratio for row in rows if row.method == SsRoo.name]
    return [
        Claim(
            "no method is better than the optimum of the linear program, up to 1e-6",
            f"least ratio {least.ratio:.7f} ({least.method}, k = {least.k}, n = {least.n}, E = {least.factor:g})",
            least.ratio >= 1 - 1e-6,
        ),
        Claim("ss-roo ≤ 1.2 times the optimum", f"{min(ours):.3f} to {max(ours):.3f} times", max(ours) <= 1.2),
    ]


def summary(rows: list[Row]) -> list[str]:
    """The range of the ratios over the cases."""
    lines = [f"{'TV / optimum':<22}" + "".join(f"{f'E = {factor:g}':>14}" for factor in FACTORS)]
    for cls in MECHANISMS:
        ranges = []
        for factor in FACTORS:
            ratios = [row.ratio for row in rows if row.factor == factor and row.method == cls.name]
            ranges.append(f"{min(ratios):.2f}–{max(ratios):.2f}")
        lines.append(f"{cls.name:<22}" + "".join(f"{text:>14}" for text in ranges))
    return lines


STUDY = Study(
    name="optimum",
    title="Average error against the best possible, by linear programs",
    header=Row._fields,
    compute=compute,
    draw=draw,
    check=check,
    summary=summary,
)
