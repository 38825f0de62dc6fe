"""The sampler follows its pmf, and the test would notice one that is 10 % wrong.

α = 10⁻⁶ for each test. What has to be rejected is missed with a probability below β = 10⁻⁶, which `rejected` itself
holds against the distributions that it compares.
"""

import numpy as np
import pytest
from scipy.stats import chi2, ncx2

from spark_dp import Counts, mechanism
from spark_dp.audit.joint import joint
from spark_dp.exact.source import SYSTEM
from spark_dp.mechanisms.registry import MECHANISMS
from spark_dp.mechanisms.weights import Scheme, WeightsMechanism

ALPHA = BETA = 1e-6
DRAWS = 40_000
CASES = {
    "some unseen": [0, 3, 7, 0],
    "all seen": [4, 4, 4, 20],
    "nothing seen": [0, 0, 0],
    "frequent": [400, 600, 1000],
}


def statistic(ranks, pmf):
    observed = np.bincount(ranks, minlength=len(pmf))
    expected = np.array([float(p) for p in pmf]) * len(ranks)
    possible = expected > 0
    if observed[~possible].any():
        return np.inf
    return float(((observed - expected)[possible] ** 2 / expected[possible]).sum())


def accepted(ranks, pmf):
    return statistic(ranks, pmf) < chi2.isf(ALPHA, len(pmf) - 1)


def rejected(ranks, pmf, *, truth):
    """Whether draws from the pmf `truth` are told from `pmf`, where there are enough of them to tell."""
    pmf, truth = (np.array([float(p) for p in values]) for values in (pmf, truth))
    shift = (truth - pmf) ** 2
    off = len(ranks) * np.divide(shift, pmf, out=np.where(shift > 0, np.inf, 0.0), where=pmf > 0).sum()
    # Beyond 10⁴ the library's function gives up, and nothing is missed.
    missed = ncx2.cdf(chi2.isf(ALPHA, len(pmf) - 1), len(pmf) - 1, min(off, 1e4))
    assert missed < BETA, f"{len(ranks)} draws would miss this with probability {missed:.1e}"
    return not accepted(ranks, pmf)


WEIGHTED = [name for name, cls in MECHANISMS.items() if issubclass(cls, WeightsMechanism)]
# Every method once, and those whose weights depend on more than one number in every case.
SAMPLED = [
    *((name, min(MECHANISMS[name].relations).value, "some unseen") for name in WEIGHTED),
    *(("ds-roo", "any", case) for case in ("all seen", "nothing seen")),
    *((name, "replace", "frequent") for name in ("ds-roo", "ss-roo")),
]


@pytest.mark.parametrize(("name", "relation", "case"), sorted(set(SAMPLED)))
def test_draws_follow_the_pmf(name, relation, case):
    # 40,000 draws at ε/T = 0.00125 would be nearly uniform: single draws are repeated instead.
    counts = CASES[case]
    tested = mechanism(name, "0.5", len(counts), relation=relation)
    private = Counts.dense(counts)
    assert accepted([tested.draw(private)[0] for _ in range(DRAWS)], tested.pmf(counts))


def test_several_draws_follow_the_pmf_of_their_share_of_epsilon():
    tested = mechanism("ds-roo", 50, 4, num_samples=100)
    private = Counts.dense([0, 3, 7, 0])
    ranks = [rank for _ in range(DRAWS // 100) for rank in tested.draw(private)]
    truth = tested.pmf([0, 3, 7, 0])
    assert accepted(ranks, truth)
    assert rejected(ranks, mechanism("ds-roo", 50, 4).pmf([0, 3, 7, 0]), truth=truth)


@pytest.mark.parametrize("name", WEIGHTED)
def test_all_draws_of_a_release_follow_their_joint_distribution(name):
    tested = mechanism(name, "2", 2, relation="replace", num_samples=3)
    expected = joint(tested, [1, 4])
    cells = {sequence: cell for cell, sequence in enumerate(expected)}
    found = [cells[tuple(tested.draw([1, 4]))] for _ in range(DRAWS // 2)]
    assert accepted(found, expected.values())
    # Draws of another scheme with the same marginal probabilities would not pass.
    for scheme in set(Scheme) - {tested.scheme}:
        other = joint(with_scheme(tested, scheme), [1, 4])
        assert rejected(found, [other[sequence] for sequence in cells], truth=expected.values())


def with_scheme(tested, scheme):
    """The mechanism with its own smoothing, drawn in another way."""
    cls = type("Other", (type(tested),), {"scheme": scheme, "joint_draws": tested.joint_draws})
    return cls(tested.epsilon, tested.k, tested.relation, tested.num_samples)


@pytest.mark.parametrize("cell", range(4))
@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_a_sampler_that_is_ten_percent_wrong_is_rejected(cell, factor):
    pmf = mechanism("ds-roo", "0.1", 4).pmf([4, 4, 4, 20])
    wrong = np.array([float(p) for p in pmf])
    wrong[cell] *= factor
    wrong /= wrong.sum()
    thresholds = np.cumsum(wrong)
    uniform = np.concatenate(list(SYSTEM.below_many(2**53, 2 * DRAWS))) / 2**53
    assert rejected(np.minimum(np.searchsorted(thresholds, uniform), 3), pmf, truth=wrong)


def test_rows_outside_the_domain_become_uniform_values_under_replace():
    tested = mechanism("roo", 50, 3, relation="replace")
    ranks = [tested.draw(Counts.dense([8, 0, 0], outside=4))[0] for _ in range(DRAWS // 4)]
    # ε = 50 hides nothing: two thirds of the records are value 0, a third is uniform.
    assert accepted(ranks, [7 / 9, 1 / 9, 1 / 9])
