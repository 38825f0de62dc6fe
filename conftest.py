"""One lazy Spark session for all tests, classic or, with --connect, over Spark Connect."""

import pytest
from hypothesis import settings

# The machines that run the tests are too uneven for a deadline.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


def pytest_addoption(parser):
    parser.addoption("--connect", action="store_true", help="run the Spark tests over Spark Connect")


@pytest.fixture(scope="session")
def connect(request):
    return request.config.getoption("--connect")


@pytest.fixture(scope="session")
def spark(connect):
    from pyspark.sql import SparkSession

    from spark_dp.spark.local import prepare_local

    prepare_local()
    builder = SparkSession.builder.config("spark.sql.shuffle.partitions", "2")
    # A zone with summer time, so that a timestamp taken for a local one shows.
    builder = builder.config("spark.sql.session.timeZone", "America/New_York")
    # The setting is static, so that a Connect client cannot give it.
    builder = builder.remote("local[2]") if connect else builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def _spark_in_doctests(request, doctest_namespace):
    if isinstance(request.node, pytest.DoctestItem) and "spark_dp/spark/" in request.node.location[0]:
        doctest_namespace["spark"] = request.getfixturevalue("spark")
