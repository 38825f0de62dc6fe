"""How often DS-ROO obscures, and how many rows ROO needs: formulas, no simulation."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from paper.output_error import parameters
from paper.study import Claim, Study, canvas
from spark_dp.mechanisms.ds_roo import DsRoo
from spark_dp.mechanisms.roo import Roo
from spark_dp.pictures import BLUE, GREEN, ORANGE, VERMILION
from spark_dp.privacy import Epsilon

if TYPE_CHECKING:
    from matplotlib.figure import Figure

K, N = 9, 1000
LINES = ((BLUE, "o"), (ORANGE, "^"), (GREEN, "s"), (VERMILION, "D"))


class Rate(NamedTuple):
    """The share q_m of draws that DS-ROO obscures, and ROO's q."""

    epsilon: str
    m: int
    ds_roo: float
    roo: float


def compute_rates() -> list[Rate]:
    """q_m = k u_m / (n + k u_m) for every m that is possible."""
    rows = []
    for epsilon in ("0.05", "0.1", "0.2", "0.5"):
        m = DsRoo(**parameters(epsilon, K, N))
        added = [u / m.scale for u in m.schedule] + [0.0] * (N // K + 1)
        rates = [K * u / (N + K * u) for u in added[: N // K + 1]]
        rows += [Rate(epsilon, minimum, rate, rates[0]) for minimum, rate in enumerate(rates)]
    return rows


def draw_rates(rows: list[Rate]) -> Figure:
    """q_m against m, up to where it is 0 for every ε."""
    figure, (axes,) = canvas(1, 4)
    for (color, marker), epsilon in zip(LINES, dict.fromkeys(row.epsilon for row in rows), strict=True):
        rates = [row.ds_roo for row in rows if row.epsilon == epsilon]
        shown = rates[: rates.index(0) + 1]
        style: dict[str, Any] = {"color": color, "marker": marker, "markevery": 2}
        axes.plot(range(len(shown)), shown, label=f"ε = {epsilon}", **style)
        axes.plot([0, 45], rates[:1] * 2, color=color, linestyle="--", linewidth=1.2)
        axes.annotate(f"roo, ε = {epsilon}", (45, rates[0]), ha="right", va="bottom", fontsize=10)
    axes.set(
        xlabel="m, the smallest count over the domain", ylabel="share q of draws that are obscured", ylim=(0, None)
    )
    axes.legend(title="ds-roo", loc="center right", bbox_to_anchor=(1, 0.72))
    return figure


def check_rates(rows: list[Rate]) -> list[Claim]:
    """q_m starts at ROO's q and falls."""
    pairs = [(a, b) for a, b in pairwise(rows) if a.epsilon == b.epsilon]
    holds = all(b.ds_roo <= a.ds_roo for a, b in pairs) and all(row.ds_roo <= row.roo for row in rows)
    ends = {row.epsilon: row.m for row in reversed(rows) if row.ds_roo == 0}
    measured = ", ".join(f"{m} at ε = {epsilon}" for epsilon, m in sorted(ends.items()))
    return [Claim("ds-roo's q_m starts at roo's q and falls to 0", f"0 from m = {measured}", holds)]


class Need(NamedTuple):
    """Rows that ROO needs for a total variation of at most α, and the order for the Laplace projection."""

    alpha: str
    epsilon: float
    roo: float
    line: float


def compute_needs() -> list[Need]:
    """ROO's sample complexity and k/(αε), at 17 ε from 0.05 to 5."""
    epsilons = [float(f"{0.05 * 100 ** (i / 16):.3g}") for i in range(17)]
    return [
        Need(
            alpha,
            epsilon,
            float(Roo(Epsilon.parse(epsilon), K).sample_complexity(alpha)),
            K / (float(alpha) * epsilon),
        )
        for alpha in ("0.01", "0.05", "0.2")
        for epsilon in epsilons
    ]


def draw_needs(rows: list[Need]) -> Figure:
    """Rows on the left, their ratio on the right."""
    figure, (left, right) = canvas(2, 4)
    for (color, marker), alpha in zip(LINES, dict.fromkeys(row.alpha for row in rows), strict=False):
        shown = [row for row in rows if row.alpha == alpha]
        epsilons = [row.epsilon for row in shown]
        left.plot(epsilons, [row.roo for row in shown], color=color, marker=marker, label=f"roo, α = {alpha}")
        left.plot(epsilons, [row.line for row in shown], color=color, linestyle="--", label=f"k/(αε), α = {alpha}")
        ratios = [row.line / row.roo for row in shown]
        right.plot(epsilons, ratios, color=color, marker=marker, label=f"α = {alpha}")
    left.set(xlabel="ε", ylabel="rows n for TV ≤ α", xscale="log", yscale="log", ylim=(0.2, None))
    right.set(xlabel="ε", ylabel="k/(αε) divided by roo's rows", xscale="log", yscale="log")
    left.legend(fontsize=9, loc="lower left")
    right.legend(loc="upper left")
    right.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    for axes in (left, right):
        axes.set_xticks([0.05, 0.1, 0.5, 1, 5], ["0.05", "0.1", "0.5", "1", "5"])
    return figure


def check_needs(rows: list[Need]) -> list[Claim]:
    """ROO needs fewer rows than k/(αε), the more so the larger ε is."""
    ratios = [row.line / row.roo for row in rows]
    pairs = [(a, b) for a, b in pairwise(rows) if a.alpha == b.alpha]
    return [
        Claim(
            "roo needs fewer rows than k/(αε) at every ε and α",
            f"k/(αε) is {min(ratios):.2f} to {max(ratios):.1f} times as many",
            min(ratios) > 1,
        ),
        Claim(
            "that ratio grows with ε",
            ", ".join(f"{row.line / row.roo:.2f} at ε = {row.epsilon:g}" for row in rows[17:34:4]) + " for α = 0.05",
            all(a.line / a.roo < b.line / b.roo for a, b in pairs),
        ),
    ]


RATES = Study(
    name="obscuring-rate",
    title="How often DS-ROO obscures (k = 9, n = 1000)",
    header=Rate._fields,
    compute=compute_rates,
    draw=draw_rates,
    check=check_rates,
)
NEEDS = Study(
    name="rows-needed",
    title="Rows that ROO needs (k = 9)",
    header=Need._fields,
    compute=compute_needs,
    draw=draw_needs,
    check=check_needs,
)
