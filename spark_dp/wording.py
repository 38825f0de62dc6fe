"""Small pieces of text that people read in many places."""

from __future__ import annotations


def numbered(number: int, what: str) -> str:
    """A number of things.

    >>> numbered(1, "budget"), numbered(1000, "row")
    ('1 budget', '1,000 rows')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"


def first_line(error: Exception) -> str:
    r"""What an error says first; what follows is for whoever debugs it.

    >>> first_line(ValueError("no such table\nat line 3")), first_line(ValueError())
    ('no such table', 'ValueError')
    """
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
