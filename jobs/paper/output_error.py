"""How far the output of one draw lies from the distribution of the data: the setting of Figure 3 of Tasnim et al."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paper.study import LOOKS, Claim, Study, canvas, legend_below
from spark_dp.mechanisms.ds_roo import DsRoo
from spark_dp.mechanisms.laplace_projection import LaplaceProjection
from spark_dp.mechanisms.roo import Roo
from spark_dp.mechanisms.ss_roo import SsRoo
from spark_dp.privacy import Epsilon, Relation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

K, N = 9, 1000
EPSILONS = ("0.02", "0.03", "0.05", "0.07", "0.1", "0.15", "0.2", "0.3", "0.5", "0.7", "1", "2")
DATA_SETS = 20_000
NOISES = 8
BATCHES = 20
SEED = 20250414
#: Where the picture ends; lines that leave it fall to exactly 0 or nearly so.
FLOOR = 1e-5


def _normalized(weights: NDArray[Any]) -> Floats:
    """Along the last axis."""
    normalized: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return normalized


LAWS: dict[str, Floats] = {
    "linear": _normalized(np.arange(K, 0, -1, dtype=float)),
    "Zipf": _normalized(1 / np.arange(1, K + 1)),
    "geometric": _normalized(0.5 ** np.arange(1, K + 1)),
}
FORMULAS = {"linear": "P(i) ∝ 10 − i", "Zipf": "P(i) ∝ 1/i", "geometric": "P(i) ∝ 2$^{-i}$"}


class Row(NamedTuple):
    """Error of a method at one ε; the simulation knows it up to about the deviation."""

    law: str
    method: str
    epsilon: str
    total_variation: float
    deviation: float


def parameters(epsilon: str, k: int, n: int) -> dict[str, Any]:
    """The public parameters of the paper: one record is replaced, n is public."""
    return {"epsilon": Epsilon.parse(epsilon), "k": k, "relation": Relation.REPLACE, "n": n}


def roo(counts: Integers, epsilon: str) -> Floats:
    """ROO's probabilities for each row of counts."""
    m = Roo(**parameters(epsilon, counts.shape[1], int(counts[0].sum())))
    return _normalized(counts + m.pseudo_count / m.scale)


def ds_roo(counts: Integers, epsilon: str) -> Floats:
    """DS-ROO's probabilities for each row of counts."""
    n = int(counts[0].sum())
    m = DsRoo(**parameters(epsilon, counts.shape[1], n))
    schedule = np.zeros(n + 1)
    schedule[: len(m.schedule)] = [u / m.scale for u in m.schedule[: n + 1]]
    return _normalized(counts + schedule[counts.min(axis=1)][:, None])


def ss_roo(counts: Integers, epsilon: str) -> Floats:
    """SS-ROO's probabilities for each row of counts."""
    n = int(counts[0].sum())
    m = SsRoo(**parameters(epsilon, counts.shape[1], n))
    b = np.array([m.envelope(count) / m.scale for count in range(n + 1)])
    return _normalized(b[counts])


def projected(noisy_counts: Integers, n: int) -> Integers:
    """LaplaceProjection.weights for each row of noisy counts, for a public n."""
    ordered = -np.sort(-noisy_counts, axis=1)
    above = ordered.cumsum(axis=1)
    sizes = np.arange(1, ordered.shape[1] + 1)
    positive = (sizes * ordered > above - n).sum(axis=1)[:, None]
    cut = np.take_along_axis(above, positive - 1, axis=1) - n
    weights: Integers = np.maximum(0, positive * noisy_counts - cut)
    return weights


def discrete_laplace(scale: float, shape: tuple[int, ...], rng: np.random.Generator) -> Integers:
    """Simulated noise, P(x) ∝ e^(−|x|/scale); a release draws it exactly, with OpenDP."""
    p = -np.expm1(-1 / scale)
    return rng.geometric(p, shape) - rng.geometric(p, shape)


def laplace_projection(counts: Integers, epsilon: str) -> Floats:
    """Probabilities of the Laplace projection for each row of counts, averaged over noise.

    Each noise comes with its negative: what is linear in it cancels, and only the bias is left.
    """
    n = int(counts[0].sum())
    m = LaplaceProjection(**parameters(epsilon, counts.shape[1], n))
    rng = np.random.default_rng(SEED)
    total = np.zeros(counts.shape)
    for _ in range(NOISES):
        noise = discrete_laplace(m.noise_scale, counts.shape, rng)
        total += _normalized(projected(counts + noise, n)) + _normalized(projected(counts - noise, n))
    return total / (2 * NOISES)


PMFS: dict[str, Callable[[Integers, str], Floats]] = {
    "roo": roo,
    "ds-roo": ds_roo,
    "laplace-projection": laplace_projection,
    "ss-roo": ss_roo,
}


def compute() -> list[Row]:
    """All methods on the same data sets.

    E[c/n] = P, so E[Q] − P = E[Q − c/n]: its average has none of the variance of the data themselves.
    """
    rows = []
    for law, p in LAWS.items():
        counts = np.random.default_rng(SEED).multinomial(N, p, DATA_SETS)
        for method, pmf in PMFS.items():
            for epsilon in EPSILONS:
                shifts = pmf(counts, epsilon) - counts / N
                batches = shifts.reshape(BATCHES, -1, K).mean(axis=1)
                deviation = batches.std(axis=0, ddof=1) / np.sqrt(BATCHES)
                error = np.abs(shifts.mean(axis=0)).sum() / 2
                rows.append(Row(law, method, epsilon, float(error), float(deviation.sum() / 2)))
    return rows


def draw(rows: list[Row]) -> Figure:
    """A panel for each law."""
    figure, panels = canvas(len(LAWS), 4.2, sharey=True)
    for axes, law in zip(panels, LAWS, strict=True):
        for method in PMFS:
            color, marker, line = LOOKS[method]
            shown = [row for row in rows if row[:2] == (law, method)]
            # A log axis has no 0; a hundredth of the floor is as invisible.
            errors = [max(row.total_variation, FLOOR / 100) for row in shown]
            epsilons = [float(row.epsilon) for row in shown]
            axes.plot(epsilons, errors, color=color, marker=marker, linestyle=line, label=method)
        axes.set(title=f"{law}, {FORMULAS[law]}", xlabel="ε", xscale="log", yscale="log", ylim=(FLOOR, 0.5))
        axes.set_xticks([0.02, 0.1, 0.5, 2], ["0.02", "0.1", "0.5", "2"])
        axes.minorticks_off()
    panels[0].set_ylabel("total variation of the output to P")
    legend_below(figure, panels[0], len(PMFS))
    return figure


def check(rows: list[Row]) -> list[Claim]:
    """DS-ROO is never worse than ROO, SS-ROO never worse than DS-ROO, and far better where a value is rare."""
    found = {row[:3]: row for row in rows}
    claims = []
    for better, worse in (("ds-roo", "roo"), ("ss-roo", "ds-roo")):
        pairs = [(found[law, better, epsilon], found[law, worse, epsilon]) for law in LAWS for epsilon in EPSILONS]
        excess = max(a.total_variation - b.total_variation for a, b in pairs)
        holds = all(a.total_variation <= b.total_variation + 3 * (a.deviation + b.deviation) for a, b in pairs)
        largest = max(3 * (a.deviation + b.deviation) for a, b in pairs)
        claims.append(
            Claim(
                f"{better} ≤ {worse} at every ε and P, up to 3 standard errors of the simulation",
                f"largest difference {excess:.1e}; 3 standard errors are at most {largest:.1e}",
                holds,
            )
        )
    ours, theirs = (found["geometric", method, "0.1"].total_variation for method in ("ss-roo", "ds-roo"))
    claims.append(
        Claim(
            "ss-roo ≤ ds-roo / 4 at ε = 0.1 on the geometric P",
            f"{ours:.4f} and {theirs:.4f}: {theirs / ours:.1f} times less",
            ours <= theirs / 4,
        )
    )
    claims.append(_projection_claim())
    return claims


def _projection_claim() -> Claim:
    """The simulated projection is the one that is released."""
    rng = np.random.default_rng(SEED)
    noisy_counts = rng.multinomial(N, LAWS["geometric"], 1000) + discrete_laplace(20.0, (1000, K), rng)
    same = sum(
        LaplaceProjection.weights(noisy, N) == weights
        for noisy, weights in zip(noisy_counts.tolist(), projected(noisy_counts, N).tolist(), strict=True)
    )
    return Claim("the simulated projection is LaplaceProjection.weights", f"{same} of 1000 equal", same == 1000)


def summary(rows: list[Row]) -> list[str]:
    """The errors at ε = 0.1."""
    found = {row[:3]: row.total_variation for row in rows}
    lines = [f"{'TV at ε = 0.1':<22}" + "".join(f"{law:>12}" for law in LAWS)]
    return lines + [f"{m:<22}" + "".join(f"{found[law, m, '0.1']:>12.2e}" for law in LAWS) for m in PMFS]


STUDY = Study(
    name="output-error",
    title="Error of one draw against ε (k = 9, n = 1000)",
    header=Row._fields,
    compute=compute,
    draw=draw,
    check=check,
    summary=summary,
)
