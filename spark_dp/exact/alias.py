"""An alias table: a draw from weights for two lookups and no search, whatever the number of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: An entry fits a signed 64-bit integer.
_BITS = 63


@dataclass(frozen=True)
class AliasTable:
    """Walker's table over 2^m slots, each split between the rank of its own number and one other, its alias.

    A uniform slot and a uniform u of 63 − m bits draw a rank: the slot itself while u is below the
    slot's threshold, else its alias. Shares of a slot are exact integers until they are rounded to
    63 − m bits, to the nearest; each is off by at most 2^(m−64) of a slot, so that a draw is within
    2^(m−64) of the weights in total variation: at most 2^−44 for up to 2^20 values. A rank without
    weight has the threshold 0 and is no alias, so that it is never drawn.

    Args:
        bits: m, of the slot's number.
        entries: of each slot, (threshold − 1) · 2^m + (slot xor alias). That form needs no
            condition: threshold − 1 − u is negative where the alias is drawn.
    """

    bits: int
    entries: tuple[int, ...]

    @property
    def threshold_bits(self) -> int:
        """How many bits of u a threshold is compared with."""
        return _BITS - self.bits

    @classmethod
    def of(cls, weights: Sequence[int]) -> AliasTable:
        """The table of non-negative integer weights, at least one; all zero stands for the uniform distribution.

        Source: Walker (1977), An Efficient Method for Generating Discrete Random Variables with General
        Distributions; Vose (1991), A Linear Algorithm for Generating Random Numbers with a Given Distribution.
        """
        if not any(weights):
            weights = [1] * len(weights)
        bits = max(1, (len(weights) - 1).bit_length())
        capacity = sum(weights)
        shares, aliases = _filled([weight << bits for weight in weights], capacity, 1 << bits)
        units = 1 << (_BITS - bits)
        entries = (
            ((2 * share * units + capacity) // (2 * capacity) - 1 << bits) + (slot ^ alias)
            for slot, (share, alias) in enumerate(zip(shares, aliases, strict=True))
        )
        return cls(bits, tuple(entries))


def _filled(loads: list[int], capacity: int, slots: int) -> tuple[list[int], list[int]]:
    """What each slot keeps of its own rank, and the alias that fills it up to the capacity.

    Ranks with too much give to those with too little, one after another; the loads of all slots
    together are their capacity, so that both run out at once.
    """
    shares = loads + [0] * (slots - len(loads))
    aliases = list(range(slots))
    small = [slot for slot, share in enumerate(shares) if share < capacity]
    large = [slot for slot, share in enumerate(shares) if share > capacity]
    while small:
        slot, giver = small.pop(), large[-1]
        aliases[slot] = giver
        shares[giver] -= capacity - shares[slot]
        if shares[giver] <= capacity:
            large.pop()
        if shares[giver] < capacity:
            small.append(giver)
    return shares, aliases
