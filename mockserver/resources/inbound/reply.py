"""What somebody has written in a mail, apart from what is quoted and from the signature."""

from __future__ import annotations

import re
from html import unescape

#: What the mail that is answered stands below, in one piece: between dashes, or after a long line.
_ORIGINALS = ("original message", "forwarded message", "message d'origine", "ursprüngliche nachricht")
_SENDERS = ("from: ", "de: ", "von: ")
_SHORTEST_LINE = 20
#: Who has written what is quoted below: how such a sentence begins, and how it ends before its colon.
_BEGINNINGS = ("On", "Le", "Am", "El", "Il")
_ENDINGS = ("wrote", "a écrit", "escribió", "ha scritto")
_GERMAN = "schrieb"
#: How long a line of it may be, in characters; mail programs break it once.
_LONGEST_ATTRIBUTION = 500
_SIGNATURES = ("--", "-- ", "--\xa0")
#: How much of a mail is read, in characters, and how many lines of it are told apart: those beyond are one.
_LONGEST, _MOST_LINES = 2_000_000, 100_000

#: What nobody sees of a page.
_UNSEEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<head\b.*?(?:</head\s*>|(?=<body\b)|\Z)"
    r"|<(script|style|title)\b.*?(?:</\1\s*>|\Z)|<[!?][^>]*>?",
    re.DOTALL | re.IGNORECASE,
)
#: A tag, or the text up to the next one; each character is looked at once, whatever somebody sends.
_TOKEN = re.compile(r"<(?P<end>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9]*+)(?P<attributes>[^<>]*+)>|<?[^<]++|<")
_TARGET = re.compile(r"""\bhref\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"']++)""", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f\xa0]+")
_BLOCKS = frozenset({"blockquote", "br", "div", "h1", "h2", "h3", "h4", "li", "ol", "p", "table", "tr", "ul"})
_APART = frozenset({"blockquote", "h1", "h2", "h3", "h4", "p", "table"})
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "li": "- "}


def extract(text: str) -> tuple[str, str]:
    """What is written in a mail of text, and its signature; each line is looked at a few times, whatever it is."""
    lines = text[:_LONGEST].replace("\r\n", "\n").replace("\r", "\n").split("\n", _MOST_LINES)
    kept = _unquoted(lines[: _original(lines)])
    end = next((number for number, line in enumerate(kept) if line in _SIGNATURES), len(kept))
    return _tidy(kept[:end]), _tidy(kept[end + 1 :])


def _original(lines: list[str]) -> int:
    """At which line the mail begins that is answered; beyond the last one, if there is none."""
    found = (number for number, line in enumerate(lines) if _is_title(line) or _is_rule(lines, number))
    return next(found, len(lines))


def _is_title(line: str) -> bool:
    """Whether a line is `-----Original Message-----`."""
    bare = line.strip(" \t")
    is_framed = bare.startswith("--") and bare.endswith("--")
    return is_framed and bare.strip("-").strip(" \t").lower() in _ORIGINALS


def _is_rule(lines: list[str], number: int) -> bool:
    """Whether a long line is followed by the head of a mail."""
    bare = lines[number].strip(" \t")
    if len(bare) < _SHORTEST_LINE or bare.strip("_"):
        return False
    below = number + 1
    while below < len(lines) and not lines[below]:  # blank lines follow one rule only: none is passed over twice
        below += 1
    return below < len(lines) and lines[below].lower().startswith(_SENDERS)


def _unquoted(lines: list[str]) -> list[str]:
    """The lines without those that are quoted, and those that say who has written these."""
    kept: list[str] = []
    #: Whether what stands below, blank lines aside, is quoted, or nothing does.
    leads = True
    left = lines[:]
    while left:
        line = left.pop()
        if line.lstrip(" \t").startswith(">"):
            leads = True
        elif not line.strip():
            kept.append(line)
        elif leads and _is_ending(line) and (_is_beginning(line) or (left and _is_beginning(left[-1]))):
            if not _is_beginning(line):
                left.pop()
            leads = False
        else:
            kept.append(line)
            leads = False
    return kept[::-1]


def _is_beginning(line: str) -> bool:
    """Whether a line begins like one that says who has written what."""
    word = line[:2]
    is_word = word in _BEGINNINGS and not (line[2:3].isalnum() or line[2:3] == "_")
    return is_word and len(line) <= _LONGEST_ATTRIBUTION


def _is_ending(line: str) -> bool:
    """Whether a line ends like one that says who has written what."""
    told = line.rstrip(" \t")
    if not told.endswith(":") or len(told) > _LONGEST_ATTRIBUTION:
        return False
    told = told[:-1].removesuffix(" ").removesuffix("\xa0")
    return told.endswith(_ENDINGS) or _GERMAN in told


def extract_html(page: str) -> tuple[str, str]:
    """The same of a mail that is a page only."""
    reader = _Page()
    for token in _TOKEN.finditer(_UNSEEN.sub("", page[:_LONGEST])):
        reader.read(token)
    return extract("".join(reader.pieces))


def _tidy(lines: list[str]) -> str:
    """Lines without what is blank at their ends, and no more than one blank line in a row."""
    bare = [line.rstrip() for line in lines]
    return "\n".join(line for line, above in zip(bare, ["", *bare], strict=False) if line or above).strip()


class _Page:
    """Reads the text off a page, with the little Markdown that a reply has; what is quoted gets a `>`."""

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
