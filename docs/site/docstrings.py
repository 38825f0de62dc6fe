"""Docstrings as the site shows them: what is written for the terminal becomes Markdown."""

import re
import textwrap
from typing import Any

import griffe

_ROLE = re.compile(r":\w+:`~?([^`]+)`")
#: Lines from a prompt to the next empty one.
_DOCTEST = re.compile(r"^( *)>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


class Docstrings(griffe.Extension):
    """Makes links of references such as :func:`name`, and blocks of doctests."""

    def on_object(self, *, obj: griffe.Object, **_kwargs: Any) -> None:
        """Rewrite the docstring of whatever was found."""
        if obj.docstring is not None:
            obj.docstring.value = _DOCTEST.sub(_block, _ROLE.sub(_link, obj.docstring.value))


def _link(role: re.Match[str]) -> str:
    """A link where the whole name is given, which the reference has; what is near needs none."""
    name = role[1]
    return f"[`{name}`][{name}]" if name.startswith("spark_dp.") else f"`{name}`"


def _block(doctest: re.Match[str]) -> str:
    return textwrap.indent(f"```pycon\n{textwrap.dedent(doctest[0])}\n```", doctest[1])
