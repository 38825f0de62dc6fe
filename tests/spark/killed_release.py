"""Runs jobs/release.py in a process that is killed at a step of a release."""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "jobs"))

from spark_dp.spark.local import prepare_local

prepare_local()

import release

from spark_dp.budget.ledger import LedgerBudget, LedgerReservation
from spark_dp.spark import sampling

STEP = sys.argv[1]


def at(step):
    if step == STEP:
        os.kill(os.getpid(), signal.SIGKILL)


def around(owner, name, before=None, after=None):
    """Let the process die before or after a function."""
    original = getattr(owner, name)

    def wrapped(*arguments, **options):
        at(before)
        found = original(*arguments, **options)
        at(after)
        return found

    setattr(owner, name, wrapped)


around(LedgerBudget, "reserve", "before reserve", "after reserve")
around(sampling.Question, "count", "while counting")
around(LedgerReservation, "commit", "after the draw", "after commit")
around(release, "record", "before the record")
around(release, "write_folder", None, "after the rename")


class Files:
    """The file system, with a death before the rename."""

    def __init__(self, files):
        self.files = files

    def __getattr__(self, name):
        if name == "move":
            at("before the rename")
        return getattr(self.files, name)


original = release.write_folder


def write_folder(files, path, drawn, part):
    if STEP == "while writing":
        # Half a file beside the place, as a writer leaves it that dies.
        aside = Path(path).parent / f".{Path(path).name}.broken"
        aside.mkdir(parents=True)
        (aside / "part-0.parquet").write_bytes(b"PAR1")
        at("while writing")
    return original(Files(files), path, drawn, part)


release.write_folder = write_folder

if __name__ == "__main__":
    sys.exit(release.main(sys.argv[2:]))
