"""`/_mock/docs/*.md`: the documents that the sources in `/_mock/fidelity` link to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape

from flask import Response

from mockserver.control.framework import off_loop
from mockserver.control.framework.problem import Problem
from mockserver.control.framework.resource import ControlResource
from mockserver.settings import data_folder

PAGES = ControlResource("pages", "/_mock/docs", in_workspace=False)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
</head>
<body>
<main><pre style="white-space: pre-wrap">{text}</pre></main>
</body>
</html>
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

#: A comment that marks a generated part for the program that writes it.
_COMMENT = re.compile(r"<!-- [^>]{1,80} -->\n")
#: An anchor, and a link to an anchor or to another document, as they are written once the text is escaped.
_ANCHOR = re.compile(r'&lt;a id="([\w-]{1,80})"&gt;&lt;/a&gt;')
_LINK = re.compile(r"\[([^\]\[]{1,120})\]\(((?:(?:\.\./|contract/)?[\w-]{1,80}\.md)?(?:#[\w-]{1,80})?)\)")


@PAGES.call("GET", "/ledger.md", media=("text/html",), is_open=True)
def ledger() -> Response:
    """How sure the facts of the contract are, and how the evidence was gathered."""
    return _answer("ledger.md")


@PAGES.call("GET", "/contract/<name>", media=("text/html",), is_open=True)
def contract(name: str) -> Response:
    """A page of the contract: the sources of the fidelity record lead to its anchors; `README.md` is the index."""
    return _answer(f"contract/{name}")


def _answer(path: str) -> Response:
    page = off_loop.made_once(pages).get(path)
    if page is None:
        raise Problem(404, f"there is no {path!r} here")
    return Response(page, headers={"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff"})


@cache
def pages() -> Mapping[str, str]:
    """Every document as HTML, by its path below `docs`: its Markdown text, with working links and anchors."""
    folder = data_folder("docs")
    paths = [folder / "ledger.md", *folder.glob("contract/*.md")]
    return {path.relative_to(folder).as_posix(): _page(path.read_text(encoding="utf-8")) for path in paths}


def _page(text: str) -> str:
    text = escape(_COMMENT.sub("", text), quote=False)
    title = text.partition("\n")[0].removeprefix("# ")
    return _PAGE.format(title=title, text=_LINK.sub(r'<a href="\2">\1</a>', _ANCHOR.sub(r'<a id="\1"></a>', text)))
