"""What commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table


def tell(text: str) -> None:
    """A line about what is going on: on stderr, so that stdout holds the answer alone."""
    typer.echo(text, err=True)


def print_json(content: object) -> None:
    """A document that a program can read, alone on stdout."""
    typer.echo(json.dumps(content, indent=2, ensure_ascii=False))


def print_table(title: str, columns: Sequence[str], lines: Sequence[Mapping[str, Any]]) -> None:
    """A table of these columns of the lines."""
    table = Table(title=title)
    for name in columns:
        table.add_column(name.replace("_", " "), overflow="fold")
    for line in lines:
        table.add_row(*(_cell(line[name]) for name in columns))
    Console().print(table)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return "" if value is None else str(value)
