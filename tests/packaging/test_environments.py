"""The wheel beside what people have: an older Spark, the client of Connect alone, no Spark at all.

``make test-packaging`` makes the environments and keeps them; each test goes back to what was in one before the wheel.
"""

import json
import os
import socket
import subprocess
import sys
import textwrap

import pytest
from building import ROOT

#: Made by make, with what stood in them before the wheel in a file.
MADE = ROOT / ".packaging"

SAMPLE = """
df = spark.createDataFrame([("flu",)] * 6 + [("cold",), (None,)], "diagnosis string")
sample = df.dp_sample("diagnosis", 1.0, "ss-roo", domain=["flu", "cold"], num_samples=20)
answers = {
    "values": sorted({row[0] for row in sample.collect()} | {"flu", "cold"}),
    "rows": sample.count(),
    "method": sample.schema["diagnosis"].metadata["spark_dp"]["method"],
    "histogram": dp.dp_histogram(df, "diagnosis", 50, domain=["flu", "cold"]).columns,
    "domain": dp.declare_domain(df, "diagnosis", ["flu"]).dp_sample("diagnosis", 1.0).collect()[0][0],
    "spark": spark.version,
}
spark.stop()
"""
ANSWERS = {
    "values": ["cold", "flu"],
    "rows": 20,
    "method": "ss-roo",
    "histogram": ["diagnosis", "noisy_count"],
    "domain": "flu",
}


class Environment:
    """An environment that make made, as it was before the wheel, and then with it."""

    def __init__(self, name, wheel, scratch):
        self.home = MADE / name
        self.scratch = scratch
        if not (self.home / ".installed").exists():
            pytest.skip(f"make test-packaging makes {self.home.relative_to(ROOT)}")
        at_first = set((self.home / ".installed").read_text().split())
        # An earlier run has left its wheel, and what the wheel brought.
        later = [line.partition("==")[0].partition(" @ ")[0] for line in self.frozen() if line not in at_first]
        if later:
            self.pip("uninstall", "--quiet", "--yes", *later)
        self.before, self.spark_before = self.packages(), self.spark()
        self.pip("install", "--quiet", "--disable-pip-version-check", str(wheel))
        self.after = self.packages()

    def python(self, *arguments, **environ):
        command = [str(self.home / "bin" / "python"), *arguments]
        # Nothing of the environment that runs the tests may help.
        ours = ("PYTHON", "SPARK", "PYSPARK")
        variables = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        variables |= {"PYTHONWARNINGS": "ignore", "SPARK_LOCAL_IP": "127.0.0.1", **environ}
        return subprocess.run(
            command, check=False, env=variables, cwd=self.scratch, capture_output=True, text=True, timeout=300
        )

    def pip(self, *arguments):
        ran = self.python("-m", "pip", *arguments)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def frozen(self):
        return self.pip("freeze", "--all").splitlines()

    def packages(self):
        listed = json.loads(self.pip("list", "--format=json", "--disable-pip-version-check"))
        return {package["name"]: package["version"] for package in listed}

    def added(self):
        return self.after.keys() - self.before.keys()

    def spark(self):
        """Every file of pyspark with its size and time, whichever distribution it is of, and its list of files."""
        packages = next(self.home.glob("lib/python*/site-packages"))
        files = [path for pattern in ("pyspark/**/*", "pyspark*.dist-info/*") for path in packages.glob(pattern)]
        facts = {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in files if path.is_file()}
        # Running Spark compiles what pip did not.
        return {path: told for path, told in facts.items() if path.suffix != ".pyc"}

    def run(self, program, **environ):
        """Run a program, which is a file: pyspark takes one that is none for a doctest of its own."""
        (self.scratch / "program.py").write_text(textwrap.dedent(program))
        return self.python("program.py", **environ)

    def answers(self, program, **environ):
        ran = self.run(program + "\nimport json\nprint('ANSWERS', json.dumps(answers))\n", **environ)
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout.rpartition("ANSWERS")[2])


@pytest.fixture(scope="module")
def older(wheel, tmp_path_factory):
    return Environment("older", wheel, tmp_path_factory.mktemp("older"))


@pytest.fixture(scope="module")
def client(wheel, tmp_path_factory):
    return Environment("client", wheel, tmp_path_factory.mktemp("client"))


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    return Environment("bare", wheel, tmp_path_factory.mktemp("bare"))


@pytest.fixture
def server(tmp_path):
    """The address of a Connect server in a process of this environment."""
    pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = f"""
        import sys
        from spark_dp.spark.local import prepare_local
        prepare_local()
        from pyspark.sql import SparkSession
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin")
        builder = builder.config("spark.connect.grpc.binding.address", "127.0.0.1")
        spark = builder.config("spark.connect.grpc.binding.port", "{port}").getOrCreate()
        print("serving", flush=True)
        sys.stdin.read()
        spark.stop()
    """
    (tmp_path / "server.py").write_text(textwrap.dedent(program))
    environ = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONWARNINGS": "ignore"}
    with (tmp_path / "log").open("w") as log:
        serving = subprocess.Popen(
            [sys.executable, "server.py"],
            cwd=tmp_path,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    try:
        assert serving.stdout.readline() == "serving\n", (tmp_path / "log").read_text()
        yield f"sc://127.0.0.1:{port}"
    finally:
        # It ends with its input.
        serving.communicate(timeout=60)


def test_an_older_spark_stays_as_it_is_and_samples(older):
    assert older.before["pyspark"].startswith("4.0.")
    assert older.after.items() >= older.before.items()
    assert {"spark-dp", "numpy", "pyarrow", "opendp", "python-flint"} <= older.added()
    assert older.spark() == older.spark_before

    answers = older.answers(
        """
from spark_dp.spark.local import prepare_local
prepare_local()
from pyspark.sql import SparkSession
import spark_dp as dp
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
"""
        + SAMPLE
    )
    assert answers == {**ANSWERS, "spark": older.before["pyspark"]}
    assert older.spark() == older.spark_before


def test_the_client_of_connect_needs_no_other_spark(client, server):
    assert "pyspark" not in client.after
    assert client.after.items() >= client.before.items()
    assert client.spark() == client.spark_before

    answers = client.answers(
        """
from pyspark.sql import SparkSession
import spark_dp as dp
spark = SparkSession.builder.getOrCreate()
from pyspark.sql.connect.dataframe import DataFrame
assert isinstance(spark.range(1), DataFrame)
"""
        + SAMPLE,
        SPARK_REMOTE=server,
    )
    import pyspark

    assert answers == {**ANSWERS, "spark": pyspark.__version__}


def test_without_spark_the_mechanisms_work_and_a_call_says_what_to_install(bare):
    assert not {name for name in bare.after if name.startswith("pyspark")}
    answers = bare.answers(
        """
import spark_dp as dp
mechanism = dp.mechanism("ss-roo", eps="0.1", k=3)
answers = {
    "total": str(sum(mechanism.pmf([4, 4, 20]))),
    "drawn": mechanism.draw([0, 0, 10**6]),
    "noise": len(dp.mechanism("perturbed-histogram", 1, 3, num_samples=50).draw([4, 4, 20])),
    "bins": dp.Bins(0, 120, 24).size,
    "methods": "ss-roo" in dp.methods(),
    "plan": dp.plan(n=1000, k=9, eps=1).chosen,
    "needed": dp.rows_needed(9, 1) > 0,
}
calls = {
    "dp_sample": lambda: dp.dp_sample(None, "diagnosis", 1.0, domain=["flu"]),
    "dp_histogram": lambda: dp.dp_histogram(None, "diagnosis", 1.0, domain=["flu"]),
    "report": lambda: dp.report(None),
}
for name, call in calls.items():
    try:
        call()
    except ImportError as error:
        answers[name] = str(error)
"""
    )
    for name in ("dp_sample", "dp_histogram", "report"):
        assert answers.pop(name).startswith(f"{name} needs pyspark, which is not installed: pip install ")
    expected = {"total": "1", "drawn": [2], "noise": 50, "bins": 24, "methods": True}
    assert answers == {**expected, "plan": "ss-roo", "needed": True}


#: What people write.
TYPED = """
    from decimal import Decimal
    from fractions import Fraction

    import spark_dp as dp
    from pyspark.sql import DataFrame, SparkSession


    def released(spark: SparkSession, table: DataFrame) -> DataFrame:
        ages = dp.Bins(0, 120, 24)
        declared = dp.declare_domain(table, "age", ages)
        sample: DataFrame = dp.dp_sample(declared, "age", 1.0, num_samples=10, relation="any")
        report: dp.Report = dp.report(sample)
        print(report)
        return sample.unionByName(dp.parquet(spark, "more"))


    mechanism: dp.Mechanism = dp.mechanism("ss-roo", eps="0.1", k=3)
    plan: dp.Plan = dp.plan(n=1_000_000, k=9, eps=1.0, num_samples=100)
    epsilon: Decimal = dp.eps_needed(1_000_000, dp.rows_needed(9, 1))
    exact: list[Fraction] = list(mechanism.pmf([4, 4, 20]))
    budget: dp.Budget = dp.Ledger("ledger.db").budget("patients", total=30)
    EXTRA
"""
#: One line more, and why mypy refuses it.
WRONG = {
    "dp.Binz(0, 1, 2)": "attr-defined",
    "dp.dp_sample(1, 'age', 1.0)": "arg-type",
    "sample: int = dp.mechanism('roo', 1, 3)": "assignment",
    "dp.dp_sample(table, 'age', 1.0)": "name-defined",
}


@pytest.mark.parametrize("extra", ["", *WRONG])
def test_a_program_type_checks_against_the_installed_wheel(older, tmp_path, extra):
    (tmp_path / "program.py").write_text(textwrap.dedent(TYPED).replace("EXTRA", extra))
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(older.scratch / "mypy"), "program.py"]
    command += ["--python-executable", str(older.home / "bin" / "python"), "--no-error-summary"]
    environ = {name: value for name, value in os.environ.items() if name not in ("MYPYPATH", "PYTHONPATH")}
    told = subprocess.run(command, check=False, cwd=tmp_path, env=environ, capture_output=True, text=True).stdout
    if extra:
        assert told.count("error:") == 1, told
        assert f"[{WRONG[extra]}]" in told
    else:
        assert told == ""
