"""A nightly job that ends at a step of a release; as a program it is killed there.

python tests/dying.py STEP RELEASES --date 2026-11-30
"""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "jobs"))

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


def prepare(last, end, put=setattr):
    """Let the job call ``end`` at its last step."""
    import release

    from spark_dp.budget.ledger import LedgerBudget, LedgerReservation
    from spark_dp.spark import sampling

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

    def write_folder(files, path, drawn, part):
        if last == "while writing":
            # Half a file beside the place, as a writer leaves it that dies.
            aside = Path(path).parent / f".{Path(path).name}.broken"
            aside.mkdir(parents=True)
            (aside / "part-0.parquet").write_bytes(b"PAR1")
            end()
        original(Files(files), path, drawn, part)
        at("after the rename")

    original = release.write_folder
    put(release, "write_folder", write_folder)
    around(LedgerBudget, "reserve", "before reserve", "after reserve")
    around(sampling.Question, "count", "while counting")
    around(LedgerReservation, "commit", "after the draw", "after commit")
    around(release, "record", "before the record")
    return release


if __name__ == "__main__":
    from spark_dp.spark.local import prepare_local

    prepare_local()
    job = prepare(sys.argv[1], lambda: os.kill(os.getpid(), signal.SIGKILL))
    sys.exit(job.main(sys.argv[2:]))
