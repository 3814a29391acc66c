"""The message of a reply: what its author has written, without quotations and without the signature."""

from __future__ import annotations

from mockserver.resources.inbound import html_text

#: Titles between dashes above the original mail, if it is quoted in one piece.
_ORIGINALS = ("original message", "forwarded message", "message d'origine", "ursprüngliche nachricht")
#: How the head of the original mail begins where a line of underscores is above it, which has so many of them at least;
#: chosen: fewer may be a blank to fill in.
_SENDERS = ("from: ", "de: ", "von: ")
_SHORTEST_RULE = 20
#: How an attribution begins, and how it ends before its colon: a sentence that says who wrote the quotation below it.
_BEGINNINGS = ("On", "Le", "Am", "El", "Il")
_ENDINGS = ("wrote", "a écrit", "escribió", "ha scritto")
#: The verb of a German attribution, which is not at its end.
_GERMAN = "schrieb"
#: How long a line of an attribution may be, in characters, of which mail programs make two at most; chosen: names and
#: addresses are shorter.
_LONGEST_ATTRIBUTION = 500
#: The lines that separate a signature, with the blank that they should end in, or without it.
_SIGNATURES = ("--", "-- ", "--\xa0")
#: How many characters of a mail are read, and how many lines are told apart: those beyond count as one; chosen: far
#: above what people write, and few enough that a hostile mail takes neither long nor much memory.
_LONGEST_TEXT, _MOST_LINES = 2_000_000, 100_000


def extract(text: str) -> tuple[str, str]:
    """The message of a plain-text mail, and its signature; takes linear time whatever the text is."""
    lines = text[:_LONGEST_TEXT].replace("\r\n", "\n").replace("\r", "\n").split("\n", _MOST_LINES)
    kept = _unquoted(lines[: _start_of_original(lines)])
    end = next((number for number, line in enumerate(kept) if line in _SIGNATURES), len(kept))
    return _tidy(kept[:end]), _tidy(kept[end + 1 :])


def _start_of_original(lines: list[str]) -> int:
    """The index of the line with which the original mail begins, or the number of lines if it is not quoted so."""
    found = (number for number, line in enumerate(lines) if _is_title(line) or _is_rule(lines, number))
    return next(found, len(lines))


def _is_title(line: str) -> bool:
    """Whether a line is a title such as `-----Original Message-----`."""
    bare = line.strip(" \t")
    is_framed = bare.startswith("--") and bare.endswith("--")
    return is_framed and bare.strip("-").strip(" \t").lower() in _ORIGINALS


def _is_rule(lines: list[str], number: int) -> bool:
    """Whether a line is one of underscores, and the head of a mail follows it."""
    bare = lines[number].strip(" \t")
    if len(bare) < _SHORTEST_RULE or bare.strip("_"):
        return False
    below = number + 1
    while below < len(lines) and not lines[below]:  # linear in all: blank lines follow one line of underscores only
        below += 1
    return below < len(lines) and lines[below].lower().startswith(_SENDERS)


def _unquoted(lines: list[str]) -> list[str]:
    """The lines without those of quotations, and without the attributions above these."""
    kept: list[str] = []
    #: Whether the next line below that is not blank is a quotation, or there is none: an attribution may be here.
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
    """Whether a line begins like an attribution."""
    word = line[:2]
    is_word = word in _BEGINNINGS and not (line[2:3].isalnum() or line[2:3] == "_")
    return is_word and len(line) <= _LONGEST_ATTRIBUTION


def _is_ending(line: str) -> bool:
    """Whether a line ends like an attribution."""
    bare = line.rstrip(" \t")
    if not bare.endswith(":") or len(bare) > _LONGEST_ATTRIBUTION:
        return False
    bare = bare[:-1].removesuffix(" ").removesuffix("\xa0")
    return bare.endswith(_ENDINGS) or _GERMAN in bare


def extract_html(page: str) -> tuple[str, str]:
    """The message of a mail that has only an HTML page, and its signature; takes linear time whatever the page is."""
    return extract(html_text.text_of(page[:_LONGEST_TEXT]))


def _tidy(lines: list[str]) -> str:
    """A text of the lines: no blanks at their ends, no more than one blank line in a row, none at the start or end."""
    bare = [line.rstrip() for line in lines]
    return "\n".join(line for line, above in zip(bare, ["", *bare], strict=False) if line or above).strip()
