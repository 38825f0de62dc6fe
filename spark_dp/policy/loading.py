"""A policy file, read and checked: each problem with file, line and key."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from spark_dp.errors import PolicyError, did_you_mean
from spark_dp.policy.model import Policy
from spark_dp.policy.yaml_lines import Document, Place, load

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Model = TypeVar("Model", bound=BaseModel)

#: What pydantic calls the kinds of a number.
_UNION = ("int", "decimal")


def read_policy(path: str | os.PathLike[str]) -> tuple[Policy, Document]:
    """The policy in a file, and the file's lines.

    Raises:
        PolicyError: if it cannot be read, or anything in it is wrong; all of that at once.
    """
    return read_file(path, Policy)


def read_file(path: str | os.PathLike[str], model: type[Model]) -> tuple[Model, Document]:
    """What a YAML file says in the form of a model, and the file's lines.

    Raises:
        PolicyError: if it cannot be read, or anything in it is wrong; all of that at once.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError(
            f"The file {os.fspath(path)!r} cannot be read: {getattr(error, 'strerror', error)}."
        ) from None
    document = load(text, os.fspath(path))
    try:
        return model.model_validate(document.content), document
    except ValidationError as error:
        problems = [(_place(told["loc"], document), _problem(told, model)) for told in error.errors()]
    # A union tells of each of its kinds that it is none.
    in_order = sorted(dict.fromkeys(problems), key=lambda told: document.line(told[0]))
    raise PolicyError("\n".join(document.error(*told) for told in in_order))


def _place(loc: Place, document: Document) -> Place:
    """The way to a key, without the names that pydantic has for the kinds of a union."""
    place: Place = ()
    for step in loc:
        if (*place, step) in document.lines:
            place = (*place, step)
    # What is missing or has no line of its own is named all the same.
    return place if place[-1:] == loc[-1:] or loc[-1] in _UNION else (*place, loc[-1])


def _problem(told: ErrorDetails, model: type[BaseModel]) -> str:
    if told["type"] == "extra_forbidden":
        return f"there is no such key. {did_you_mean(told['loc'][-1], _keys(told['loc'][:-1], model))}"
    if told["type"] == "missing":
        return "this key is missing."
    message = told["msg"].removeprefix("Value error, ")
    return message if message.endswith((".", "?")) else f"{message}."


def _keys(loc: Place, model: type[BaseModel]) -> Iterable[str]:
    """The keys of the part of a file at some place."""
    for step in loc:
        field = model.model_fields.get(str(step))
        inner = None if field is None else _model_in(field.annotation)
        # A name or a number of the file's own leads to no other model.
        model = inner or model
    return model.model_fields


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def unknown(kind: str, name: object, known: Iterable[str]) -> PolicyError:
    """The error for a name that the policy does not have."""
    return PolicyError(f"The policy has no {kind} {name!r}. {did_you_mean(name, known)}")
