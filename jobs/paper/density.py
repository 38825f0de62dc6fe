"""What can be learned of a density from histogram mechanisms: the rates of Wasserman and Zhou on [0, 1]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import spark_dp as dp
from paper.output_error import discrete_laplace
from paper.study import LOOKS, Claim, Study, canvas, legend_below
from spark_dp.mechanisms.perturbed_histogram import PerturbedHistogram
from spark_dp.privacy import Epsilon

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

EPSILON = "1"
SIZES = tuple(round(10 ** (exponent / 3)) for exponent in range(9, 22))
#: Slopes are fitted from here on: with fewer rows there are too few bins to speak of a rate.
FITTED_FROM = 10**4
REPEATS = 300
#: Points in each bin at which distribution functions are compared.
FINE = 16
SEED = 20080811
AMPLITUDE = 0.8


def distribution(x: Floats) -> Floats:
    """F of the density p(x) = 1 + 0.8 cos(πx), which is Lipschitz and falls from 1.8 to 0.2."""
    return x + AMPLITUDE * np.sin(np.pi * x) / np.pi


#: ∫p².
SQUARED = 1 + AMPLITUDE**2 / 2

#: The exponent of n by theory, for one dimension. The last but one is derived in docs/paper.md.
THEORY: dict[tuple[str, str], float] = {
    ("L2", "no privacy"): -2 / 3,
    ("L2", "perturbed-histogram"): -2 / 3,
    ("L2", "smoothed-histogram"): -2 / 5,
    ("KS", "no privacy"): -1 / 2,
    ("KS", "perturbed-histogram"): -1 / 2,
    ("KS", "smoothed-histogram"): -2 / 7,
}


class Row(NamedTuple):
    """Mean error at n rows, in m bins; draws is 0 where the histogram itself is known."""

    measure: str
    method: str
    n: int
    bins: int
    delta: float
    draws: int
    error: float


def squared_error(shares: Floats) -> float:
    """The mean of ∫(p̂ − p)² over rows of shares of bins."""
    bins: int = shares.shape[1]
    exact = np.diff(distribution(np.linspace(0, 1, bins + 1)))
    within = SQUARED - bins * float((exact**2).sum())
    return within + bins * float(((shares - exact) ** 2).sum(axis=1).mean())


def largest_gap(shares: Floats) -> float:
    """The mean of sup|F̂ − F| over rows of shares of bins, each bin filled uniformly."""
    bins = shares.shape[1]
    edges = np.concatenate([np.zeros((len(shares), 1)), shares.cumsum(axis=1)], axis=1)
    x = np.linspace(0, 1, bins * FINE + 1)
    left = np.minimum(np.arange(len(x)) // FINE, bins - 1)
    inside = x * bins - left
    learned = edges[:, left] * (1 - inside) + edges[:, left + 1] * inside
    return float(np.abs(learned - distribution(x)).max(axis=1).mean())


def largest_gap_of_points(points: Floats) -> float:
    """The same for rows of points, whose F̂ is a staircase."""
    size = points.shape[1]
    exact = distribution(np.sort(points, axis=1))
    steps = np.arange(size + 1) / size
    return float(np.maximum(steps[1:] - exact, exact - steps[:-1]).max(axis=1).mean())


def sampled(n: int, bins: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Counts of the bins of data of n rows, many times."""
    return rng.multinomial(n, np.diff(distribution(np.linspace(0, 1, bins + 1))), REPEATS)


def histograms(n: int, rng: np.random.Generator) -> list[Row]:
    """The histogram with and without noise, h = n^(−1/3) for both measures.

    The released noisy counts give as many draws as one likes, so that their histogram itself is known.
    """
    bins = round(n ** (1 / 3))
    counts = sampled(n, bins, rng)
    scale = PerturbedHistogram(Epsilon.parse(EPSILON), bins).noise_scale
    noisy_counts = counts + discrete_laplace(scale, counts.shape, rng)
    clipped = np.maximum(0, noisy_counts)
    rows = []
    for method, weights in (("no privacy", counts), ("perturbed-histogram", clipped)):
        shares = weights / weights.sum(axis=1, keepdims=True)
        rows.append(Row("L2", method, n, bins, 0.0, 0, squared_error(shares)))
        rows.append(Row("KS", method, n, bins, 0.0, 0, largest_gap(shares)))
    return rows


def smoothed(measure: str, n: int, rng: np.random.Generator) -> Row:
    """As many draws from the smoothed histogram as ε allows, with the bins and δ of the theory."""
    width = n ** (-1 / 5) if measure == "L2" else n ** (-1 / 7)
    bins, delta = round(1 / width), width if measure == "L2" else width**2
    draws = dp.max_draws(delta, n, bins, EPSILON)
    counts = sampled(n, bins, rng)
    drawn = np.array([rng.multinomial(draws, (1 - delta) * c / n + delta / bins) for c in counts])
    if measure == "L2":
        return Row(measure, "smoothed-histogram", n, bins, delta, draws, squared_error(drawn / draws))
    chosen = np.array([np.repeat(np.arange(bins), repeats) for repeats in drawn])
    points = (chosen + rng.random(chosen.shape)) / bins
    return Row(measure, "smoothed-histogram", n, bins, delta, draws, largest_gap_of_points(points))


def compute() -> list[Row]:
    """Both measures of all methods at every n."""
    rng = np.random.default_rng(SEED)
    rows: list[Row] = []
    for n in SIZES:
        rows += [*histograms(n, rng), smoothed("L2", n, rng), smoothed("KS", n, rng)]
    return rows


def slope(rows: list[Row], measure: str, method: str) -> float:
    """The exponent of n, fitted by least squares to the logarithms."""
    fitted = [(math.log(row.n), math.log(row.error)) for row in rows if row[:2] == (measure, method)]
    x, y = zip(*(pair for pair in fitted if pair[0] >= math.log(FITTED_FROM)), strict=True)
    return float(np.polyfit(x, y, 1)[0])


def draw(rows: list[Row]) -> Figure:
    """A panel for each measure; thin lines have the slopes of the theory."""
    figure, panels = canvas(2, 4.4)
    titles = {"L2": "squared error E∫(p̂ − p)²", "KS": "distribution function, E sup|F̂ − F|"}
    for axes, (measure, title) in zip(panels, titles.items(), strict=True):
        for (of, method), exponent in THEORY.items():
            if of != measure:
                continue
            color, marker, line = LOOKS[method]
            shown = [row for row in rows if row[:2] == (measure, method)]
            sizes = np.array([row.n for row in shown])
            style: dict[str, Any] = {"color": color, "marker": marker, "linestyle": line, "label": method}
            # Larger and hollow, so that it shows around the nearly equal perturbed histogram.
            style |= {"markersize": 9, "fillstyle": "none"} if method == "no privacy" else {}
            axes.plot(sizes, [row.error for row in shown], **style)
            last = shown[-1]
            axes.plot(sizes, last.error * (sizes / last.n) ** exponent, color=color, linestyle=":", linewidth=1.2)
        axes.set(title=title, xlabel="rows n", xscale="log", yscale="log")
    panels[0].set_ylabel("mean error")
    panels[0].plot([], [], color="gray", linestyle=":", linewidth=1.2, label="slope of the theory")
    legend_below(figure, panels[0], 4)
    return figure


def check(rows: list[Row]) -> list[Claim]:
    """The fitted slopes are those of the theory, which gives upper bounds, or steeper."""
    fitted = {key: slope(rows, *key) for key in THEORY}
    measured = "; ".join(f"{a} {b} {fitted[a, b]:.3f} ({THEORY[a, b]:.3f})" for a, b in THEORY)
    holds = all(fitted[key] <= THEORY[key] + 0.05 for key in THEORY)
    return [Claim("fitted slopes are at most 0.05 shallower than in theory (in brackets)", measured, holds)]


def summary(rows: list[Row]) -> list[str]:
    """The slopes as a table."""
    lines = [f"{'exponent of n':<28}{'theory':>10}{'fitted':>10}"]
    return lines + [
        f"{measure + ' ' + method:<28}{exponent:>10.3f}{slope(rows, measure, method):>10.3f}"
        for (measure, method), exponent in THEORY.items()
    ]


STUDY = Study(
    name="density",
    title="Learning a density on [0, 1] at ε = 1",
    header=Row._fields,
    compute=compute,
    draw=draw,
    check=check,
    summary=summary,
)
