"""The wheel and the sdist: the same bytes wherever they are built, and in them what should be."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest
import readme_renderer.markdown
from building import ROOT, build, the
from packaging.metadata import Metadata

#: What stands in the sdist beside the package's metadata.
IN_THE_SDIST = {
    *("spark_dp", "jobs", "conf", "docs", "tests", "conftest.py", "Makefile", "pyproject.toml", ".gitignore"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"),
    *(name for name in ["mkdocs.yml"] if (ROOT / name).exists()),
}


@pytest.fixture(scope="session")
def unpacked(sdist, tmp_path_factory):
    """The folder that the sdist makes."""
    to = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(to, filter="data")
    return the("spark_dp-*", to)


@pytest.fixture(scope="session")
def elsewhere(tree, tmp_path_factory):
    """The same files at another place, of another time, readable by nobody else, among leftovers of all kinds."""
    other = tmp_path_factory.mktemp("else where") / "other name"
    shutil.copytree(tree, other, copy_function=shutil.copy)
    for number, path in enumerate(sorted(other.rglob("*"), reverse=True)):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.utime(path, (10**9 + number, 10**9 + number))
    leftovers = ["spark_dp/__pycache__/left.pyc", "tests/__pycache__/left.pyc", "build/left", "dist/left.whl"]
    leftovers += [".venv/left", ".packaging/left", ".pytest_cache/left", "spark-warehouse/left", "derby.log"]
    leftovers += ["docs/__pycache__/left.pyc", "jobs/spark-warehouse/left", "left.egg-info/left"]
    for name in leftovers:
        (other / name).parent.mkdir(parents=True, exist_ok=True)
        (other / name).touch()
    return other


def names_in(archive):
    """The files in a wheel or an sdist, without the sdist's own folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.namelist()
    with tarfile.open(archive) as sdist:
        return [member.name.partition("/")[2] for member in sdist if member.isfile()]


def metadata_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Metadata.from_email(archive.read(name), validate=True)


def test_another_folder_umask_and_time_make_the_same_bytes(wheel, sdist, elsewhere, tmp_path):
    again = build(elsewhere, tmp_path, "--sdist", "--wheel", umask=0o077)
    assert the("*.whl", again).read_bytes() == wheel.read_bytes()
    assert the("*.tar.gz", again).read_bytes() == sdist.read_bytes()


def test_the_sdist_makes_the_same_wheel_and_itself(wheel, sdist, unpacked, tmp_path):
    again = build(unpacked, tmp_path, "--sdist", "--wheel", umask=0o077)
    assert the("*.whl", again).read_bytes() == wheel.read_bytes()
    assert the("*.tar.gz", again).read_bytes() == sdist.read_bytes()


def test_the_wheel_holds_the_package_and_its_metadata(wheel, tree):
    package = {path.relative_to(tree).as_posix() for path in (tree / "spark_dp").rglob("*") if path.is_file()}
    version = re.fullmatch(r"spark_dp-(.+)-py3-none-any.whl", wheel.name)[1]
    about = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
    assert set(names_in(wheel)) == package | {f"spark_dp-{version}.dist-info/{name}" for name in about}
    assert "spark_dp/py.typed" in package


def test_the_sdist_holds_what_tests_and_documentation_need(sdist, tree):
    names = names_in(sdist)
    assert {name.partition("/")[0] for name in names} == IN_THE_SDIST | {"PKG-INFO"}
    folders = [name for name in IN_THE_SDIST if (tree / name).is_dir()]
    wanted = {path.relative_to(tree).as_posix() for name in folders for path in (tree / name).rglob("*.py")}
    assert wanted <= set(names)
    assert "spark_dp/py.typed" in names


def test_the_tests_in_the_sdist_run_there(unpacked, tmp_path):
    environ = {**os.environ, "PYTHONPATH": str(unpacked), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", str(tmp_path / "temp")]
    told = subprocess.run(
        [*command, "tests/golden"],
        check=False,
        cwd=unpacked,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stdout
    # All others are found, and import what they need.
    told = subprocess.run([*command, "--collect-only"], check=False, cwd=unpacked, env=environ, capture_output=True)
    assert told.returncode == 0, told.stdout


def test_the_description_renders(wheel):
    metadata = metadata_of(wheel)
    assert metadata.description_content_type == "text/markdown"
    html = readme_renderer.markdown.render(metadata.description, variant="GFM")
    assert html is not None
    assert html.count("<table>") == (ROOT / "README.md").read_text().count("\n|---")


def test_license_and_classifiers_are_those_of_today(wheel):
    metadata = metadata_of(wheel)
    assert metadata.license_expression == "Apache-2.0"
    assert metadata.license_files == ["LICENSE"]
    # The two ways to tell the license exclude each other; hatchling knows which classifiers there are.
    assert not [name for name in metadata.classifiers if name.startswith("License")]
    assert "Typing :: Typed" in metadata.classifiers
    # There is no public address yet.
    assert not metadata.project_urls
    assert metadata.home_page is None


def test_requirements_are_lower_bounds_and_leave_spark_alone(wheel):
    requirements = metadata_of(wheel).requires_dist
    hard = {requirement.name for requirement in requirements if requirement.marker is None}
    assert hard == {"numpy", "opendp", "pyarrow", "python-flint"}
    for requirement in requirements:
        assert [bound.operator for bound in requirement.specifier] == [">="], requirement


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_dist_takes_its_date_from_the_last_commit(tree):
    def told(folder):
        command = ["make", "--dry-run", "--assume-old=.venv/.dev", "dist"]
        return subprocess.run(command, check=True, cwd=folder, capture_output=True, text=True).stdout

    def git(*arguments):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
        environ = {**os.environ, "GIT_COMMITTER_DATE": "1234567890 +0000"}
        subprocess.run(command, check=True, cwd=tree, env=environ, capture_output=True)

    without = re.search(r"SOURCE_DATE_EPOCH=(\d+)", told(tree))
    assert int(without[1]) > 315532800  # a zip holds no older date
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    git("init")
    git("add", "Makefile")
    git("commit", "-m", "one")
    assert "SOURCE_DATE_EPOCH=1234567890 " in told(tree)
