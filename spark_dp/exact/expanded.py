"""Uniform integers that are a function of a key.

For what depends on no row, such as the place of a point in a bin that was drawn: the key belongs to the
release, and whoever reads the release again gets the same numbers. No private draw is made from them.
"""

from __future__ import annotations

import hashlib


class Expanded:
    """The numbers that follow from a key, one after another.

    >>> numbers = Expanded("00" * 16)
    >>> first = [numbers.below(6) for _ in range(9)]
    >>> again = Expanded("00" * 16)
    >>> first == [again.below(6) for _ in range(9)]
    True
    """

    def __init__(self, key: str) -> None:
        self._key = bytes.fromhex(key)
        self._used = 0

    def below(self, bound: int) -> int:
        """A uniform integer in [0, bound): bits of SHAKE-256 of the key and a counter, rejected until below it."""
        bits = (bound - 1).bit_length()
        size = (bits + 7) // 8
        while True:
            digest = hashlib.shake_256(self._key + self._used.to_bytes(8, "big")).digest(size)
            self._used += 1
            number = int.from_bytes(digest, "big") >> (8 * size - bits)
            if number < bound:
                return number
