"""Texts of templates and campaigns, and the values that fill them (contract/templates#texts)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

#: The most characters of a filled text. Chosen: as many as the body of a request has.
LONGEST = 10 * 1024 * 1024
_OPEN, _CLOSE = "{{", "}}"
#: The roots of paths; all other texts in braces are left unchanged.
_ROOTS = ("params", "contact", "mirror")
_DEFAULT = re.compile(r"""default\s*:\s*(?:"([^"]*)"|'([^']*)')""")


class TooLongError(ValueError):
    """An error because values make a text too long."""


def filled_in(text: str, roots: Mapping[str, Any]) -> str:
    """Return a text with values filled in, such as `{{ params.NAME | default: "there" }}`.

    A text without values is returned itself: thousands of e-mails may share it. Missing values leave nothing, or the
    default. Values are filled in as they are, without escaping.

    Args:
        text: the text of a template, a campaign or an e-mail.
        roots: objects by `params` and `contact`, and a text by `mirror`; each may be missing.

    Raises:
        TooLongError: the text would be too long.
    """
    if _OPEN not in text:
        return text
    found: list[str] = []
    length = 0
    for piece in _pieces(text, roots):
        length += len(piece)
        if length > LONGEST:
            raise TooLongError(f"with its values a text of the e-mail would be longer than {LONGEST:,} characters")
        found.append(piece)
    filled = "".join(found)
    return text if filled == text else filled


def _pieces(text: str, roots: Mapping[str, Any]) -> Iterator[str]:
    position = 0
    while (start := text.find(_OPEN, position)) >= 0:
        end = text.find(_CLOSE, start)
        if end < 0:
            break
        after = end + len(_CLOSE)
        value = _value(text[start + len(_OPEN) : end], roots)
        yield text[position:start]
        yield text[start:after] if value is None else value
        position = after
    yield text[position:]


def _value(expression: str, roots: Mapping[str, Any]) -> str | None:
    """Return the value of a text in braces, or None if the text is left unchanged."""
    path, bar, filters = expression.partition("|")
    names = path.strip().split(".")
    default = _DEFAULT.fullmatch(filters.strip()) if bar else None
    is_path = names[0] in _ROOTS and (len(names) > 1) is (names[0] != "mirror")
    if not is_path or (bar and default is None):
        return None
    return _at(names, roots) or (default[1] or default[2] or "" if default else "")


def _at(names: list[str], roots: Mapping[str, Any]) -> str:
    """Return the text at a path, or an empty text."""
    found: Any = roots
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    if found is None or isinstance(found, Mapping | list):
        return ""
    return str(found).lower() if isinstance(found, bool) else str(found)
