r"""Run the releases that a file lists, each once, as a nightly job does.

    spark-submit jobs/release.py conf/releases.yaml

Plans all of them first: what each dataset's budget will be charged, and whether every release has an answer. Then
draws and writes one after another. A release that was drawn before is not drawn again but written from the ledger,
and one that was written before is left as it is: the same run can be repeated after any failure.

Exit status: 0 if every release is written; 1 if some failed; 2 if nothing was run, since the files are wrong or a
budget does not cover the run.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import uuid
from collections.abc import Sequence
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

from pyarrow import ArrowException, fs
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import spark_dp as dp
from spark_dp.errors import ArgumentError, BudgetError, SparkDPError
from spark_dp.mechanisms.base import MAX_DRAWS
from spark_dp.policy.nightly import ReleasePart, Releases, draw, plan, read_releases

#: Beside the data in its folder; readers of Spark and others take no file that begins so for data.
RECORD = "_release.json"


class OutputError(SparkDPError):
    """What is at the place of a release is another one, or cannot be written."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job; the exit status comes back."""
    parsed = argparse.ArgumentParser(prog="release", description="Run the releases that a file lists, each once.")
    parsed.add_argument("file", help="YAML file of releases, such as conf/releases.yaml")
    parsed.add_argument("--date", type=date.fromisoformat, help="day of the run (default: today, universal time)")
    parsed.add_argument("--plan", action="store_true", help="show what the run would cost, and end")
    arguments = parsed.parse_args(argv)
    day = arguments.date or datetime.now(timezone.utc).date()
    try:
        releases, document = read_releases(arguments.file, day)
        spark = SparkSession.builder.appName("release").getOrCreate()
        layer = dp.PrivacyLayer.from_file(releases.policy, spark)
        bills = plan(layer, releases, document)
    except (ArgumentError, BudgetError) as error:
        print(f"release: error: {error}", file=sys.stderr)
        return 2
    for bill in bills:
        earlier = f", {bill.charged} charged by an earlier run" if bill.charged else ""
        print(f"Plan    {bill.dataset}: ε = {bill.cost} of {bill.remaining} left{earlier}", flush=True)
    return 0 if arguments.plan else run(spark, layer, releases)


def run(spark: SparkSession, layer: dp.PrivacyLayer, releases: Releases) -> int:
    """Draw and write the releases."""
    failed = 0
    for number, release in enumerate(releases.releases, start=1):
        started = time.monotonic()
        print(f"[{number}/{len(releases.releases)}] {release.id} …", flush=True)
        try:
            told = written(spark, layer, release)
        except (SparkDPError, PySparkException, ArrowException, OSError) as error:
            failed += 1
            print(f"        failed: {str(error).strip().splitlines()[0]}", file=sys.stderr, flush=True)
            if releases.on_failure == "stop":
                break
            continue
        print(f"        {told} {release.place} after {time.monotonic() - started:.1f} s", flush=True)
    print(f"{failed} failed." if failed else f"All {len(releases.releases)} are written.", flush=True)
    return 1 if failed else 0


def written(spark: SparkSession, layer: dp.PrivacyLayer, release: ReleasePart) -> str:
    """Write a release unless it is; what was done, in words."""
    if release.table is not None:
        return write_table(spark, release.table, draw(layer, release), release)
    files, path = fs.FileSystem.from_uri(absolute(str(release.path)))
    if files.get_file_info(path).type is not fs.FileType.NotFound:
        check_same(read_record(files, f"{path}/{RECORD}"), release)
        return "is already at"
    write_folder(files, path, draw(layer, release), release)
    return "written to"


def absolute(path: str) -> str:
    """A path as the file system wants it: what has no scheme lies here."""
    return path if "://" in path else str(Path(path).absolute())


def write_folder(files: fs.FileSystem, path: str, drawn: DataFrame, release: ReleasePart) -> None:
    """Write aside, with the record, and rename: nobody sees a part of it."""
    parent, _, name = path.rpartition("/")
    aside = f"{parent}/.{name}.{uuid.uuid4().hex}"
    # More rows than the driver makes go into several files.
    pieces = drawn if metadata(drawn)["num_samples"] > MAX_DRAWS else drawn.coalesce(1)
    pieces.write.parquet(absolute(str(release.path)).removesuffix(path) + aside)
    with files.open_output_stream(f"{aside}/{RECORD}") as stream:
        stream.write(record(drawn, release).encode())
    files.move(aside, path)


def write_table(spark: SparkSession, name: str, drawn: DataFrame, release: ReleasePart) -> str:
    """Create the table, with the record as a property."""
    if spark.catalog.tableExists(name):
        found = metadata(spark.read.table(name))
        check_same(found, release)
        return "is already in"
    # Spark 3.5 would make a Hive table of one without a format.
    usual = str(spark.conf.get("spark.sql.sources.default"))
    drawn.writeTo(name).using(usual).tableProperty("spark_dp", record(drawn, release)).create()
    return "written to"


def read_record(files: fs.FileSystem, path: str) -> dict[str, Any]:
    """The record of what is there; empty if it has none."""
    if files.get_file_info(path).type is fs.FileType.NotFound:
        return {}
    with files.open_input_stream(path) as stream:
        found: dict[str, Any] = json.loads(stream.read())
    return found


def check_same(found: dict[str, Any], release: ReleasePart) -> None:
    """Refuse a place that holds something else."""
    if found.get("release_id") != release.id:
        raise OutputError(
            f"{release.place} exists and holds no release {release.id!r}. Move it away, or write elsewhere."
        )


def metadata(drawn: DataFrame) -> dict[str, Any]:
    """The public record that every column of a release carries."""
    return next((field.metadata["spark_dp"] for field in drawn.schema if "spark_dp" in field.metadata), {})


def record(drawn: DataFrame, release: ReleasePart) -> str:
    """What the public may know of a release, as JSON."""
    entry = dp.Entry.read(metadata(drawn))
    told = {"dataset": release.dataset, "where": release.where, "guarantee": entry.guarantee.in_words()}
    return json.dumps({**entry.record(), **told}, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.exit(main())
