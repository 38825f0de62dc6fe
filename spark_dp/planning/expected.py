"""The error that a method has on average, where the table is as one guesses it to be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from spark_dp.counts import Counts
from spark_dp.errors import ArgumentError, did_you_mean
from spark_dp.mechanisms.base import Mechanism
from spark_dp.mechanisms.noise import NoiseMechanism
from spark_dp.mechanisms.weights import WeightsMechanism

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Noisy tables are averaged over as many as make so many cells, at least a few.
_CELLS = 200_000
_FEWEST, _MOST = 2, 2000

#: Shapes that a guess can have by name: P(i) in proportion to this.
_SHAPES: dict[str, Callable[[int], float]] = {"uniform": lambda _: 1.0, "zipf": lambda i: 1 / i}


def guessed_table(distribution: Any, n: int, k: int) -> Ints:
    """The counts of n rows in guessed proportions, by largest remainders.

    Args:
        distribution: k numbers that are not negative, of any sum, or "uniform" or "zipf".
        n: the number of rows.
        k: size of the domain.

    Raises:
        ArgumentError: if the distribution is neither.

    >>> guessed_table("zipf", 12, 3).tolist()
    [7, 3, 2]
    """
    shares = _numbers(distribution, k)
    per_share = Fraction(n) / sum(shares)
    exact = [share * per_share for share in shares]
    counts = [math.floor(count) for count in exact]
    by_remainder = sorted(range(k), key=lambda i: counts[i] - exact[i])
    for i in by_remainder[: n - sum(counts)]:
        counts[i] += 1
    return np.array(counts, np.int64)


def _numbers(distribution: Any, k: int) -> list[Fraction]:
    advice = f"Give {k} numbers that are not negative, one for each value of the domain, or 'uniform' or 'zipf'."
    if isinstance(distribution, str):
        if distribution not in _SHAPES:
            raise ArgumentError(
                f"distribution = {distribution!r} is no known shape. {did_you_mean(distribution, _SHAPES)} {advice}"
            )
        distribution = map(_SHAPES[distribution], range(1, k + 1))
    try:
        shares = [Fraction(str(share)) for share in distribution]
    except (TypeError, ValueError, ZeroDivisionError):
        raise ArgumentError(f"distribution = {distribution!r} is no list of numbers. {advice}") from None
    if len(shares) != k:
        raise ArgumentError(f"distribution has {len(shares)} numbers, and the domain {k} values. {advice}")
    if min(shares) < 0 or not any(shares):
        raise ArgumentError(f"distribution holds a negative number, or nothing but zeros. {advice}")
    return shares


def expected_error(mechanism: Mechanism, counts: Ints) -> float:
    """E TV(Q, counts/n), where Q is what all draws of a release are made from.

    Q is fixed for methods that draw from smoothed counts, and over the noise for those that draw from noisy
    ones. Floats serve: this is about tables that one imagines, and no draw depends on it.
    """
    if isinstance(mechanism, WeightsMechanism):
        return _variation(_smoothed(mechanism, counts), counts)
    if isinstance(mechanism, NoiseMechanism):
        return _over_noise(mechanism, counts)
    raise TypeError(f"no expectation is known for {mechanism.name}")


def _smoothed(mechanism: WeightsMechanism, counts: Ints) -> Floats:
    """The weights of all values, in records."""
    private = Counts.dense(counts)
    smoothing = mechanism.smoothing(private)
    added = np.full(len(counts), smoothing.unseen / mechanism.scale)
    if smoothing.seen is not None:
        added[private.ranks] = [extra / mechanism.scale for extra in smoothing.seen]
    weights: Floats = counts + added
    return weights


def _over_noise(mechanism: NoiseMechanism, counts: Ints) -> float:
    k = len(counts)
    tables = min(max(_CELLS // k, _FEWEST), _MOST)
    noisy = counts + _noise(tables * k, mechanism.noise_scale).reshape(tables, k)
    return float(np.mean([_variation(_floats(mechanism.weights(row.tolist(), mechanism.n)), counts) for row in noisy]))


def _noise(size: int, scale: float) -> Ints:
    """Discrete Laplace numbers, always the same ones: the difference of two geometric ones.

    From a fixed sequence (splitmix64 of 1, 2, 3, …) instead of chance, so that a plan is the same each time.
    """
    uniform = _fixed_uniform(2 * size).reshape(2, size)
    first, second = np.floor(-scale * np.log(uniform))
    noise: Ints = (first - second).astype(np.int64)
    return noise


def _fixed_uniform(size: int) -> Floats:
    z = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    uniform: Floats = ((z >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53
    return uniform


def _floats(weights: Sequence[int]) -> Floats:
    return np.array(weights, np.float64)


def _variation(weights: Floats, counts: Ints) -> float:
    """Half the L1 distance of both, normalized; no weight at all means uniform."""
    total = weights.sum()
    drawn = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
    return float(np.abs(drawn - counts / counts.sum()).sum() / 2)
