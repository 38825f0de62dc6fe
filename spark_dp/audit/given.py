"""Whether what follows the noise sees anything but noisy counts: draws from noise that is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from spark_dp.mechanisms.noise import NoiseMechanism

#: Two tables of as many records, and the same noisy counts for both.
_TABLES = ((8, 2, 0), (0, 5, 5))
_NOISY = (4, -2, 9)


class _Given:
    """A source of known noisy counts and known tickets, which remembers what noise it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[int, ...], float]] = []
        self._tickets = 0

    def with_laplace(self, values: Sequence[int], scale: float) -> list[int]:
        self.asked.append((tuple(values), scale))
        return list(_NOISY)

    def below(self, bound: int) -> int:
        self._tickets += 1
        return self._tickets % bound

    def below_many(self, bound: int, size: int) -> Iterator[npt.NDArray[np.int64]]:
        yield np.arange(size, dtype=np.int64) % bound


def draws_see_only_noisy_counts(mechanism: NoiseMechanism) -> bool:
    """Whether noise of the stated scale is added to every count, and the draws depend on the sums alone."""
    small = replace(mechanism, k=len(_NOISY), num_samples=50, n=None)
    drawn = set()
    for counts in _TABLES:
        source = _Given()
        drawn.add(tuple(small._draw(counts, source)))  # noqa: SLF001 — with another source than the system's
        if source.asked != [(counts, mechanism.noise_scale)]:
            return False
    return len(drawn) == 1
