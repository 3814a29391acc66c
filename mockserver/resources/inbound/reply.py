"""What somebody has written in a mail, apart from what is quoted and from the signature."""

from __future__ import annotations

from mockserver.resources.inbound import html_text

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
    return extract(html_text.text_of(page[:_LONGEST]))


def _tidy(lines: list[str]) -> str:
    """Lines without what is blank at their ends, and no more than one blank line in a row."""
    bare = [line.rstrip() for line in lines]
    return "\n".join(line for line, above in zip(bare, ["", *bare], strict=False) if line or above).strip()
