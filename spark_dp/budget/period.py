"""The stretches of time for which a budget can have an allowance of its own."""

from __future__ import annotations

from datetime import date, timedelta

PERIODS = ("day", "week", "month", "year")


def start_of(period: str, moment: str) -> str:
    """The day on which the period of a moment began; both as text of universal time, which compare as times do.

    >>> [start_of(period, "2026-11-29T23:59:59.999999Z") for period in PERIODS]
    ['2026-11-29', '2026-11-23', '2026-11-01', '2026-01-01']
    """
    day = date.fromisoformat(moment[:10])
    if period == "week":
        day -= timedelta(days=day.weekday())
    elif period == "month":
        day = day.replace(day=1)
    elif period == "year":
        day = day.replace(month=1, day=1)
    return day.isoformat()
