"""The wheel and the sdist, built once."""

import pytest
from building import build, copy_tree, the


@pytest.fixture(scope="session")
def tree(tmp_path_factory):
    return copy_tree(tmp_path_factory.mktemp("tree") / "spark_dp")


@pytest.fixture(scope="session")
def built(tree, tmp_path_factory):
    return build(tree, tmp_path_factory.mktemp("built"), "--sdist", "--wheel")


@pytest.fixture(scope="session")
def wheel(built):
    return the("*.whl", built)


@pytest.fixture(scope="session")
def sdist(built):
    return the("*.tar.gz", built)
