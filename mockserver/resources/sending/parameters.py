"""The parameters of an e-mail: `{{ params.NAME }}` in its texts stands for a value (contract/sending#params)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

#: The most characters of a text that is filled in. Chosen: as many as the body of a request has.
_LONGEST = 10 * 1024 * 1024
_OPEN, _CLOSE = "{{", "}}"


class TooLongError(ValueError):
    """A text would be too long with the values of its parameters."""


def filled_in(text: str, params: Mapping[str, Any]) -> str:
    """A text with the values of parameters in their places; a parameter without a value leaves nothing.

    What else stands in braces is left as it is.

    Raises:
        TooLongError: the text would be too long.
    """
    if _OPEN not in text:
        return text  # and no copy of it: thousands of e-mails may share one
    found: list[str] = []
    length = 0
    for piece in _pieces(text, params):
        length += len(piece)
        if length > _LONGEST:
            raise TooLongError(f"with its params a text of the e-mail would be longer than {_LONGEST:,} characters")
        found.append(piece)
    return "".join(found)


def _pieces(text: str, params: Mapping[str, Any]) -> Iterator[str]:
    position = 0
    while (start := text.find(_OPEN, position)) >= 0:
        end = text.find(_CLOSE, start)
        if end < 0:
            break
        name = text[start + len(_OPEN) : end].strip()
        after = end + len(_CLOSE)
        root, dot, path = name.partition(".")
        yield text[position:start]
        yield _value(path, params) if (root, dot) == ("params", ".") else text[start:after]
        position = after
    yield text[position:]


def _value(path: str, params: Mapping[str, Any]) -> str:
    """The value at a path of names with dots between them, as a text; empty if there is none."""
    found: Any = params
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    if found is None or isinstance(found, Mapping | list):
        return ""
    return str(found).lower() if isinstance(found, bool) else str(found)
