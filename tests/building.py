"""Builds wheel and sdist from copies of the work tree, so that nobody's edits come between two builds."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: What stands beside the project's files in a work tree.
NOT_OURS = (".git", ".venv", ".matrix", ".packaging", ".compare", "build", "dist", "__pycache__", ".*_cache")
EPOCH = "1700000000"


def copy_tree(to):
    """Copy the work tree without what git ignores."""
    return Path(shutil.copytree(ROOT, to, ignore=shutil.ignore_patterns(*NOT_OURS)))


def build(tree, to, *kinds, umask=0o022):
    """Build "--sdist" or "--wheel" or both from a tree, or a wheel from an unpacked sdist, into a folder."""
    # With the backend of this environment: fetching it anew takes longer than all the rest.
    command = [sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(to), str(tree)]
    environ = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    built = subprocess.run(command, check=False, env=environ, capture_output=True, text=True, umask=umask)
    assert built.returncode == 0, built.stdout + built.stderr
    return to


def the(pattern, folder):
    """The one file of that pattern."""
    (found,) = folder.glob(pattern)
    return found
