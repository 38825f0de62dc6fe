"""Mechanisms that draw from noise: noise of the right scale, and nothing but noise after that.

Would catch: a scale for the wrong relation or off by a tenth, a draw that sees the counts, noise
that is left out where no record is, a projection onto the wrong total.
"""

import inspect
import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neighbors import answered, exponential
from scipy.stats import chi2

from spark_dp import mechanism
from spark_dp.audit.neighbors import histograms, neighbors
from spark_dp.counts import Counts
from spark_dp.errors import MethodError
from spark_dp.exact.source import SYSTEM
from spark_dp.mechanisms.laplace_projection import LaplaceProjection
from spark_dp.mechanisms.noise import MAX_NOISY_CELLS
from spark_dp.mechanisms.registry import MECHANISMS

ALPHA = 1e-6
CELLS = 40_000


class Known:
    """A source whose noise is given, and that remembers what it was asked for."""

    def __init__(self, noisy_counts):
        self.noisy_counts = noisy_counts
        self.uniform = iter(range(1000))

    def with_laplace(self, values, scale):
        self.values, self.scale = list(values), scale
        return list(self.noisy_counts)

    def below(self, bound):
        return next(self.uniform) % bound

    def below_many(self, bound, size):
        return SYSTEM.below_many(bound, size)


def test_what_draws_cannot_see_counts(noisy, relation):
    cls = MECHANISMS[noisy]
    assert isinstance(inspect.getattr_static(cls, "weights"), staticmethod)
    assert list(inspect.signature(cls.weights).parameters) == ["noisy_counts", "n"]
    tested = mechanism(noisy, 1, 3, relation=relation, num_samples=50)
    # Two tables, the same noisy counts: the draws are the same.
    first, second = (tested._draw(counts, Known([4, -2, 9])) for counts in ([8, 2, 0], [0, 5, 5]))
    assert first == second
    assert len(set(first)) > 1


def test_released_weights_are_those_of_noise_of_the_same_scale(noisy, relation, monkeypatch):
    """What is drawn elsewhere is drawn from what draw() draws from."""
    source = Known([4, -2, 9, 0])
    monkeypatch.setattr("spark_dp.mechanisms.noise.SYSTEM", source)
    tested = mechanism(noisy, 1, 4, relation=relation, num_samples=10**9)
    weights = tested.released_weights([8, 2, 0, 3])
    assert weights == tested.weights([4, -2, 9, 0], 13 if relation == "replace" else None)
    assert (source.values, source.scale) == ([8, 2, 0, 3], tested.noise_scale)


def test_every_count_gets_noise_of_the_scale_that_hides_a_step(noisy, relation, eps):
    tested, source = mechanism(noisy, eps, 4, relation=relation), Known([1, 1, 1, 1])
    tested._draw([0, 3, 0, 7], source)
    assert source.values == [0, 3, 0, 7]
    distance = max(
        sum(abs(a - b) for a, b in zip(counts, neighbor, strict=True))
        for counts in histograms(3, 3)
        for neighbor in neighbors(counts, relation)
    )
    # P(x) ∝ e^(−|x|/λ) changes by e^(distance/λ) at most, in exact arithmetic; and no noise is wasted.
    loss = distance / Fraction(source.scale)
    assert tested.epsilon.value * (1 - Fraction(1, 2**50)) < loss <= tested.epsilon.value


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_the_noise_is_discrete_laplace_of_its_scale(noisy, relation, epsilon):
    tested = mechanism(noisy, epsilon, CELLS, relation=relation)
    drawn = np.array(tested.noisy_counts(Counts.dense([0] * CELLS)))
    assert drawn.dtype == np.int64
    scale = {"add-remove": 1, "any": 2, "replace": 2}[relation] / float(epsilon)
    assert accepted(drawn, scale)
    assert not accepted(drawn, scale * 0.9)
    assert not accepted(drawn, scale * 1.1)


def accepted(drawn, scale):
    """χ² against P(x) = (1 − r)/(1 + r) · r^|x|, the tails in one cell each."""
    r = np.exp(-1 / scale)
    reach = 1
    while len(drawn) * r ** (reach + 1) / (1 + r) > 20:
        reach += 1
    inner = (1 - r) / (1 + r) * r ** np.abs(np.arange(-reach + 1, reach))
    tail = r**reach / (1 + r)
    expected = np.concatenate([[tail], inner, [tail]]) * len(drawn)
    observed = np.bincount(np.clip(drawn, -reach, reach) + reach, minlength=2 * reach + 1)
    return float(((observed - expected) ** 2 / expected).sum()) < chi2.isf(ALPHA, 2 * reach)


@pytest.mark.parametrize(("epsilon", "k", "largest_n", "reach"), [("2", 2, 4, 20), ("3", 3, 2, 9)])
def test_privacy_and_error_by_summing_over_the_noise(noisy, relation, epsilon, k, largest_n, reach):
    tested = mechanism(noisy, epsilon, k, relation=relation)
    r = np.exp(-1 / tested.noise_scale)
    one = (1 - r) / (1 + r) * r ** np.abs(np.arange(-reach, reach + 1))
    grid = list(itertools.product(range(-reach, reach + 1), repeat=k))
    likely = np.prod([one[np.array(grid)[:, cell] + reach] for cell in range(k)], axis=0)

    def of_one_draw(counts):
        noisy_counts = [[count + noise for count, noise in zip(counts, cells, strict=True)] for cells in grid]
        n = sum(counts) if relation == "replace" else None
        weights = np.array([tested.weights(values, n) for values in noisy_counts], float)
        weights[weights.sum(axis=1) == 0] = 1
        return likely @ (weights / weights.sum(axis=1, keepdims=True))

    pmf = {}
    for counts in answered(tested, largest_n + 1, k):
        pmf[counts] = of_one_draw(counts)
        if n := sum(counts):
            assert np.abs(pmf[counts] - np.array(counts) / n).sum() / 2 <= float(tested.error_bound(n))
    for counts in answered(tested, largest_n, k):
        for neighbor in neighbors(counts, relation):
            ratio = pmf[counts] / pmf[neighbor]
            # What lies beyond the grid has probability below 10⁻⁶.
            assert max(ratio.max(), (1 / ratio).max()) <= float(exponential(epsilon)) * (1 + 1e-5)


def test_the_error_bound_falls_with_n_and_is_one_without_records(noisy, relation):
    tested = mechanism(noisy, 1, 5, relation=relation)
    assert tested.error_bound(0) == 1
    assert tested.error_bound(10**6) == tested.error_bound(10**5) / 10
    # E|noise| = 2r/(1 − r²) for r = e^(−1/λ).
    r = np.exp(-1 / tested.noise_scale)
    assert float(tested.error_bound(10**6)) == pytest.approx(5e-6 * 2 * r / (1 - r**2), rel=1e-9)


def test_relabeling_the_noise_relabels_the_weights(noisy, relation):
    tested = mechanism(noisy, 1, 4, relation=relation)
    values, n = [7, -3, 2, 9], 14 if relation == "replace" else None
    straight = tested.weights(values, n)
    for order in itertools.permutations(range(4)):
        assert tested.weights([values[cell] for cell in order], n) == [straight[cell] for cell in order]


@given(st.lists(st.integers(-30, 10**6), min_size=1, max_size=8), st.none() | st.integers(1, 10**6))
def test_a_projection_is_the_nearest_histogram_of_the_total(noisy_counts, n):
    """The conditions of the optimum: what is positive lies one τ below, what is 0 would lie below 0."""
    weights = LaplaceProjection.weights(noisy_counts, n)
    total = sum(noisy_counts) if n is None else n
    assert min(weights) >= 0
    if total <= 0:
        assert not any(weights)
        return
    positive = sum(1 for weight in weights if weight)
    shift = {positive * noisy - weight for noisy, weight in zip(noisy_counts, weights, strict=True) if weight}
    assert sum(weights) == positive * total
    assert len(shift) == 1
    assert all(
        positive * noisy <= max(shift) for noisy, weight in zip(noisy_counts, weights, strict=True) if not weight
    )


def test_noise_that_leaves_nothing_gives_the_uniform_distribution(noisy, relation):
    tested = mechanism(noisy, 1, 3, relation=relation, num_samples=6)
    # Under replace the total is that of the table, 0 here.
    assert sorted(tested._draw([0, 0, 0], Known([-1, -5, -2]))) == [0, 0, 1, 1, 2, 2]


def test_there_is_no_closed_pmf(noisy, relation):
    with pytest.raises(MethodError, match=r"no closed form.*error_bound"):
        mechanism(noisy, 1, 3, relation=relation).pmf([1, 2, 3])


def test_a_domain_too_large_for_noise_is_refused_with_another_method(noisy, relation):
    assert mechanism(noisy, 1, MAX_NOISY_CELLS, relation=relation)
    with pytest.raises(MethodError, match=r"1,048,577 values.*method='ss-roo'"):
        mechanism(noisy, 1, MAX_NOISY_CELLS + 1, relation=relation)
