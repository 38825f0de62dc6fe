"""jobs/release.py as a task of a Databricks job, which conf/databricks.yml describes.

Takes the password of the ledger from a secret scope first: what runs on serverless compute has no environment variables
that refer to secrets. All other arguments are those of jobs/release.py.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from spark_dp.cli import main as command


def main(argv: Sequence[str]) -> None:
    """Run the releases.

    Raises:
        RuntimeError: if a release failed or none was run. There a task fails by an exception, and the interpreter
            is not ours to end.
    """
    parser = argparse.ArgumentParser(prog="release_databricks", allow_abbrev=False)
    parser.add_argument("--password-from", type=scope_and_key, required=True, help="SCOPE/KEY of the ledger's password")
    ours, theirs = parser.parse_known_args(argv)
    os.environ["PGPASSWORD"] = secret(*ours.password_from)
    try:
        command(["run", *theirs])
    except SystemExit as ended:
        if ended.code:
            raise RuntimeError(f"The run ended with status {ended.code}; why is told above.") from None


def scope_and_key(text: str) -> tuple[str, str]:
    """Where a secret is.

    >>> scope_and_key("spark_dp/ledger")
    ('spark_dp', 'ledger')
    """
    scope, _, key = text.partition("/")
    if not (scope and key):
        raise argparse.ArgumentTypeError(f"{text!r} is no SCOPE/KEY")
    return scope, key


def secret(scope: str, key: str) -> str:
    """A secret that whoever runs the job may read."""
    from databricks.sdk.runtime import dbutils

    return str(dbutils.secrets.get(scope=scope, key=key))


if __name__ == "__main__":
    main(sys.argv[1:])
