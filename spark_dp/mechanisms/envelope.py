"""SS-ROO's weight b(c) of a count c: as small as ε allows, linear between knots, and certified.

Integers in units of 1/scale record throughout. With ℓ(x) = log Γ(x + T) − log Γ(x), a record more
of a value with count c costs ℓ(b(c + 1)) − ℓ(b(c)); if it comes from a value with count d, whose
weight falls by more than the first one rises, the total Z falls by their difference Δ and the cost
grows by ℓ(Z) − ℓ(Z − Δ). Both together must stay within ε for every c and d (docs/mechanisms.md).

Between two knots b is linear. Both costs fall as b grows, so that the left end of a piece stands
for all counts of the piece, and a table has at most MAX_PIECES pieces however far it reaches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from spark_dp.exact.rising import Rising

#: Up to this many counts each is a piece of its own; beyond, the weights are up to 0.1 % larger than need be.
MAX_PIECES = 2000


@dataclass(frozen=True)
class Envelope:
    """A convex, piecewise linear weight function b with b(c) = c from the last knot on.

    Args:
        knots: counts 0 = l_0 < l_1 < … < l_S = c*.
        weights: b at the knots, in units of 1/scale record.
        scale: the weight of one record.
    """

    knots: tuple[int, ...]
    weights: tuple[int, ...]
    scale: int

    @cached_property
    def slopes(self) -> tuple[int, ...]:
        """b(c + 1) − b(c) on each piece."""
        pieces = zip(self.knots, self.knots[1:], self.weights, self.weights[1:], strict=False)
        return tuple((above - below) // (right - left) for left, right, below, above in pieces)

    @property
    def exact_from(self) -> int:
        """c*: from this count on the weight is the count."""
        return self.knots[-1]

    def __call__(self, count: int) -> int:
        """b(count)."""
        return self.weights[0] + self.above_floor(count)

    @cached_property
    def above_floor(self) -> Callable[[int], int]:
        """b(count) − b(0), as a function that holds no more than the table, so that it can be sent away."""
        return partial(_above_floor, self.knots, self.weights, self.slopes, self.scale)


def _above_floor(knots: Sequence[int], weights: Sequence[int], slopes: Sequence[int], scale: int, count: int) -> int:
    if count >= knots[-1]:
        return count * scale - weights[0]
    piece = bisect_right(knots, count) - 1
    return weights[piece] + (count - knots[piece]) * slopes[piece] - weights[0]


@dataclass(frozen=True)
class Step:
    """The first step of a piece: where a falling count pays least for what it takes off the total.

    Args:
        weight: b at its upper end.
        slope: by how much b falls.
    """

    weight: int
    slope: int


@dataclass(frozen=True)
class Inequalities:
    """What b must keep.

    Args:
        rising: compares products of rising factorials with e^ε.
        others: K, what all but the two changing values weigh at least.
        least_total: what the total weighs at least whatever the counts; n if that is public.
        falls: whether a count may fall while another one rises.
    """

    rising: Rising
    others: int = 0
    least_total: int = 0
    falls: bool = True

    def factors(self, weight: int, slope: int, step: Step | None) -> tuple[list[int], list[int]]:
        """Rising factorials above and below the line, for a count that rises and one that falls."""
        if step is None or step.slope <= slope:
            return [weight + slope], [weight]
        total = max(weight + step.weight + self.others, self.least_total)
        return [weight + slope, total], [weight, total - (step.slope - slope)]

    def hold(self, weight: int, slope: int, step: Step | None) -> bool:
        """Whether a rise by ``slope`` from ``weight``, paid by this step, is within ε for certain."""
        return self.rising.within(*self.factors(weight, slope, step))

    def outweighs(self, step: Step, other: Step, least: int) -> bool:
        """Whether a step costs at least as much as a lower one, beside every value of weight ≥ ``least``.

        Δ/Z of the one is at least Δ/Z of the other for every slope σ ≥ 0 of the value that rises:
        with y = weight + K, (s − σ)(b' + y) ≥ (s' − σ)(b + y). It stays so if i is added to both
        totals, that is, for each term of the rising factorials.
        """
        y = least + self.others
        return step.slope * other.weight - other.slope * step.weight + y * (step.slope - other.slope) >= 0


def build(inequalities: Inequalities, exact_from: int, scale: int, least: int) -> Envelope:
    """The smallest envelope on its knots that keeps the inequalities.

    Args:
        inequalities: what to keep.
        exact_from: c*, at least T/(e^ε − 1).
        scale: weight of one record.
        least: a lower bound of b(0).
    """
    knots = _knots(exact_from)
    weights, slope = [exact_from * scale], scale
    steps = _Steps(inequalities, least, Step((exact_from + 1) * scale, scale))
    for left, right in zip(reversed(knots[:-1]), reversed(knots[1:]), strict=True):
        slope = _largest_slope(inequalities, weights[-1], right - left, slope, steps.binding)
        weights.append(weights[-1] - (right - left) * slope)
        steps.add(Step(weights[-1] + slope, slope))
    return Envelope(knots, tuple(reversed(weights)), scale)


def _knots(exact_from: int) -> tuple[int, ...]:
    length = -(-exact_from // MAX_PIECES)
    return tuple(sorted({0, *range(exact_from, 0, -length)}))


class _Steps:
    """The steps that can bind, found from the top of an envelope downwards.

    Almost always only the last two do, so that a table costs its length and not the square of it.
    """

    def __init__(self, inequalities: Inequalities, least: int, first: Step) -> None:
        self._inequalities = inequalities
        self._least = least
        self.binding: list[Step | None] = [None]
        self.add(first)

    def add(self, step: Step) -> None:
        """Take in the next lower step."""
        if not self._inequalities.falls:
            return
        known = (other for other in self.binding if other is not None)
        if not any(self._inequalities.outweighs(other, step, self._least) for other in known):
            self.binding.append(step)


def _largest_slope(
    inequalities: Inequalities, right: int, length: int, limit: int, steps: Sequence[Step | None]
) -> int:
    """The largest slope of a piece that ends at weight ``right``, at most ``limit`` (b is convex)."""
    # A weight of 0 would be a value that cannot be drawn.
    slope = min(limit, (right - 1) // length)
    for step in steps:
        if not inequalities.hold(right - length * slope, slope, step):
            slope = _root(inequalities, right, length, slope, step)
    return slope


def _root(inequalities: Inequalities, right: int, length: int, high: int, step: Step | None) -> int:
    """The largest slope below ``high``, which is too large: the root of a smooth, increasing excess."""

    def excess(slope: int) -> int:
        return inequalities.rising.excess(*inequalities.factors(right - length * slope, slope, step))

    before, before_excess = high, excess(high)
    here = high - high // MAX_PIECES - 1
    here_excess = excess(here)
    while abs(here - before) > 1 and here_excess != before_excess:
        after = here - here_excess * (here - before) // (here_excess - before_excess)
        before, before_excess = here, here_excess
        here = min(max(after, here // 2), high)
        here_excess = excess(here)
    # The search rounds; the certified comparison decides.
    back = 1
    while not inequalities.hold(right - length * here, here, step):
        here, back = here - back, 2 * back
    return here


def certify(envelope: Envelope, inequalities: Inequalities, least: int) -> None:
    """Check a finished envelope against everything its proof uses.

    Raises:
        AssertionError: if it breaks something; it depends on public parameters only, so that is a bug.
    """
    weights, slopes, scale = envelope.weights, envelope.slopes, envelope.scale
    top = envelope.exact_from * scale
    _require(weights[-1] == top, "b(c*) = c*", envelope.exact_from)
    _require(inequalities.hold(top, scale, None), "a rise from c*", envelope.exact_from)
    _require(weights[0] >= least, "b(0) is at least what the others weigh", 0)
    steps = _Steps(inequalities, least, Step(top + scale, scale))
    bounds = (*slopes[1:], scale)
    for piece in reversed(range(len(slopes))):
        left, right = envelope.knots[piece], envelope.knots[piece + 1]
        _require(0 <= slopes[piece] <= bounds[piece], "b is convex and rises by 1 at most", left)
        _require(weights[piece + 1] - weights[piece] == (right - left) * slopes[piece], "b is linear", left)
        for step in steps.binding:
            _require(inequalities.hold(weights[piece], slopes[piece], step), "a rise", left)
        steps.add(Step(weights[piece] + slopes[piece], slopes[piece]))


def _require(holds: bool, what: str, count: int) -> None:  # noqa: FBT001 — reads as an assertion
    if not holds:
        raise AssertionError(f"the envelope breaks its guarantee at the count {count}: {what}")
