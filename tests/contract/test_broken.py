"""Mechanisms that are broken on purpose, which the proofs must not accept: the tests of the tests.

``make mutants`` breaks the code itself; these stay beside the proofs, as classes.
"""

from fractions import Fraction

import pytest
from neighbors import answered, exponential, largest_ratio

from spark_dp.audit.joint import joint
from spark_dp.mechanisms import envelope, schedules
from spark_dp.mechanisms.dirichlet import Dirichlet
from spark_dp.mechanisms.ds_roo import DsRoo
from spark_dp.mechanisms.roo import Roo
from spark_dp.mechanisms.ss_roo import SsRoo
from spark_dp.mechanisms.subrr import Subrr
from spark_dp.mechanisms.weights import Scheme, Smoothing
from spark_dp.privacy import Epsilon, Relation


class NaiveSchedule(DsRoo):
    """u_m = max(0, t − m) although records are replaced."""

    @property
    def schedule(self):
        return schedules.add_remove(self.exp_epsilon, self.scale)


class MinimumOffByOne(DsRoo):
    """The smoothing of m + 1."""

    def smoothing(self, counts):
        m = counts.minimum + 1
        return Smoothing(self.schedule[m] if m < len(self.schedule) else 0)


class MinimumOfTheSeen(DsRoo):
    """The smallest count among the values seen instead of over the domain."""

    def smoothing(self, counts):
        m = int(counts.counts.min()) if len(counts.counts) else 0
        return Smoothing(self.schedule[m] if m < len(self.schedule) else 0)


class RoundedDown(DsRoo):
    """Every entry one unit too small."""

    def smoothing(self, counts):
        return Smoothing(max(0, super().smoothing(counts).unseen - 1))


class FallsForFree(SsRoo):
    """φ = 0: what a falling count takes off the total is not paid for."""

    @property
    def envelope(self):
        rising = envelope.Rising(self.num_samples, self.joint_epsilon, self.exp_epsilon, self.scale)
        return envelope.build(envelope.Inequalities(rising, falls=False), self.exact_from, self.scale, least=0)


class ExactTooEarly(SsRoo):
    """c* one record too small."""

    @property
    def envelope(self):
        table = super().envelope
        return lambda count: max(table(count + 1) - self.scale, 0) if count else table(0)


@pytest.mark.parametrize("relation", ["any", "replace"])
@pytest.mark.parametrize(
    ("mutant", "k", "e"),
    [
        (NaiveSchedule, 3, "0.4054651081"),
        (MinimumOffByOne, 3, "0.4054651081"),
        (MinimumOfTheSeen, 3, "0.4054651081"),
        (RoundedDown, 3, "0.4054651081"),
        (FallsForFree, 2, "0.6931471805"),
        (ExactTooEarly, 3, "0.4054651081"),
    ],
)
def test_too_little_smoothing_is_caught(mutant, k, e, relation):
    tested = mutant(Epsilon.parse(e), k, Relation.parse(relation))
    assert caught(lambda: largest_ratio(tested.pmf, answered(tested, 14, k), relation) > tested.exp_epsilon)


def test_the_ratios_of_the_known_mistakes_are_those_of_their_analysis():
    """1.11 E at k = 3, E = 1.5 and 12 records for the schedule; 1.25 E at k = 2, E = 2 for the envelope."""
    for mutant, k, e, excess in ((NaiveSchedule, 3, "0.4054651081", "1.11"), (FallsForFree, 2, "0.6931471805", "1.25")):
        tested = mutant(Epsilon.parse(e), k)
        ratio = largest_ratio(tested.pmf, answered(tested, 12, k), "any") / tested.exp_epsilon
        assert abs(ratio - Fraction(excess)) < Fraction(1, 100)


class ConcentrationOfOneDraw(Dirichlet):
    """t instead of T t."""

    @property
    def pseudo_count(self):
        return super().pseudo_count // self.num_samples


class UrnAtOneDraw(Roo):
    """ROO's weights at ε/T, drawn from an urn."""

    scheme = Scheme.POLYA_URN


class IndependentAtOnce(Dirichlet):
    """Independent draws, each with what is meant for all."""

    @property
    def pseudo_count(self):
        return super().pseudo_count // self.num_samples

    scheme = Scheme.INDEPENDENT

    @property
    def joint_epsilon(self):
        return self.epsilon.value


class RateOfOneDraw(Subrr):
    """q for T = 1, whatever T."""

    @property
    def pseudo_count(self):
        return super().pseudo_count // self.num_samples


class EnvelopeOfOneDraw(SsRoo):
    """b for T = 1, whatever T."""

    @property
    def envelope(self):
        return SsRoo(self.epsilon, self.k, self.relation, 1, self.n).envelope


@pytest.mark.parametrize("mutant", [ConcentrationOfOneDraw, IndependentAtOnce, RateOfOneDraw, EnvelopeOfOneDraw])
@pytest.mark.parametrize("draws", [2, 3])
def test_smoothing_for_one_draw_is_caught_at_several(mutant, draws):
    tested = mutant(Epsilon.parse(1), 2, Relation.REPLACE, draws)
    assert caught(
        lambda: largest_ratio(lambda counts: joint(tested, counts), answered(tested, 8, 2), "replace") > exponential(1)
    )


def caught(exceeds):
    try:
        return exceeds()
    except ZeroDivisionError:  # a value became impossible in one of two neighbors: no bound at all
        return True
