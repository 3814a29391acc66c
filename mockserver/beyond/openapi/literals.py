"""Values that mean themselves, in the language of stubs, where a text may be a template."""

from __future__ import annotations

import json
from typing import Any

#: What begins an expression, a statement and a comment of a template.
_OPENINGS = ("{{", "{%", "{#")


def literal(value: Any) -> Any:
    """A value whose texts are given back as they are: one that would be a template becomes one that gives the text."""
    if isinstance(value, dict):
        return {name: literal(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [literal(inner) for inner in value]
    if isinstance(value, str) and any(opening in value for opening in _OPENINGS):
        return f"{{{{ {json.dumps(value, ensure_ascii=False)} }}}}"
    return value
