"""Words by which a page is found: `<!-- search: rate limit, 429 -->` makes each an entry of the index.

GitHub and a running server hide the comment. The search of the site ranks an entry of the index above a word of the
text, and finds a number, such as 429, by an entry alone.
"""

from __future__ import annotations

import re

from sphinx.application import Sphinx

_WORDS = re.compile(r"^<!-- search: (.+) -->$", re.MULTILINE)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", _rewrite)
    return {"parallel_read_safe": True}


def _rewrite(_: Sphinx, __: str, source: list[str]) -> None:
    source[0] = _WORDS.sub(_directive, source[0])


def _directive(comment: re.Match[str]) -> str:
    """Return the directive of main entries, which Sphinx marks by an exclamation mark."""
    entries = ", ".join(f"!{word.strip()}" for word in comment[1].split(","))
    return f"```{{index}} {entries}\n```"
