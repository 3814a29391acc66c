"""The message of a reply, without quotations and signature, from plain text or HTML; takes linear time."""

from __future__ import annotations

import re
from html import unescape

#: Titles between dashes above a quoted original mail.
_ORIGINALS = ("original message", "forwarded message", "message d'origine", "ursprüngliche nachricht")
#: First header of a quoted original mail below a line of underscores, and the minimum number of underscores; chosen:
#: fewer may be a blank to fill in.
_SENDERS = ("from: ", "de: ", "von: ")
_SHORTEST_RULE = 20
#: Beginnings and endings of an attribution, the sentence above a quotation that names its author.
_BEGINNINGS = ("On", "Le", "Am", "El", "Il")
_ENDINGS = ("wrote", "a écrit", "escribió", "ha scritto")
#: The verb of a German attribution, not at the end.
_GERMAN = "schrieb"
#: Maximum length of a line of an attribution in characters; chosen: names and addresses are shorter. Mail programs wrap
#: an attribution into two lines at most.
_LONGEST_ATTRIBUTION = 500
#: Separators of a signature, with or without the required blank.
_SIGNATURES = ("--", "-- ", "--\xa0")
#: Maximum characters of a mail, and maximum lines, after which the rest counts as one line; chosen: far above what
#: people write, with little time and memory for a hostile mail.
_LONGEST_TEXT, _MOST_LINES = 2_000_000, 100_000


def extract(text: str) -> tuple[str, str]:
    lines = text[:_LONGEST_TEXT].replace("\r\n", "\n").replace("\r", "\n").split("\n", _MOST_LINES)
    originals = (number for number, line in enumerate(lines) if _is_title(line) or _is_rule(lines, number))
    unquoted = _unquoted(lines[: next(originals, len(lines))])
    end = next((number for number, line in enumerate(unquoted) if line in _SIGNATURES), len(unquoted))
    return _tidy(unquoted[:end]), _tidy(unquoted[end + 1 :])


def _is_title(line: str) -> bool:
    bare = line.strip(" \t")
    is_framed = bare.startswith("--") and bare.endswith("--")
    return is_framed and bare.strip("-").strip(" \t").lower() in _ORIGINALS


def _is_rule(lines: list[str], number: int) -> bool:
    """Return whether a line consists of underscores, followed by the headers of a mail."""
    bare = lines[number].strip(" \t")
    if len(bare) < _SHORTEST_RULE or bare.strip("_"):
        return False
    below = number + 1
    while below < len(lines) and not lines[below]:  # linear: each blank line follows one line of underscores
        below += 1
    return below < len(lines) and lines[below].lower().startswith(_SENDERS)


def _unquoted(lines: list[str]) -> list[str]:
    """Return the lines without quotations and their attributions."""
    unquoted: list[str] = []
    #: Whether an attribution may be here: the next non-blank line is a quotation, or the mail ends.
    leads = True
    left = lines[:]
    while left:
        line = left.pop()
        if line.lstrip(" \t").startswith(">"):
            leads = True
        elif not line.strip():
            unquoted.append(line)
        elif leads and _is_ending(line) and (_is_beginning(line) or (left and _is_beginning(left[-1]))):
            if not _is_beginning(line):
                left.pop()
            leads = False
        else:
            unquoted.append(line)
            leads = False
    return unquoted[::-1]


def _is_beginning(line: str) -> bool:
    word = line[:2]
    is_word = word in _BEGINNINGS and not (line[2:3].isalnum() or line[2:3] == "_")
    return is_word and len(line) <= _LONGEST_ATTRIBUTION


def _is_ending(line: str) -> bool:
    bare = line.rstrip(" \t")
    if not bare.endswith(":") or len(bare) > _LONGEST_ATTRIBUTION:
        return False
    bare = bare[:-1].removesuffix(" ").removesuffix("\xa0")
    return bare.endswith(_ENDINGS) or _GERMAN in bare


def extract_html(page: str) -> tuple[str, str]:
    """Return the message of an HTML mail with some Markdown, and its signature; lines of quotations begin with `>`."""
    text = _TextCollector()
    for token in _TOKEN.finditer(_UNSEEN.sub("", page[:_LONGEST_TEXT])):
        text.add(token)
    return extract("".join(text.pieces))


def _tidy(lines: list[str]) -> str:
    """Join lines without trailing blanks, repeated blank lines, and blank lines at start and end."""
    bare = [line.rstrip() for line in lines]
    return "\n".join(line for line, above in zip(bare, ["", *bare], strict=False) if line or above).strip()


#: Invisible parts of a page.
_UNSEEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<head\b.*?(?:</head\s*>|(?=<body\b)|\Z)"
    r"|<(script|style|title)\b.*?(?:</\1\s*>|\Z)|<[!?][^>]*>?",
    re.DOTALL | re.IGNORECASE,
)
#: A tag, or the text up to the next tag, matched in linear time.
_TOKEN = re.compile(r"<(?P<end>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9]*+)(?P<attributes>[^<>]*+)>|<?[^<]++|<")
_TARGET = re.compile(r"""\bhref\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"']++)""", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f\xa0]+")
#: Tags that begin a line, and tags that begin a paragraph.
_BLOCKS = frozenset({"blockquote", "br", "div", "h1", "h2", "h3", "h4", "li", "ol", "p", "table", "tr", "ul"})
_APART = frozenset({"blockquote", "h1", "h2", "h3", "h4", "p", "table"})
#: Markdown before the content of a tag, and after it except for list items.
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "li": "- "}


class _TextCollector:
    """Collects the text of a page, tag by tag."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._quoted = 0
        self._links: list[str] = []

    def add(self, token: re.Match[str]) -> None:
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
