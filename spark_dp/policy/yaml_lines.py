"""YAML as people mean it, with the line of every key.

Only true and false are booleans, and only plain decimal digits are numbers: PyYAML's own reading makes false of
NO, eight of 010 and 750 of 12:30, each of which may be a value of a column. Numbers with a point stay decimals.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import yaml

from spark_dp.errors import PolicyError

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """What a file holds.

    Args:
        name: of the file, for messages.
        content: its values.
        lines: the line of each key and item, by the way to it.
    """

    name: str
    content: Any
    lines: dict[Place, int]

    def line(self, place: Place) -> int:
        """The line of a key, or of the nearest around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def error(self, place: Place, problem: str) -> str:
        """One line about what is wrong where."""
        return f"{self.name}:{self.line(place)}: {'.'.join(map(str, place)) or 'the file'}: {problem}"


class _Loader(yaml.SafeLoader):
    """Strict about what is no text."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("null", r"null|~|", ["n", "~", ""]),
    ("int", r"-?(0|[1-9][0-9]*)", "-0123456789"),
    ("decimal", r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", "-0123456789"),
    ("timestamp", r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9:.]+([+-][0-9:]+|Z)?)?", "0123456789"),
    ("merge", r"<<", "<"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), list(_first))


def _moment(_loader: yaml.SafeLoader, node: yaml.ScalarNode) -> date | datetime:
    text = node.value.replace("Z", "+00:00")
    try:
        return date.fromisoformat(text) if len(text) == len("2026-11-30") else datetime.fromisoformat(text)
    except ValueError:
        raise yaml.MarkedYAMLError(problem=f"{node.value!r} is no date", problem_mark=node.start_mark) from None


_Loader.add_constructor("tag:yaml.org,2002:decimal", lambda _loader, node: Decimal(node.value))
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _moment)


def load(text: str, name: str) -> Document:
    """The values of a text and their lines.

    Raises:
        PolicyError: if it is no YAML, or a key stands twice.
    """
    loader = _Loader(text)
    lines: dict[Place, int] = {}
    try:
        root = loader.get_single_node()
        if root is None:
            raise PolicyError(f"{name}:1: the file is empty.")
        _walk(root, (), lines, name)
        content = loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise PolicyError(f"{name}:{mark.line + 1 if mark else 1}: this is no YAML: {error.problem}.") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise PolicyError(f"{name}:1: this is no YAML: {str(error).splitlines()[0]}.") from None
    return Document(name, content, lines)


def _walk(node: yaml.Node, place: Place, lines: dict[Place, int], name: str) -> None:
    """Note the line of everything in a node."""
    lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            _walk(item, (*place, number), lines, name)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner, line = (*place, key.value), key.start_mark.line + 1
            if inner in lines:
                raise PolicyError(f"{name}:{line}: {'.'.join(map(str, inner))}: this key stands twice.")
            lines[inner] = line
            _walk(value, inner, lines, name)
