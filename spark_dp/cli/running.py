"""``spark-dp run``: the releases that a file lists, each once, as a nightly job."""

from __future__ import annotations

import time
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spark_dp.cli.options import AsJSON
from spark_dp.cli.output import print_json, tell
from spark_dp.errors import SparkDPError
from spark_dp.wording import first_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_dp.policy.layer import PrivacyLayer
    from spark_dp.policy.nightly import Bill, ReleasePart, Releases


def run(
    file: Annotated[Path, typer.Argument(help="The list, such as conf/releases.yaml.", show_default=False)],
    date: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Day of the run; today of universal time if not given."),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Show what the run would cost, and end.")] = False,
    as_json: AsJSON = False,
) -> None:
    """Run the releases that a file lists, each once.

    Plans all of them first: what each dataset's budget will be charged, and whether every release has an answer. Then
    draws and writes one after another. A release that was drawn before is written as the ledger has it, and one that
    was written before is left as it is: the same run can be repeated after any failure.
    """
    import spark_dp as dp
    from spark_dp.policy import nightly
    from spark_dp.spark.session import session

    day = (date or datetime.now(timezone.utc)).date()
    releases, document = nightly.read_releases(file, day)
    spark = session("spark-dp run")
    layer = dp.PrivacyLayer.from_file(releases.policy, spark)
    bills = nightly.plan(layer, releases, document)
    if not as_json:
        for bill in bills:
            typer.echo(_of_bill(bill))
    done = [] if plan else _run(spark, layer, releases, quiet=as_json)
    failed = sum(one["state"] == "failed" for one in done)
    if as_json:
        print_json({"plan": [asdict(bill) for bill in bills], "releases": done})
    elif not plan:
        typer.echo(f"{failed} failed." if failed else f"All {len(done)} are written.")
    if failed:
        raise typer.Exit(1)


def _of_bill(bill: Bill) -> str:
    earlier = f", {bill.charged} charged by an earlier run" if bill.charged else ""
    return f"Plan    {bill.dataset}: ε = {bill.cost} of {bill.remaining} left{earlier}"


def _run(spark: SparkSession, layer: PrivacyLayer, releases: Releases, *, quiet: bool) -> list[dict[str, str | None]]:
    """Draw and write the releases; what became of each."""
    done = []
    for number, release in enumerate(releases.releases, start=1):
        started = time.monotonic()
        if not quiet:
            typer.echo(f"[{number}/{len(releases.releases)}] {release.id} …")
        outcome = _one(spark, layer, release)
        done.append({"id": release.id, "place": release.place, **outcome})
        if outcome["error"] is not None:
            tell(f"        failed: {outcome['error']}")
            if releases.on_failure == "stop":
                break
        elif not quiet:
            typer.echo(f"        {outcome['state']} {release.place} after {time.monotonic() - started:.1f} s")
    return done


def _one(spark: SparkSession, layer: PrivacyLayer, release: ReleasePart) -> dict[str, str | None]:
    from spark_dp.policy.nightly import write_once

    place = "at" if release.table is None else "in"
    try:
        state = "written to" if write_once(spark, layer, release) else f"is already {place}"
    except SparkDPError as error:
        return {"state": "failed", "error": first_line(error)}
    return {"state": state, "error": None}
