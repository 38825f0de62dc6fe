"""The notebook runs from top to bottom, and what is written is what the source makes."""

import base64
import getpass
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "jobs"))

import notebook  # noqa: E402 — jobs are no package

WRITTEN = json.loads(notebook.NOTEBOOK.read_text())
CELLS = [cell for cell in WRITTEN["cells"] if cell["cell_type"] == "code"]
OUTPUTS = [output for cell in CELLS for output in cell["outputs"]]

#: What stands in for Databricks, and then its notebook.
ON_DATABRICKS = """
import runpy, sys
from types import SimpleNamespace
from spark_dp.spark.local import prepare_local
prepare_local()
from pyspark.sql import SparkSession
builder = SparkSession.builder.config("spark.sql.shuffle.partitions", "2").remote("local[2]")
restarted = []
dbutils = SimpleNamespace(library=SimpleNamespace(restartPython=lambda: restarted.append(True)))
runpy.run_path(sys.argv[1], {"spark": builder.getOrCreate(), "dbutils": dbutils, "display": print})
assert restarted == [True]
"""


def kinds(cells):
    """What each code cell shows: nothing, a text, a picture …"""
    return [[sorted(output.get("data", {"text": ""})) for output in cell["outputs"]] for cell in cells]


def test_the_source_runs_and_shows_what_is_written():
    ran = notebook.source()
    notebook.run(ran)
    assert kinds(cell for cell in ran.cells if cell.cell_type == "code") == kinds(CELLS)


def test_the_written_notebook_has_the_cells_of_the_source():
    written = [(cell["id"], cell["cell_type"], "".join(cell["source"])) for cell in WRITTEN["cells"]]
    assert written == [(cell.id, cell.cell_type, cell.source) for cell in notebook.source().cells]


def test_its_outputs_are_without_errors_noise_and_traces_of_a_machine():
    assert not [output for output in OUTPUTS if output["output_type"] == "error" or output.get("name") == "stderr"]
    told = json.dumps(OUTPUTS, ensure_ascii=False)
    traces = {str(ROOT), str(Path.home()), tempfile.gettempdir(), "/usr/", "site-packages", "WARN"}
    if getpass.getuser() != "root":
        traces.add(getpass.getuser())
    assert not [trace for trace in traces if trace in told]
    assert all(not cell["metadata"].keys() - {"tags"} for cell in WRITTEN["cells"])


def test_it_is_small_and_has_pictures():
    assert notebook.NOTEBOOK.stat().st_size < 1_000_000
    shown = [output["data"]["image/png"] for output in OUTPUTS if "image/png" in output.get("data", {})]
    pictures = [base64.b64decode(picture) for picture in shown]
    assert len(pictures) >= 4
    for picture in pictures:
        # As wide as a page at 100 dots to the inch.
        assert 700 <= int.from_bytes(picture[16:20], "big") <= 1000


def test_the_databricks_notebook_is_what_the_source_makes():
    assert notebook.DATABRICKS.read_text(encoding="utf-8") == notebook.for_databricks()


def test_the_databricks_notebook_is_one():
    lines = notebook.DATABRICKS.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Databricks notebook source"
    cells = "\n".join(lines[1:]).split("\n# COMMAND ----------\n")
    assert len(cells) > 10
    for cell in cells:
        text = [line for line in cell.splitlines() if line]
        magic = [line.startswith("# MAGIC") for line in text]
        # A cell is of one language.
        assert all(magic) or not any(magic), cell
        assert text[0].startswith(("# MAGIC %md", "# MAGIC %pip")) or not magic[0], cell
        compile(cell, "cell", "exec")
    assert cells[1].strip().startswith("# MAGIC %pip install ")
    assert cells[2].strip() == "dbutils.library.restartPython()"
    # The session is that of the cluster.
    assert "getOrCreate" not in "".join(cells)


def test_the_databricks_notebook_runs_over_connect(tmp_path):
    pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
    (tmp_path / "program.py").write_text(ON_DATABRICKS)
    environ = {**os.environ, "MPLBACKEND": "Agg", "PYTHONWARNINGS": "ignore", "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "program.py", str(notebook.DATABRICKS)]
    ran = subprocess.run(command, check=False, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert "the release costs 1.6" in ran.stdout
