"""What the package may never do, read from its syntax trees."""

import ast
from pathlib import Path

import pytest

import spark_dp

PACKAGE = Path(spark_dp.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
TREES = [(path, ast.parse(path.read_text())) for path in MODULES]
NAMES = [path.relative_to(PACKAGE).as_posix() for path in MODULES]

#: Each would break Connect, serverless or shared clusters, or leave private rows behind.
FORBIDDEN_ATTRIBUTES = {
    *("rdd", "sparkContext", "_jdf", "_jvm", "_sc", "_jsparkSession", "_jsc"),
    *("cache", "persist", "checkpoint", "localCheckpoint", "createTempView", "createOrReplaceTempView"),
    *("createGlobalTempView", "createOrReplaceGlobalTempView", "registerTempTable", "saveAsTable", "sql"),
}
CHANCE = {"random", "secrets", "numpy.random", "uuid"}


def attributes(tree):
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize(("path", "tree"), TREES, ids=NAMES)
def test_spark_is_used_through_its_public_dataframe_api_only(path, tree):
    # The import of pyspark.sql is no use of SparkSession.sql.
    used = attributes(tree) - ({"sql"} if path.name == "attach.py" else set())
    assert not used & FORBIDDEN_ATTRIBUTES


@pytest.mark.parametrize("tree", [tree for _, tree in TREES], ids=NAMES)
def test_no_spark_setting_is_written(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute) and node.value.attr == "conf":
            assert node.attr == "get"


@pytest.mark.parametrize(("path", "tree"), TREES, ids=NAMES)
def test_chance_comes_from_one_place(path, tree):
    if path.relative_to(PACKAGE).as_posix() == "exact/source.py":
        return
    assert not CHANCE & set(imported(tree))
    assert not {"urandom", "random", "default_rng", "getrandbits"} & attributes(tree)


@pytest.mark.parametrize("tree", [tree for _, tree in TREES], ids=NAMES)
def test_nothing_is_logged_or_printed(tree):
    assert "logging" not in set(imported(tree))
    assert not any(isinstance(node, ast.Name) and node.id == "print" for node in ast.walk(tree))


def test_exact_code_holds_no_float():
    exact = [PACKAGE / "exact", PACKAGE / "mechanisms"]
    for path in (path for folder in exact for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), path
            assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and path.parent.name == "exact"), (
                path
            )


def test_the_package_works_without_pyspark():
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['pyspark'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'pyspark' else find(name, *rest)\n"
        "import spark_dp\n"
        "assert spark_dp.mechanism('roo', 50, 1).draw([3]) == [0]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
