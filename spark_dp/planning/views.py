"""A plan as people read it: on a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from spark_dp import html
from spark_dp.wording import numbered

if TYPE_CHECKING:
    from spark_dp.planning.comparison import Line, Plan


_LEGEND = (
    "* what 'auto' takes. TV: total variation of a sample to the rows. q: largest share of a sample that is obscured. "
    "floor: rows that a value without a row weighs. λ: how far a noisy count is off on average."
)


def as_text(plan: Plan) -> str:
    """The plan in lines of text."""
    columns = _columns(plan)
    rows = [[*columns], *([cell(line) for cell in columns.values()] for line in _answered(plan))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_title(plan), ""]
    lines += ["  ".join(_padded(cell, place, widths) for place, cell in enumerate(row)).rstrip() for row in rows]
    return "\n".join([*lines, "", *_remarks(plan)])


def as_html(plan: Plan) -> str:
    """The plan as HTML."""
    columns, lines = _columns(plan), _answered(plan)
    chosen = next(number for number, line in enumerate(lines) if line.chosen)
    rows = ([cell(line) for cell in columns.values()] for line in lines)
    remarks = (html.paragraph(remark) for remark in _remarks(plan))
    return html.card(_title(plan), html.table([*columns], rows, bold=chosen), *remarks)


def _title(plan: Plan) -> str:
    rows = "public" if plan.relation == "replace" else "assumed"
    return (
        f"Plan for {numbered(plan.num_samples, 'sample')} of {plan.k:,} values at ε = {plan.epsilon}, "
        f"{plan.n:,} rows ({rows}), relation {plan.relation.value}"
    )


def _columns(plan: Plan) -> dict[str, Callable[[Line], str]]:
    """What is shown of a line, by the name of its column."""
    target = f"{float(plan.error):g}"
    shown: dict[str, Callable[[Line], str]] = {
        "method": lambda line: line.method + " *" * line.chosen,
        "q": lambda line: _number(line.q),
        "floor": lambda line: _number(line.floor),
        "λ": lambda line: _number(line.noise_scale),
        "worst TV": lambda line: _number(line.worst_tv),
    }
    if plan.guess is not None:
        shown["expected TV"] = lambda line: _number(line.expected_tv)
    return shown | {
        f"rows for TV ≤ {target}": lambda line: _number(line.rows_needed),
        f"samples at TV ≤ {target}": lambda line: _number(line.most_samples),
    }


def _answered(plan: Plan) -> list[Line]:
    return [line for line in plan.lines if not line.note]


def _remarks(plan: Plan) -> list[str]:
    refused = [line.note for line in plan.lines if line.note]
    return [_LEGEND, *refused]


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    if value == 0:
        return "0"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" if value >= 1e-4 else f"{value:.1e}"


def _padded(cell: str, place: int, widths: list[int]) -> str:
    return cell.ljust(widths[0]) if place == 0 else cell.rjust(widths[place])
