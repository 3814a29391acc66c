"""The pattern of a stub's path: where it may lead, and that it leads to no operation of the mock."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from marshmallow import ValidationError, fields

from mockserver.core.contract.operation import Operation
from mockserver.core.state.stubs import is_parameter
from mockserver.resources.registry import OPERATIONS

#: The longest pattern, in characters. Chosen: longer than any path of the API.
_LONGEST = 500
_PREFIX = "/v3/"
_PARAMETER = re.compile(r"\{[A-Za-z_][\w.-]{0,63}\}", re.ASCII)
#: What no segment of a decoded path is written with: what begins a query, a fragment, or an encoded character.
_NOT_FIXED = frozenset("{}?#%\\")


class Pattern(fields.String):
    """The path of a stub: segments behind `/v3/`, of which `{name}` stands for any one."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        why = _why_none(text)
        if why is not None:
            raise ValidationError(why)
        return text


def _why_none(text: str) -> str | None:
    """Why a text is no pattern, or None if it is one."""
    if len(text) > _LONGEST:
        return f"must be a path of at most {_LONGEST} characters"
    if not text.startswith(_PREFIX):
        return f"must be a path that begins with {_PREFIX}, such as /v3/contacts/{{email}}"
    names = set()
    for segment in text.split("/")[2:]:
        if is_parameter(segment) and _PARAMETER.fullmatch(segment):
            if segment in names:
                return f"duplicate parameter {segment}"
            names.add(segment)
        elif not segment or not segment.isprintable() or not _NOT_FIXED.isdisjoint(segment):
            return f"{segment!r} is not a segment of a path, expected text, or a whole parameter in braces"
    return None


def shadowed(method: str, path: str) -> Operation | None:
    """The first operation of the mock for which a stub of this method and path could answer, or None."""
    given = path.split("/")
    return next(
        (row for row in OPERATIONS.values() if row.method == method and overlap(given, row.path.split("/"))), None
    )


def overlap(given: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether there is a path that two patterns fit, given by their segments."""
    return len(given) == len(wanted) and all(
        one == other or is_parameter(one) or is_parameter(other) for one, other in zip(given, wanted, strict=True)
    )
