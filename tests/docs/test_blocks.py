"""Every block of the README and of docs/, run as a reader would who starts on that page.

A page has a checkout of its own to run in. Its blocks run from its top to its bottom, those of Python in one
namespace. A block of text directly behind a block that runs is what that prints, where … stands for anything;
any other block of text is an example.
"""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
import typer
import yaml
from pages import ROOT, agrees, blocks, commands, pages

from spark_dp.cli import app, demo
from spark_dp.errors import PolicyError, QueryError
from spark_dp.policy import sql
from spark_dp.policy.loading import read_policy
from spark_dp.policy.nightly import read_releases
from spark_dp.spark.local import prepare_local

#: Commands that CI runs elsewhere, and where.
IN_CI = {
    "make demo": "make check",
    "make test": "make check",
    "make docs": "make test-docs",
    "make test-docs": "make check",
    "make test-notebook": "make check",
    "make test-fast": "make test",
    "make test-ledger": "make test",
    "make check": ".ci/run",
    "make mutants": ".ci/run",
    "make paper": ".ci/run",
    "make test-matrix": ".ci/run",
    "make test-packaging": ".ci/run",
}
#: Commands that nothing runs before a change lands, and why.
BY_HAND = {
    "pip install": "make does it for each environment that CI tests, with the same extras",
    "%pip install": "a notebook does it",
    "make format": "changes files",
    "make notebook": "changes files; make test-notebook does the same without",
    "make dist": "make test-packaging does the same",
    "databricks": "needs a workspace",
    "make benchmark": "takes long, and measures the machine",
    "make compare": "the same",
}

#: Small tables need few tasks, nobody looks at Spark's page, and a short program is over before a compiler pays.
SETTINGS = """\
spark.sql.shuffle.partitions 2
spark.ui.enabled false
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
"""

PAGES = {page: blocks((ROOT / page).read_text(encoding="utf-8"), page) for page in pages()}
BLOCKS = [block for found in PAGES.values() for block in found]


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """The tables of make demo, prepared by the demo itself."""
    folder = tmp_path_factory.mktemp("demo")
    demo.prepare(folder)
    return folder


@pytest.fixture
def checkout(tables, tmp_path, monkeypatch):
    """A folder with what people have in a checkout, after make demo wrote its tables; everything runs in it."""
    # For the commands too, each of which is a process of its own.
    prepare_local()
    for name in ("conf", "jobs"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(tables, tmp_path / demo.FOLDER)
    monkeypatch.chdir(tmp_path)
    settings = tmp_path / "spark" / "spark-defaults.conf"
    settings.parent.mkdir()
    settings.write_text(SETTINGS)
    environment = {"SPARK_CONF_DIR": str(settings.parent), "SPARK_LOCAL_IP": "127.0.0.1"}
    for name, value in {**environment, "COLUMNS": "120", "NO_COLOR": "1", "MPLBACKEND": "Agg"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def works_in(spark, folder):
    """Let relative paths lead from a folder: the JVM has kept the one in which it was started."""
    hadoop = spark._jvm.org.apache.hadoop.fs
    hadoop.FileSystem.get(spark._jsc.hadoopConfiguration()).setWorkingDirectory(hadoop.Path(str(folder)))


@pytest.mark.parametrize("page", [page for page, found in PAGES.items() if found])
def test_the_blocks_of_a_page_run(page, checkout, request):
    if any(block.language == "python" and "SparkSession" in block.text for block in PAGES[page]):
        works_in(request.getfixturevalue("spark"), checkout)
    run(PAGES[page], checkout)


def run(found, folder):
    """Run the blocks of a page, each compared with its output if the page has that."""
    reader = Reader(folder)
    for block in found:
        printed = reader.read[block.language](block)
        if block.output is not None:
            assert agrees(block.output, printed), f"{block} prints\n{printed}\nwhere the page has\n{block.output}"


class Reader:
    """Somebody who does all that a page says."""

    def __init__(self, folder):
        self.folder = folder
        self.namespace = {"__name__": "__main__"}
        self.read = {
            "python": self.run_python,
            "sh": self.run_commands,
            "yaml": self.read_yaml,
            "sql": self.read_sql,
            "json": self.read_json,
            "text": self.look,
        }

    def run_python(self, block):
        code = "\n".join("" if line.startswith("%") else line for line in block.text.splitlines())
        # As many lines before it as on the page, so that a traceback leads there.
        code = compile("\n" * (block.line - 1) + code, str(ROOT / block.page), "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, self.namespace)  # noqa: S102 — that is what this is for
        return printed.getvalue()

    def run_commands(self, block):
        script = "\n".join(command for command in commands(block.text) if elsewhere(command) is None)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],  # noqa: S607 — the bash of whoever reads the page
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{block} ends with status {done.returncode}:\n{done.stdout}{done.stderr}"
        return done.stdout

    def read_yaml(self, block):
        """A block of YAML is a policy or a file of releases."""
        content = yaml.safe_load(block.text)
        path = self.folder / "block.yaml"
        path.write_text(block.text, encoding="utf-8")
        if "datasets" in content:
            read_policy(path)
        else:
            assert "releases" in content, f"{block} is neither a policy nor a file of releases"
            read_releases(path, date(2026, 11, 30))
        return ""

    def read_sql(self, block):
        """Every paragraph of a block of SQL is a query."""
        for query in block.text.split("\n\n"):
            sql.read(query)
        return ""

    def read_json(self, block):
        json.loads(block.text)
        return ""

    def look(self, block):
        return ""


def elsewhere(command):
    """The entry for a command that is not run here; None if it is."""
    return next((known for known in (*IN_CI, *BY_HAND) if command == known or command.startswith(f"{known} ")), None)


def test_every_block_has_a_language():
    languages = Reader(ROOT).read
    assert not [f"{block}: {block.language!r}" for block in BLOCKS if block.language not in languages]


def shell_commands():
    for block in BLOCKS:
        if block.language == "sh":
            yield from commands(block.text)
        elif block.language == "python":
            yield from (line for line in block.text.splitlines() if line.startswith("%"))


def test_what_is_not_run_is_listed_and_nothing_else_is():
    used = {elsewhere(command) for command in shell_commands()} - {None}
    assert used == {*IN_CI, *BY_HAND}
    # A command of make that is not listed would build an environment in the test's checkout.
    assert not [command for command in shell_commands() if command.startswith(("make", "%")) and not elsewhere(command)]


@pytest.mark.parametrize(("command", "place"), IN_CI.items())
def test_what_is_said_to_run_in_ci_does(command, place):
    target = command.removeprefix("make ")
    makefile = (ROOT / "Makefile").read_text()
    if place == ".ci/run":
        assert re.search(rf"^make {target}\b", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    else:
        needed = re.search(rf"^{place.removeprefix('make ')}:(.*)$", makefile, re.MULTILINE)[1].split()
        assert target in needed
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_commands_of_make_and_extras_of_pip_exist():
    makefile, project = (ROOT / "Makefile").read_text(), (ROOT / "pyproject.toml").read_text()
    for command in shell_commands():
        for target in re.findall(r"^make ([\w-]+)", command):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), command
        for extras in re.findall(r"pip install .*\[([\w,-]+)\]", command):
            for extra in extras.split(","):
                assert re.search(rf"^{extra} = \[", project, re.MULTILINE), command


def test_links_of_the_pages_outside_the_site_lead_somewhere():
    for page in PAGES:
        if page.startswith("docs/"):
            continue  # mkdocs --strict holds those
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / page).read_text(encoding="utf-8")):
            assert "://" in target or (ROOT / target).exists(), f"{page} links to {target}"


def test_the_reference_has_every_public_name():
    import spark_dp

    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^::: spark_dp\.(\w+)$", text, re.MULTILINE))
    assert set(spark_dp.__all__) - {"__version__"} <= listed


def commands_of(group, name):
    for word, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands_of(command, f"{name} {word}")
        else:
            yield f"{name} {word}", command


def test_the_page_of_the_command_line_has_every_command_and_no_unknown_option():
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    found = dict(commands_of(typer.main.get_command(app), "spark-dp"))
    assert not [command for command in found if f"`{command}" not in text]
    options = {"--help", "--install-completion"}
    for command in found.values():
        for parameter in command.params:
            options |= {*parameter.opts, *parameter.secondary_opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text)) <= options


def page_of(text, folder):
    run(blocks(text, "page.md"), folder)


def test_an_output_is_compared(tmp_path):
    page = "```python\nprint(1)\nprint(2)\n```\n\n```text\n{}\n```\n"
    for right in ("1\n2", "…\n2", "1…"):
        page_of(page.format(right), tmp_path)
    for wrong in ("1\n3", "1", "…\n3"):
        with pytest.raises(AssertionError, match=r"page\.md, line 2 prints"):
            page_of(page.format(wrong), tmp_path)
    page_of("```json\n{}\n```\n\n```text\nan example\n```", tmp_path)
    page_of(page.replace("\n\n```text", "\n\nSuch as:\n\n```text").format("5"), tmp_path)


def test_blocks_of_python_share_names_and_tell_their_line(tmp_path):
    page_of("```python\na = 1\n```\ntext\n```python\nassert a == 1\n```", tmp_path)
    with pytest.raises(ZeroDivisionError) as error:
        page_of("text\n\n```python\n\n1 / 0\n```", tmp_path)
    assert error.traceback[-1].lineno + 1 == 5


def test_commands_run_in_order_and_their_failure_is_one(tmp_path):
    page_of("```sh\n# a comment\nX=1\necho \\\n  $X > file\ncat file\n```\n```text\n1\n```", tmp_path)
    for failing in ("false\necho 1", "false | cat", "echo $UNSET"):
        with pytest.raises(AssertionError, match="ends with status"):
            page_of(f"```sh\n{failing}\n```", tmp_path)
    page_of("```sh\npip install no-such-package\nmake demo\n```", tmp_path)
    assert elsewhere("make demonstration") is None


def test_other_languages_are_read(tmp_path):
    page_of("```sql\nSELECT DP_SAMPLE(a, 1) FROM t\n\nSELECT DP_HISTOGRAM(a, 1) FROM t\n```", tmp_path)
    with pytest.raises(QueryError):
        page_of("```sql\nSELECT DP_SAMPLE(a, 1) FROM t\n\nSELECT a FROM t\n```", tmp_path)
    with pytest.raises(PolicyError):
        page_of("```yaml\ndatasets: {}\n```", tmp_path)
    with pytest.raises(AssertionError, match="neither a policy"):
        page_of("```yaml\nother: {}\n```", tmp_path)
    page_of('```yaml\n--8<-- "conf/privacy.yaml"\n```', tmp_path)
    with pytest.raises(ValueError, match="Expecting"):
        page_of("```json\n{\n```", tmp_path)
