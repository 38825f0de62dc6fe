"""The trade-off of a plan as a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from spark_dp.errors import ArgumentError
from spark_dp.mechanisms.base import MAX_SYNTHETIC_DRAWS
from spark_dp.pictures import BLACK, LOOKS, figure
from spark_dp.planning.needs import worst_error
from spark_dp.privacy import MAX_EPSILON, MIN_EPSILON
from spark_dp.wording import numbered

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spark_dp.planning.comparison import Plan

#: How far the picture reaches to both sides of the plan, and in how many steps.
_REACH = 30
_STEPS = 4
#: Errors below have no room; a logarithmic axis has no 0 either.
_LEAST = 1e-6

Points = tuple[tuple[float, float], ...]


def trade_off(plan: Plan) -> Figure:
    """Error against ε, and against the number of samples, of every method that can answer."""
    made, (left, right) = figure(2, height=4.2, same_height=True)
    by_epsilon = _lines(plan, _epsilons(plan), lambda epsilon: {"eps": epsilon})
    by_samples = _lines(plan, _samples(plan), lambda samples: {"num_samples": samples})
    _panel(left, plan, by_epsilon, float(plan.epsilon.value), "ε of the release")
    _panel(right, plan, by_samples, float(plan.num_samples), "number of samples")
    kind = "largest" if plan.guess is None else "expected"
    left.set_ylabel(f"{kind} total variation to the rows\n(10⁻⁶ stands for less)")
    made.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    made.suptitle(
        f"{plan.n:,} rows, {plan.k:,} values, relation {plan.relation.value}; the ring: ε = {plan.epsilon}, "
        f"{numbered(plan.num_samples, 'sample')}, {plan.chosen}",
        fontsize=10,
    )
    return made


def _panel(axes: Axes, plan: Plan, lines: Mapping[str, Points], at: float, name: str) -> None:
    """One panel; methods whose errors agree everywhere share a line."""
    shared: dict[Points, list[str]] = {}
    for method, points in lines.items():
        shared.setdefault(points, []).append(method)
    for points, methods in shared.items():
        color, marker, style = LOOKS[methods[0]]
        axes.plot(*zip(*points, strict=True), style, color=color, marker=marker, markersize=4, label=", ".join(methods))
    here = dict(lines[plan.chosen])[at]
    axes.plot([at], [here], "o", color=BLACK, markersize=13, markerfacecolor="none", markeredgewidth=1.5)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(name)


def _lines(plan: Plan, places: Sequence[Any], given: Callable[[Any], dict[str, Any]]) -> dict[str, Points]:
    from spark_dp.planning.comparison import error_expected, planned_mechanism

    def points(method: str) -> Iterable[tuple[float, float]]:
        for place in places:
            try:
                planned = planned_mechanism(plan, method, **given(place))
                error = worst_error(planned, plan.n) if plan.guess is None else error_expected(plan, planned)
            except ArgumentError:
                continue
            yield float(place), max(_LEAST, float(error or 0))

    found = {line.method: tuple(points(line.method)) for line in plan.lines if not line.note}
    return {method: line for method, line in found.items() if line}


def _epsilons(plan: Plan) -> list[Decimal]:
    """ε around that of the plan, on a logarithmic scale, with that itself."""
    own = plan.epsilon.decimal
    around = (own * Decimal(_REACH ** (step / _STEPS)) for step in range(-_STEPS, _STEPS + 1) if step)
    inside = (Decimal(f"{epsilon:.3g}") for epsilon in around if MIN_EPSILON <= epsilon <= MAX_EPSILON)
    return sorted({own, *inside})


def _samples(plan: Plan) -> list[int]:
    """Numbers of samples around the plan's own, with that itself."""
    own = plan.num_samples
    around = (round(own * _REACH ** (2 * step / _STEPS)) for step in range(-_STEPS, _STEPS + 1))
    return sorted({own, *(samples for samples in around if 1 <= samples <= MAX_SYNTHETIC_DRAWS)})
