"""The only place where chance enters: exact uniform integers from the operating system.

There is no seed. A generator that can be seeded can be replayed, and whoever replays a draw
learns which branch it took.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

_WORDS_PER_READ = 1 << 20


class Source(Protocol):
    """The capability to draw exact uniform integers."""

    def below(self, bound: int) -> int:
        """A uniform integer in [0, bound), for any bound ≥ 1."""
        ...

    def below_many(self, bound: int, size: int) -> Iterator[npt.NDArray[np.int64]]:
        """``size`` independent uniform integers in [0, bound), for 1 ≤ bound < 2^63, a part at a time."""
        ...


class SystemSource:
    """Uniform integers made from the operating system's entropy by rejection, so without bias."""

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


SYSTEM: Source = SystemSource()
