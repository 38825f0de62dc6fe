"""Nothing that Connect, serverless or shared clusters refuse is used, and nothing is left behind.

Every forbidden name raises when code of the package asks for it; pyspark itself may use them.
"""

import sys
from pathlib import Path

import pytest

import spark_dp
from spark_dp.spark.columns import sampled_columns
from spark_dp.spark.counting import count_arrow, count_native
from spark_dp.spark.domains import resolve

PACKAGE = str(Path(spark_dp.__file__).parent)
FRAME = [
    "rdd",
    "_jdf",
    "cache",
    "persist",
    "checkpoint",
    "localCheckpoint",
    "createTempView",
    "createOrReplaceTempView",
]
FRAME += ["createGlobalTempView", "createOrReplaceGlobalTempView"]
SESSION = ["sparkContext", "_jvm", "_jsparkSession", "_sc"]


class Guarded:
    """An attribute that may not be read from a frame of the package."""

    def __init__(self, name, holder):
        self.name, self.original = name, holder.__dict__.get(name)
        self.inherited = [cls.__dict__[name] for cls in holder.__mro__[1:] if name in cls.__dict__]

    def __get__(self, instance, owner=None):
        if sys._getframe(1).f_code.co_filename.startswith(PACKAGE):
            raise AssertionError(f"the package used {self.name}")
        if instance is not None and self.name in instance.__dict__:
            return instance.__dict__[self.name]
        for found in (self.original, *self.inherited):
            if found is not None:
                return found.__get__(instance, owner) if hasattr(found, "__get__") else found
        raise AttributeError(self.name)

    def __set__(self, instance, value):
        instance.__dict__[self.name] = value


@pytest.fixture
def guarded(spark, monkeypatch):
    for holder, names in ((type(spark.range(1)), FRAME), (type(spark), SESSION)):
        for name in names:
            monkeypatch.setattr(holder, name, Guarded(name, holder), raising=False)
    for name in ("set", "unset"):
        monkeypatch.setattr(type(spark.conf), name, _refused(name))


def _refused(name):
    def refuse(*_args, **_kwargs):
        raise AssertionError(f"conf.{name} was called")

    return refuse


@pytest.mark.usefixtures("guarded")
def test_a_release_uses_no_forbidden_name(spark):
    frame = spark.createDataFrame([("a", 1)] * 20, "s string, i int")
    reference = spark.createDataFrame([(number,) for number in range(100)], "i int")
    assert len(frame.dp_sample("s", 1, domain=["a", "b"], num_samples=3).collect()) == 3
    assert len(frame.dp_sample(["s", "i"], 1, domain={"s": ["a"], "i": reference}, relation="replace").collect()) == 1
    assert len(frame.dp_histogram("s", 1, domain=["a", "b"]).collect()) == 2
    assert len(frame.dp_sample("s", 1, "subrr", domain=["a"], relation="replace", num_samples=5).collect()) == 5
    assert len(frame.dp_sample("s", 1, domain=["a", "b"], privacy_unit="i", num_samples=3).collect()) == 3
    assert len(frame.dp_sample("i", 1, domain=spark_dp.Integers(0, 10**9)).collect()) == 1
    many = frame.dp_sample(["s", "i"], 1, domain={"s": ["a"], "i": spark_dp.Bins(0, 9, 2)}, num_samples=1_000_001)
    assert len(many.limit(3).collect()) == 3
    declared = spark_dp.declare_domain(frame, "s", ["a"])
    assert declared.dp_sample("s", 1).first().s == "a"
    columns = sampled_columns(frame, "i")
    for counter in (count_native, count_arrow):
        assert counter(frame, columns, resolve(columns, reference), outside=True).n == 20


@pytest.mark.usefixtures("guarded")
def test_the_guard_sees_a_use(spark):
    """The test of the test: code that claims to be of the package is stopped."""
    for expression in ("spark.range(1).rdd", "spark.range(1).cache()", "spark.sparkContext", "spark.range(1)._jdf"):
        with pytest.raises(AssertionError, match="the package used"):
            eval(compile(expression, f"{PACKAGE}/spark/fake.py", "eval"), {"spark": spark})  # noqa: S307
    with pytest.raises(AssertionError, match="was called"):
        spark.conf.set("spark.sql.shuffle.partitions", "3")


def test_no_table_or_view_is_left_behind(spark):
    before = {table.name for table in spark.catalog.listTables()}
    spark.range(5).dp_sample("id", 1, domain=range(100))
    assert {table.name for table in spark.catalog.listTables()} == before
