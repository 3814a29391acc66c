"""The text of an HTML page, with the little Markdown that a reply has; lines of a quotation begin with `>`."""

from __future__ import annotations

import re
from html import unescape

#: What a browser does not show of a page.
_UNSEEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<head\b.*?(?:</head\s*>|(?=<body\b)|\Z)"
    r"|<(script|style|title)\b.*?(?:</\1\s*>|\Z)|<[!?][^>]*>?",
    re.DOTALL | re.IGNORECASE,
)
#: A tag, or the text up to the next one; matching looks at each character once, whatever the page is.
_TOKEN = re.compile(r"<(?P<end>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9]*+)(?P<attributes>[^<>]*+)>|<?[^<]++|<")
_TARGET = re.compile(r"""\bhref\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"']++)""", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f\xa0]+")
#: Tags that begin a line of their own, and those of them that a blank line separates from the rest.
_BLOCKS = frozenset({"blockquote", "br", "div", "h1", "h2", "h3", "h4", "li", "ol", "p", "table", "tr", "ul"})
_APART = frozenset({"blockquote", "h1", "h2", "h3", "h4", "p", "table"})
#: The Markdown for a tag, before its content, and after it as well unless it is an item of a list.
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "li": "- "}


def text_of(page: str) -> str:
    """The text of an HTML page, found in linear time whatever the page is."""
    reader = _Reader()
    for token in _TOKEN.finditer(_UNSEEN.sub("", page)):
        reader.read(token)
    return "".join(reader.pieces)


class _Reader:
    """Collects the text of a page, tag by tag."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._quoted = 0
        self._links: list[str] = []

    def read(self, token: re.Match[str]) -> None:
        """Take the next tag, or the text up to it."""
        tag = (token["tag"] or "").lower()
        if not tag:
            self._say(_SPACE.sub(" ", unescape(token[0])))
        elif token["end"]:
            self._end(tag)
        else:
            self._begin(tag, token["attributes"])

    def _begin(self, tag: str, attributes: str) -> None:
        self._quoted += tag == "blockquote"
        self._break(tag)
        if tag == "a":
            target = _TARGET.search(attributes)
            self._links.append(unescape(target[1].strip("\"'")) if target else "")
            self._say("[" if target else "")
        self._say(_MARKS.get(tag, ""))

    def _end(self, tag: str) -> None:
        self._quoted -= tag == "blockquote" and self._quoted > 0
        if tag == "a" and self._links:
            target = self._links.pop()
            self._say(f"]({target})" if target else "")
        if tag != "li":
            self._say(_MARKS.get(tag, ""))
        if tag != "br":
            self._break(tag)

    def _break(self, tag: str) -> None:
        """Begin a new line, or a new paragraph."""
        if tag not in _BLOCKS:
            return
        if tag == "br" or (self.pieces and self.pieces[-1] != "\n"):
            self.pieces.append("\n")
        if tag in _APART and self.pieces and self.pieces[-2:] != ["\n", "\n"]:
            self.pieces.append("\n")

    def _say(self, text: str) -> None:
        is_new = not self.pieces or self.pieces[-1] == "\n"
        text = text.lstrip(" ") if is_new else text
        if text:
            self.pieces.append(f"{'> ' if is_new and self._quoted else ''}{text}")
