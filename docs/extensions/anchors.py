"""Anchors that a page has made itself, `<a id="name"></a>`, and links to them.

GitHub and the pages of a running server show them as they are. Sphinx knows headings only: here a link to such an
anchor becomes HTML. That it leads somewhere is tested where all links are, in tests/docs.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from sphinx.application import Sphinx

_ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')
#: In a heading, from where Sphinx would copy it into every list of contents.
_IN_HEADING = re.compile(r'^(#+) (<a id="[\w-]+"></a>)', re.MULTILINE)
_LINK = re.compile(r"\[([^\]\n]+)\]\(([\w./-]*\.md)?#([\w-]+)\)")
_COMMENT = re.compile(r"^<!-- (?:generated|example|server): .* -->\n|^<!-- end -->\n?", re.MULTILINE)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", _rewrite)
    return {"parallel_read_safe": True}


def _rewrite(app: Sphinx, name: str, source: list[str]) -> None:
    here = Path(app.srcdir, f"{name}.md")
    text = _LINK.sub(lambda link: _link(link, here), source[0])
    text = _COMMENT.sub("", text)
    source[0] = _IN_HEADING.sub(r"\2\n\n\1 ", text)


def _link(link: re.Match[str], here: Path) -> str:
    text, path, anchor = link.groups()
    if anchor not in _anchors(here.parent / path if path else here):
        return link[0]
    page = path.removesuffix(".md") + ".html" if path else ""
    return f'<a href="{page}#{anchor}">{text}</a>'


@cache
def _anchors(page: Path) -> frozenset[str]:
    return frozenset(_ANCHOR.findall(page.read_text(encoding="utf-8"))) if page.is_file() else frozenset()
