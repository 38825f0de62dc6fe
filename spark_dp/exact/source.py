"""The only place where chance enters: exact integers made from the operating system's entropy.

There is no seed. A generator that can be seeded can be replayed, and whoever replays a draw
learns which branch it took.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

_WORDS_PER_READ = 1 << 20


class Source(Protocol):
    """The capability to draw exact random integers."""

    def below(self, bound: int) -> int:
        """A uniform integer in [0, bound), for any bound ≥ 1."""
        ...

    def below_many(self, bound: int, size: int) -> Iterator[npt.NDArray[np.int64]]:
        """``size`` independent uniform integers in [0, bound), for 1 ≤ bound < 2^63, a part at a time."""
        ...

    def with_laplace(self, values: Sequence[int], scale: float) -> list[int]:
        """The integers, each with independent noise of probability P(x) ∝ e^(−|x|/scale)."""
        ...


class SystemSource:
    """Uniform integers by rejection, so without bias; Laplace noise from OpenDP's exact sampler."""

    def below(self, bound: int) -> int:
        """A uniform integer in [0, bound): random bits, rejected until they are below the bound."""
        return secrets.randbelow(bound)

    def below_many(self, bound: int, size: int) -> Iterator[npt.NDArray[np.int64]]:
        """``size`` independent uniform integers in [0, bound), made as :meth:`below` makes one."""
        # Words at or above the largest multiple of the bound would favor small remainders.
        limit = np.uint64((1 << 64) // bound * bound - 1)
        missing = size
        while missing:
            words = np.frombuffer(os.urandom(8 * min(missing, _WORDS_PER_READ)), dtype=np.uint64)
            kept = words[words <= limit] % np.uint64(bound)
            missing -= len(kept)
            yield kept.astype(np.int64)

    def with_laplace(self, values: Sequence[int], scale: float) -> list[int]:
        """The noise is an integer from the start: OpenDP takes the scale as the rational number it is."""
        # Imported here: it takes a quarter of a second, and most mechanisms add no noise.
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_laplace
        from opendp.metrics import l1_distance
        from opendp.mod import GLOBAL_FEATURES, disable_features, enable_features

        known = "contrib" in GLOBAL_FEATURES
        enable_features("contrib")
        try:
            add_noise = make_laplace(vector_domain(atom_domain(T="i64")), l1_distance(T="i64"), scale=scale)
            return [int(noisy) for noisy in add_noise(list(values))]
        finally:
            if not known:
                disable_features("contrib")


SYSTEM: Source = SystemSource()
