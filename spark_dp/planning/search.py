"""The first number that is good enough, where each try is dear."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

#: Answers have three significant digits.
_BLOCK = 900
_DIGITS = 100


def rounded(index: int) -> int:
    """The numbers of three significant digits, in order: 0 to 999, 1000, 1010, 1020 and so on.

    >>> [rounded(index) for index in (7, 999, 1000, 1001, 1899, 1900)]
    [7, 999, 1000, 1010, 9990, 10000]
    """
    if index < _DIGITS + _BLOCK:
        return index
    exponent, rest = divmod(index - _DIGITS, _BLOCK)
    return int((_DIGITS + rest) * 10**exponent)


def index_of(number: int) -> int:
    """The index of the largest rounded number that is not above this one.

    >>> [index_of(number) for number in (7, 1000, 1009, 1010)]
    [7, 1000, 1000, 1001]
    """
    exponent = max(0, len(str(number)) - 3)
    return int(number // 10**exponent + _BLOCK * exponent)


@dataclass(frozen=True)
class Search:
    """For an error that falls along an index, where the first is that keeps a target.

    Args:
        error: the error at an index, at most 1; None where there is no answer, which may only be at the beginning.
        place: where an index lies, so that log(error/(1 − error)) falls about as fast. Only good for speed.
        target: the error to keep.
    """

    error: Callable[[int], Fraction | None]
    place: Callable[[int], float]
    target: Fraction

    def first(self, low: int, high: int) -> int | None:
        """The first index from low to high that keeps the target; None if none does."""
        good, at_good = high, self.error(high)
        if at_good is None or at_good > self.target:
            return None
        bad, at_bad = low - 1, None
        halve = False
        while (width := good - bad) > 1:
            guess = (bad + good) // 2 if halve else self._between(bad, at_bad, good, at_good)
            found = self.error(guess)
            if found is not None and found <= self.target:
                good, at_good = guess, found
            else:
                bad, at_bad = guess, found
            # A line that misses by more than half is not followed twice, and none where there is no answer.
            halve = found is None or (at_bad is not None and not halve and 2 * (good - bad) > width)
        return good

    def _between(self, bad: int, at_bad: Fraction | None, good: int, at_good: Fraction) -> int:
        """Where the line through both has the target; of slope −1 through one, if the other has no answer."""
        wanted, below = _log_odds(self.target), _log_odds(at_good)
        above = math.inf if at_bad is None else _log_odds(at_bad)
        if not math.isfinite(below):
            return (bad + good) // 2
        right = self.place(good)
        if math.isfinite(above) and above > below:
            left = self.place(bad)
            found = right - (wanted - below) / (above - below) * (right - left)
        else:
            found = right - (wanted - below)
        index = bisect_left(range(bad + 1, good), found, key=self.place) + bad + 1
        return min(index, good - 1)


def _log_odds(error: Fraction) -> float:
    """log(x/(1 − x)): what the worst-case errors are linear in, on a logarithmic scale of rows or draws."""
    if error >= 1:
        return math.inf
    return math.log(error) - math.log(1 - error) if error > 0 else -math.inf
