"""The inequalities of a mechanism's proof, for exactly its parameters, whatever the counts.

What the mechanism draws with is taken from it as it is; what it has to keep is stated here anew, in
integers and with a lower bound of e^ε of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import singledispatch

from spark_dp.audit.exponential import exp_below, is_below_exp, protected_draws, protected_epsilon
from spark_dp.audit.given import draws_see_only_noisy_counts
from spark_dp.exact.rising import Rising
from spark_dp.mechanisms import envelope, schedules
from spark_dp.mechanisms.base import Mechanism
from spark_dp.mechanisms.ds_roo import DsRoo
from spark_dp.mechanisms.noise import NoiseMechanism, sensitivity
from spark_dp.mechanisms.ss_roo import SsRoo
from spark_dp.mechanisms.weights import ConstantSmoothing
from spark_dp.privacy import Relation


@dataclass(frozen=True)
class InequalityCheck:
    """Whether the inequalities of the proof hold.

    Args:
        number: how many hold; 0 if none is known, or one is broken.
        about: what they are about, and for which parameters.
        broken: the one that does not hold.
    """

    number: int
    about: str
    broken: str | None = None

    @property
    def holds(self) -> bool:
        """Whether none is broken."""
        return self.broken is None

    def in_words(self) -> str:
        """The finding, for people."""
        if self.broken is not None:
            return f"Broken {self.about}: {self.broken}."
        return f"{self.number:,} {self.about}." if self.number else f"None: {self.about}."


def check_inequalities(mechanism: Mechanism) -> InequalityCheck:
    """Every inequality of the proof of a mechanism, under "replace" one that knows n."""
    n = f"n = {mechanism.n:,}" if mechanism.relation is Relation.REPLACE else "every n"
    parameters = f"for k = {mechanism.k:,} and {n}"
    try:
        number, about = _inequalities(mechanism)
    except AssertionError as broken:
        return InequalityCheck(0, parameters, str(broken))
    return InequalityCheck(number, f"{parameters}: {about}" if number else about)


@singledispatch
def _inequalities(mechanism: Mechanism) -> tuple[int, str]:
    """How many there are, and about what.

    Raises:
        AssertionError: if one does not hold.
    """
    return 0, f"those of the proof of {mechanism.name} are not known here"


@_inequalities.register
def _of_pseudo_count(mechanism: ConstantSmoothing) -> tuple[int, str]:
    e, draws = _exponential(protected_epsilon(mechanism)), protected_draws(mechanism)
    pseudo_count = Fraction(mechanism.pseudo_count, mechanism.scale)
    _require(pseudo_count * (e - 1) >= draws, f"the pseudo-count {float(pseudo_count):.6g} is below {draws:,}/(E − 1)")
    return 2, f"a pseudo-count of {draws:,}/(E − 1) or more, and E ≤ e^ε"


@_inequalities.register
def _of_schedule(mechanism: DsRoo) -> tuple[int, str]:
    e, schedule, scale = _exponential(protected_epsilon(mechanism)), mechanism.schedule, mechanism.scale
    # Beyond its last entry the schedule is 0, where nothing is left to fall after two steps.
    steps = len(schedule) + 2
    if mechanism.relation is Relation.REPLACE:
        n = mechanism.n or 0
        schedules.certify_replace(schedule, e, scale, mechanism.k, n)
        number = _pairs_of_extremes(steps, mechanism.k, n)
    elif mechanism.relation is Relation.ADD_REMOVE:
        schedules.certify_add_remove(schedule, e, scale)
        number = 2 * steps
    else:
        schedules.certify_any(schedule, e, scale)
        number = 3 * steps
    return number + 1, f"those of a schedule of {_counted(len(schedule), 'entry', 'entries')}, and E ≤ e^ε"


def _pairs_of_extremes(steps: int, k: int, n: int) -> int:
    """How many inequalities certify_replace looks at: w_m ≥ t, and extreme counts while the minimum can rise."""
    if k == 1:
        return 0
    largest_minimum = n // k
    return min(steps, largest_minimum + 1) + (3 if k == 2 else 5) * min(steps, largest_minimum)


@_inequalities.register
def _of_envelope(mechanism: SsRoo) -> tuple[int, str]:
    epsilon, table = protected_epsilon(mechanism), mechanism.envelope
    rising = Rising(protected_draws(mechanism), epsilon, _exponential(epsilon), table.scale)
    # No other value weighs less, since b never falls: of a finished table that is known, and certified with the rest.
    least = table(0)
    if mechanism.relation is Relation.ADD_REMOVE or mechanism.k == 1:
        rules = _Counted(rising, falls=False)
    else:
        rules = _Counted(rising, others=(mechanism.k - 2) * least, least_total=(mechanism.n or 0) * table.scale)
    envelope.certify(table, rules, least)
    # Two of the ends, two of the form of each piece, and what it costs to rise there.
    number = 2 + 2 * len(table.slopes) + len(rules.asked)
    return number + 1, f"those of weights of {_counted(len(table.slopes), 'piece', 'pieces')}, and E ≤ e^ε"


@dataclass(frozen=True)
class _Counted(envelope.Inequalities):
    """Inequalities that remember how often they were asked for."""

    asked: list[int] = field(default_factory=list)

    def hold(self, weight: int, slope: int, step: envelope.Step | None) -> bool:
        self.asked.append(weight)
        return super().hold(weight, slope, step)


@_inequalities.register
def _of_noise(mechanism: NoiseMechanism) -> tuple[int, str]:
    distance, scale = sensitivity(mechanism.relation), Fraction(mechanism.noise_scale)
    _require(
        distance / scale <= mechanism.epsilon.value, f"noise of scale {float(scale):.6g} hides no step of {distance}"
    )
    _require(draws_see_only_noisy_counts(mechanism), "draws see more than counts with noise of their scale")
    return 1, f"{distance}/λ ≤ ε for noise of scale λ = {float(scale):.6g}; draws see noisy counts only"


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _exponential(epsilon: Fraction) -> Fraction:
    """E."""
    e = exp_below(epsilon)
    _require(is_below_exp(e, epsilon), "E, the lower bound of e^ε, is above it")
    return e


def _require(holds: bool, broken: str) -> None:  # noqa: FBT001 — reads as an assertion
    if not holds:
        raise AssertionError(broken)
