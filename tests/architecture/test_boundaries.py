"""What the package may never do, read from its syntax trees."""

import ast
import subprocess
import sys
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
CHANCE = {"random", "secrets", "numpy.random", "uuid", "opendp"}


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
    # The import of pyspark.sql is no use of SparkSession.sql, nor is the text that sqlglot writes of a tree.
    other = path.name == "attach.py" or "sqlglot" in set(imported(tree))
    used = attributes(tree) - ({"sql"} if other else set())
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
    assert not CHANCE & {name for module in imported(tree) for name in (module, module.split(".")[0])}
    assert not {"urandom", "random", "default_rng", "getrandbits"} & attributes(tree)


@pytest.mark.parametrize("tree", [tree for _, tree in TREES], ids=NAMES)
def test_nothing_is_logged_or_printed(tree):
    assert "logging" not in set(imported(tree))
    assert not any(isinstance(node, ast.Name) and node.id == "print" for node in ast.walk(tree))


#: The scale of noise is a float, by OpenDP's interface; it is compared as the rational it is.
FLOATS = {"mechanisms/noise.py"}
#: Quotients of fractions and of balls.
QUOTIENTS = {"exact/rising.py"}


def test_exact_code_holds_no_float():
    for path, tree in TREES:
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(("exact/", "mechanisms/")):
            continue
        for node in ast.walk(tree):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), name
            converts = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float"
            assert not converts or name in FLOATS, name
            divides = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and name.startswith("exact/")
            assert not divides or name in QUOTIENTS, name


#: Hides pyspark from the interpreter that runs it.
WITHOUT_PYSPARK = (
    "import sys; sys.modules['pyspark'] = None\n"
    "import importlib.util as u; find = u.find_spec\n"
    "u.find_spec = lambda name, *rest: None if name == 'pyspark' else find(name, *rest)\n"
)


def run(code):
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_package_works_without_pyspark():
    run(WITHOUT_PYSPARK + "import spark_dp\nassert spark_dp.mechanism('roo', 50, 1).draw([3]) == [0]\n")


@pytest.mark.parametrize("call", ["dp_sample(1, 'a', 1)", "dp_histogram(1, 'a', 1)", "declare_domain(1, 'a', [1])"])
def test_without_pyspark_a_call_says_what_to_install(call):
    run(
        WITHOUT_PYSPARK + "import spark_dp\n"
        "try:\n"
        f"    spark_dp.{call}\n"
        "except ImportError as error:\n"
        "    assert 'needs pyspark' in str(error) and 'pip install' in str(error), error\n"
        "else:\n"
        "    raise AssertionError('it must fail')\n"
    )


def test_the_import_loads_the_methods_and_nothing_that_a_call_needs():
    # What pyspark imports of its own accord is not ours to save.
    run(
        "import sys, pyspark.sql\n"
        "before = set(sys.modules)\n"
        "import spark_dp\n"
        "after = set(sys.modules) - before\n"
        "package = {'spark_dp', 'spark_dp.errors', 'spark_dp.spark', 'spark_dp.version'}\n"
        "package |= {'spark_dp.spark.attach', 'spark_dp.spark.installed'}\n"
        "assert {name for name in after if name.startswith('spark_dp')} == package, after\n"
        "outside = {name.partition('.')[0] for name in after - package}\n"
        "assert outside <= sys.stdlib_module_names, outside\n"
        "assert not outside & {'fractions', 'decimal', 'dataclasses', 'enum', 'json', 'subprocess'}, outside\n"
    )


def test_the_import_loads_no_heavy_library_without_pyspark():
    heavy = "{'numpy', 'pyarrow', 'opendp', 'flint', 'pandas', 'scipy', 'matplotlib', 'fractions', 'decimal'}"
    run(WITHOUT_PYSPARK + f"import spark_dp\nassert not {heavy} & set(sys.modules)\n")


def test_a_draw_loads_nothing_that_only_other_draws_need():
    run(
        WITHOUT_PYSPARK + "import spark_dp\n"
        "heavy = {'opendp', 'flint', 'pyarrow', 'pandas', 'scipy', 'matplotlib'}\n"
        "spark_dp.mechanism('roo', 1, 3).draw([1, 2, 3])\n"
        "assert not heavy & set(sys.modules)\n"
        "spark_dp.mechanism('ss-roo', 1, 3).draw([1, 2, 3])\n"
        "assert 'opendp' not in sys.modules\n"
    )


def test_every_public_name_is_there_and_listed():
    for name in spark_dp.__all__:
        assert getattr(spark_dp, name) is not None, name
    assert set(spark_dp.__all__) <= set(dir(spark_dp))


def test_late_names_are_those_that_type_checkers_see():
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    branch = next(node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    seen = {alias.name: node.module for node in branch.body for alias in node.names}
    assert seen == spark_dp._LATE


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(spark_dp, "Binz")
