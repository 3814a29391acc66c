"""Values of a document as a stub has to write them, where a text may be a template."""

from __future__ import annotations

import json
from typing import Any


def literal(value: Any) -> Any:
    """Return a value of a stub that answers this value: a text with braces becomes a template with the text in quotes.

    Braces within the quotes are escaped, so that nothing else there looks like a template.
    """
    if isinstance(value, dict):
        return {name: literal(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [literal(inner) for inner in value]
    if isinstance(value, str) and any(opening in value for opening in ("{{", "{%", "{#")):
        quoted = json.dumps(value, ensure_ascii=False).replace("{", "\\u007b").replace("}", "\\u007d")
        return f"{{{{ {quoted} }}}}"
    return value
