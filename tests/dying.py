"""A run of releases that ends at a step of one; as a program it is killed there.

python tests/dying.py STEP RELEASES --date 2026-11-30
"""

import os
import signal
import sys
from pathlib import Path

from spark_dp.cli import main

STEPS = (
    "before reserve",
    "after reserve",
    "while counting",
    "after the draw",
    "after commit",
    "while writing",
    "before the record",
    "before the rename",
    "after the rename",
)


def prepare(last, end, put=setattr):  # noqa: C901 — one step after another
    """Let the job call ``end`` at its last step."""
    from spark_dp.budget.ledger import LedgerBudget, LedgerReservation
    from spark_dp.spark import sampling, writing

    def at(step):
        if step == last:
            end()

    def around(owner, name, before=None, after=None):
        original = getattr(owner, name)

        def wrapped(*arguments, **options):
            at(before)
            found = original(*arguments, **options)
            at(after)
            return found

        put(owner, name, wrapped)

    class Files:
        """The file system, with an end before the rename."""

        def __init__(self, files):
            self.files = files

        def __getattr__(self, name):
            if name == "move":
                at("before the rename")
            return getattr(self.files, name)

    def place(path):
        files, found = _place(path)
        return Files(files), found

    def write_folder(path, drawn, record):
        if last == "while writing":
            # Half a file beside the place, as a writer leaves it that dies.
            aside = Path(path).parent / f".{Path(path).name}.broken"
            aside.mkdir(parents=True)
            (aside / "part-0.parquet").write_bytes(b"PAR1")
            end()
        original(path, drawn, record)
        at("after the rename")

    original, _place = writing.write_folder, writing._place
    put(writing, "write_folder", write_folder)
    put(writing, "_place", place)
    around(LedgerBudget, "reserve", "before reserve", "after reserve")
    around(sampling.Question, "count", "while counting")
    around(LedgerReservation, "commit", "after the draw", "after commit")
    around(writing, "_written", "before the record")


if __name__ == "__main__":
    prepare(sys.argv[1], lambda: os.kill(os.getpid(), signal.SIGKILL))
    main(["run", *sys.argv[2:]])
