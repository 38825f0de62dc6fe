"""Small pieces of HTML for notebooks: no color but the page's own, so that light and dark themes both serve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_TABLE = "border-collapse:collapse;margin:0.4em 0;background:none;color:inherit;font-size:inherit"
_CELL = "padding:0.2em 0.7em;text-align:{};border-bottom:1px solid rgba(128,128,128,0.3)"
_BAR = "display:inline-block;height:0.8em;width:{:.1f}em;background:#0072B2;vertical-align:middle"


def card(title: str, *parts: str) -> str:
    """A block with a title, for one object."""
    return (
        '<div style="font-family:sans-serif;font-size:0.9em;line-height:1.5;max-width:60em">'
        f"<strong>{escape(title)}</strong>{''.join(parts)}</div>"
    )


def paragraph(text: str, name: str = "") -> str:
    """A line of text, with its name before it if it has one."""
    before = f"<strong>{escape(name)}</strong> " if name else ""
    return f'<p style="margin:0.4em 0">{before}{escape(text)}</p>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, bold: int | None = None) -> str:
    """A table; the first column is text, the others numbers.

    Args:
        head: names of the columns.
        rows: their cells.
        bold: the number of a row that stands out.
    """
    lines = [_row(head, "th")]
    lines += [_row(row, "td", weight="bold" if number == bold else "normal") for number, row in enumerate(rows)]
    return f'<table style="{_TABLE}">{"".join(lines)}</table>'


def bars(labels: Sequence[str], values: Sequence[int]) -> str:
    """Values as horizontal bars, each with its label and its number."""
    longest = max(1, *values)
    rows = (
        f'<tr style="background:none"><td style="{_CELL.format("left")}">{escape(label)}</td>'
        f'<td style="{_CELL.format("left")}"><span style="{_width(value / longest)}"></span> {value:,}</td></tr>'
        for label, value in zip(labels, values, strict=True)
    )
    return f'<table style="{_TABLE}">{"".join(rows)}</table>'


def _width(share: float) -> str:
    return _BAR.format(20 * max(0, share))


def _row(cells: Sequence[str], tag: str, weight: str = "normal") -> str:
    # Heads may take two lines, values stay whole.
    style = f"font-weight:{weight}" + (";white-space:nowrap" if tag == "td" else "")
    made = (
        f'<{tag} style="{_CELL.format("left" if place == 0 else "right")};{style}">{escape(cell)}</{tag}>'
        for place, cell in enumerate(cells)
    )
    return f'<tr style="background:none">{"".join(made)}</tr>'
