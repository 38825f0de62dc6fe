"""A new method is held to the whole contract by its line in the registry alone."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

BROKEN = """
from new_method import Floor, pytest_configure
Floor.weight = lambda self, count, proven=Floor.weight: max(count * self.scale, proven(self, 0) // 2)
"""


def contract_of_the_new_method(plugin, *folders, only="floor"):
    path = os.pathsep.join(str(folder) for folder in (Path(__file__).parent, *folders))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/contract", "-k", only, "-p", plugin],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_new_method_runs_through_the_contract_suite():
    run = contract_of_the_new_method("new_method")
    assert run.returncode == 0, run.stdout
    assert int(re.search(r"(\d+) passed", run.stdout).group(1)) > 50


def test_one_that_smooths_half_as_much_is_caught_under_every_relation(tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN)
    run = contract_of_the_new_method("broken", tmp_path, only="floor and exceeds_e")
    assert run.returncode == 1
    for relation in ("any", "replace", "add-remove"):
        assert re.search(rf"FAILED .*::test_no_ratio_exceeds_e_to_the_epsilon\[.*floor-{relation}", run.stdout)


def test_it_costs_about_fifteen_lines():
    source = (Path(__file__).parent / "new_method.py").read_text()
    docstring = re.search(r'    """Q.*?"""\n', source, re.DOTALL).group()
    body = source.replace(docstring, "").split("class ")[1].split("\n\n\n")[0]
    assert len([line for line in body.splitlines() if line]) <= 15
