"""The DS-ROO schedules, built in integers and checked against the inequalities of their proofs.

A schedule u_0, u_1, … gives the pseudo-count for a smallest count of m. Entries are integers in
units of 1/scale record, rounded up. E = e^(ε/T) enters as a certified lower bound, so what holds
here in integers holds for ε. Everything depends on public parameters only: a failed check is a
bug, and shows before any data is read (under "replace", where n is public, after it was counted).

Below, w_m = m + u_m is the weight of the rarest value and t = 1/(E − 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction


def any_relation(e: Fraction, scale: int) -> tuple[int, ...]:
    """Schedule for a private n: v_0 = t, v_{m+1} = (v_m + 2)/E, u_m = v_m − m while positive."""
    schedule: list[int] = []
    v = _ceil(scale * e.denominator, e.numerator - e.denominator)
    while v > len(schedule) * scale:
        schedule.append(v - len(schedule) * scale)
        v = _ceil((v + 2 * scale) * e.denominator, e.numerator)
    certify_any(schedule, e, scale)
    return tuple(schedule)


def add_remove(e: Fraction, scale: int) -> tuple[int, ...]:
    """Schedule for a private n when nothing is replaced: u_m = t − m while positive."""
    t = _ceil(scale * e.denominator, e.numerator - e.denominator)
    schedule = tuple(range(t, 0, -scale))
    certify_add_remove(schedule, e, scale)
    return schedule


def replace(e: Fraction, scale: int, k: int, n: int) -> tuple[int, ...]:
    """The pointwise smallest schedule that keeps ε when n is public.

    u_m = max(0, t − m, B, C), from the paper's recursion written for pseudo-counts: with
    P = (m + 1 + u)/(n + k u) and R = E (h + u)/(n + k u), u = u_{m−1}, h = n − (k − 1) m,
    B = (n P − E m)/(E − k P) keeps a value that falls to m while the minimum rises to m, and
    C = (h − n R)/(k R − 1) keeps the most frequent value while it does.
    """
    t = _ceil(scale * e.denominator, e.numerator - e.denominator)
    schedule: list[int] = []
    u = t
    for m in range(n // k + 1):
        if m > 0:
            u = max(0, t - m * scale, _b(e, scale, k, n, m, u), _c(e, scale, k, n, m, u))
        if u == 0:
            break
        schedule.append(u)
    certify_replace(schedule, e, scale, k, n)
    return tuple(schedule)


def _b(e: Fraction, scale: int, k: int, n: int, m: int, u: int) -> int:
    if n <= k * m:
        return 0
    above, below = (m + 1) * scale + u, n * scale + k * u
    return _ceil(
        scale * (n * above * e.denominator - e.numerator * m * below),
        e.numerator * below - k * above * e.denominator,
    )


def _c(e: Fraction, scale: int, k: int, n: int, m: int, u: int) -> int:
    h = n - (k - 1) * m
    if k < 3 or h * k <= n:
        return 0
    above, below = e.numerator * (h * scale + u), e.denominator * (n * scale + k * u)
    return _ceil(scale * (h * below - n * above), k * above - below)


def certify_add_remove(schedule: Sequence[int], e: Fraction, scale: int) -> None:
    """One record more or less: w_m ≥ t, and u falls by at most 1 a step.

    A value that rises from m gains at most the factor 1 + 1/w_m ≤ E, whether or not the minimum
    rises with it; every other probability changes by less (docs/mechanisms.md).
    """
    for m, u, after in _steps(schedule):
        w = m * scale + u
        _require(w * (e.numerator - e.denominator) >= scale * e.denominator, "w_m >= t", m)
        _require(0 <= u - after <= scale, "0 <= u_m - u_{m+1} <= 1", m)


def certify_any(schedule: Sequence[int], e: Fraction, scale: int) -> None:
    """As :func:`certify_add_remove`, and E w_{m+1} ≥ w_m + 2.

    The second covers a count that falls from m + 2 to m + 1 while the minimum rises to m + 1.
    """
    certify_add_remove(schedule, e, scale)
    for m, u, after in _steps(schedule):
        w, w_after = m * scale + u, (m + 1) * scale + after
        _require(e.numerator * w_after >= (w + 2 * scale) * e.denominator, "E w_{m+1} >= w_m + 2", m)


def certify_replace(schedule: Sequence[int], e: Fraction, scale: int, k: int, n: int) -> None:
    """Every pair of neighbors of n records, through the extreme counts that can occur.

    The ratio of two affine functions of a count is monotone in it, so that a family of pairs is
    covered by its smallest and its largest count.
    """
    if k == 1:
        return
    for m, u, after in _steps(schedule):
        if m > n // k:
            break
        w = m * scale + u
        _require(w * (e.numerator - e.denominator) >= scale * e.denominator, "w_m >= t", m)
        for count, count_after in _while_minimum_rises(m, k, n):
            old = (count * scale + u) * (n * scale + k * after)
            new = (count_after * scale + after) * (n * scale + k * u)
            _require(
                old * e.denominator <= new * e.numerator and new * e.denominator <= old * e.numerator,
                f"a count of {count} that becomes {count_after}",
                m,
            )


def _while_minimum_rises(m: int, k: int, n: int) -> Iterator[tuple[int, int]]:
    """Extreme (count, count after) when one replacement lifts the minimum from m to m + 1."""
    if n < k * (m + 1):
        return
    yield m, m + 1
    falling = n - m - (k - 2) * (m + 1)
    yield m + 2, m + 1
    yield falling, falling - 1
    if k >= 3:
        largest = n - (k - 1) * (m + 1)
        yield m + 1, m + 1
        yield largest, largest


def _steps(schedule: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """(m, u_m, u_{m+1}) for every entry and two steps of the zeros behind them."""
    padded = [*schedule, 0, 0, 0]
    yield from zip(range(len(padded) - 1), padded, padded[1:], strict=False)


def _require(holds: bool, inequality: str, m: int) -> None:  # noqa: FBT001 — reads as an assertion
    if not holds:
        raise AssertionError(f"the schedule breaks its guarantee at m = {m}: {inequality}")


def _ceil(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)
