"""`/_mock/docs/*.md`: the documents that the sources in `/_mock/fidelity` link to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

from flask import Response

from mockserver.control.framework import off_loop
from mockserver.control.framework.problem import unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.core.traffic.exchange import Reply
from mockserver.settings import data_folder

PAGES = ControlResource("pages", "/_mock/docs", in_workspace=False)

#: A comment that marks a generated part for the program that writes it.
_COMMENT = re.compile(r"<!-- [^>]{1,80} -->\n")
#: An anchor, as it is written once the text is escaped.
_ANCHOR = re.compile(r"&lt;a id=&quot;([\w-]{1,80})&quot;&gt;&lt;/a&gt;")
#: What leads from a document to the top of all documents, by the number of folders that it is in.
_UP = ("", "../")
#: Where the ledger stands among the documents; it is served beside the folder of the contract.
_LEDGER = "truth/ledger.md"
#: How links between the ledger and the contract begin where they stand, and where they are served.
_SERVED = (('href="../truth/ledger.md', 'href="../ledger.md'), ('href="../contract/', 'href="contract/'))


@PAGES.call("GET", "/ledger.md", media=("text/html",), is_open=True)
def ledger() -> Response:
    """How sure the facts of the contract are, and how the evidence was gathered."""
    return _answer("ledger.md")


@PAGES.call("GET", "/contract/<name>", media=("text/html",), is_open=True)
def contract(name: str) -> Response:
    """A page of the contract: the sources of the fidelity record lead to its anchors; `README.md` is the index."""
    return _answer(f"contract/{name}")


def _answer(path: str) -> Response:
    if path not in _documents():
        raise unknown("page", path, "/_mock/docs/contract/README.md lists all")
    page = written().get(path)
    if page is None:
        off_loop.leave()
        page = written()[path] = _page(path)
    return Response(page.body, headers=dict(page.headers))


@cache
def _documents() -> Mapping[str, Path]:
    """The files of all documents, by the paths below `docs` at which they are served."""
    folder = data_folder("docs")
    pages = {page.relative_to(folder).as_posix(): page for page in folder.glob("contract/*.md")}
    return {"ledger.md": folder / _LEDGER, **pages}


@cache
def written() -> dict[str, Reply]:
    """The pages that were written so far, by their paths: each takes some ten milliseconds."""
    return {}


def _page(path: str) -> Reply:
    """The page of one of the documents."""
    from mockserver.web.pages.page import document  # noqa: PLC0415  # pages are not needed to start

    text = _COMMENT.sub("", _documents()[path].read_text(encoding="utf-8"))
    title = text.partition("\n")[0].removeprefix("# ")
    html = _ANCHOR.sub(r'<a id="\1"></a>', html_of(text))
    for standing, served in _SERVED:
        html = html.replace(standing, served)
    return document(title, html, _UP[path.count("/")])


def html_of(text: str) -> str:
    """A text in Markdown as HTML; HTML in it is text, and a heading without an anchor gets one, as on GitHub."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  # not needed to start

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(text)
    for heading, content in pairwise(tokens):
        if heading.type == "heading_open" and "<a id=" not in content.content:
            heading.attrSet("id", _anchor(content.content))
    rendered: str = reader.renderer.render(tokens, reader.options, {})
    # A wide table scrolls by itself, and not the page with it; what scrolls can be reached by keyboard.
    return rendered.replace(
        "<table>", '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>'
    ).replace("</table>", "</table></div>")


def _anchor(heading: str) -> str:
    """The anchor of a heading: its words in lower case, with dashes between them."""
    words = "".join(sign for sign in heading.lower() if sign.isalnum() or sign in " -_")
    return words.strip().replace(" ", "-")
