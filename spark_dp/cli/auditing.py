"""``spark-dp audit``: what a mechanism guarantees, shown anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from spark_dp.cli.options import AsJSON, Method, RelationOption
from spark_dp.cli.output import print_json
from spark_dp.pictures import check_path
from spark_dp.privacy import Relation

if TYPE_CHECKING:
    from spark_dp.audit import Audit


def audit(
    method: Method = "auto",
    eps: Annotated[str, typer.Option(metavar="EPS", help="Privacy loss bound of the whole release.")] = "1",
    k: Annotated[int, typer.Option("--k", metavar="VALUES", help="Size of the domain.")] = 4,
    n: Annotated[
        int, typer.Option("--n", metavar="ROWS", help="Rows of the tables it makes up; public under 'replace'.")
    ] = 12,
    relation: RelationOption = Relation.ANY,
    num_samples: Annotated[int, typer.Option(metavar="T", help="Draws in the release.")] = 1,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Picture to write, such as audit.png.")] = None,
    as_json: AsJSON = False,
) -> None:
    """Check the guarantee anew, for your own parameters. No data is read, no Spark is started.

    Three checks: the inequalities of the proof, for exactly these parameters; all small histograms and their
    neighbors, with exact probabilities; real draws, by a χ² test. Exit status 1 if one fails.

    Example: spark-dp audit --method ds-roo --eps 0.1 --k 9 --n 1000 --relation replace
    """
    from spark_dp import audit as audits

    if plot is not None:
        check_path(plot)
    with _progress(shown=not as_json) as progress:
        found = audits.audit(method, eps, k, n=n, relation=relation, num_samples=num_samples, progress=progress)
    if plot is not None:
        from spark_dp.audit.pictures import draw

        draw(found, plot)
    if as_json:
        print_json(found.record())
    else:
        _print(found)
    if not found.holds:
        raise typer.Exit(1)


@contextmanager
def _progress(*, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal's stderr, gone at the end."""
    console = Console(stderr=True)
    columns = (TextColumn("Histograms and their neighbors"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not (shown and console.is_terminal)) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print(found: Audit) -> None:
    from spark_dp.audit.words import conclusion, findings, title

    table = Table(box=None, show_header=False, padding=(0, 2, 1, 0))
    for name, holds, text in findings(found):
        verdict = "[green]holds[/green]" if holds else "[bold red]FAILS[/bold red]"
        table.add_row(name, verdict, text)
    console = Console(highlight=False)
    console.print(f"[bold]Audit of {title(found)}[/bold]\n")
    console.print(table)
    color = "green" if found.holds else "red"
    console.print(f"[bold {color}]{conclusion(found)}[/bold {color}] {found.mechanism.guarantee.in_words()}")
