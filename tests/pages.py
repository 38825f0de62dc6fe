"""The pages that people read, and their blocks: what tests/docs runs."""

import re
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

_FENCE = re.compile(r"^( *)(`{3,}) *(\w*)[^`]*$")
_SNIPPET = re.compile(r'^--8<-- "(.+)"$', re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and where it begins.

    ``output`` is the block of text that comes next with nothing between, which is what this one prints.
    """

    page: str
    line: int
    language: str
    text: str
    output: str | None = None

    def __str__(self):
        return f"{self.page}, line {self.line}"


def pages():
    """All pages, from the root of the repository."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def blocks(text, page):
    """The blocks of a page, in order."""
    found, lines, number = [], text.splitlines(), 0
    # Whether anything stands between the last block that prints and this line.
    between = True
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        number += 1
        if fence is None:
            between = between or bool(lines[number - 1].strip())
            continue
        first = number
        while number < len(lines) and lines[number].strip() != fence[2]:
            number += 1
        content = textwrap.dedent("\n".join(lines[first:number]))
        block = Block(page, first + 1, fence[3], _SNIPPET.sub(_snippet, content))
        number += 1
        if block.language == "text" and not between:
            found[-1] = replace(found[-1], output=block.text)
        else:
            found.append(block)
        between = block.language not in ("python", "sh")
    return found


def _snippet(line):
    """The file that the site shows in place of such a line."""
    return (ROOT / line[1]).read_text(encoding="utf-8").rstrip("\n")


def commands(text):
    """The commands of a block for the shell, without comments, each on one line."""
    joined = re.sub(r" *\\\n *", " ", text)
    return [line.strip() for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def agrees(told, printed):
    """Whether a page tells what was printed; … stands for anything."""
    pattern = ".*".join(map(re.escape, _trimmed(told).split("…")))
    return re.fullmatch(pattern, _trimmed(printed), re.DOTALL) is not None


def _trimmed(text):
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
