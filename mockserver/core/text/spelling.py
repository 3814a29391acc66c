"""Advice on a name that nobody knows: the known one that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

#: Longer names are no slips of the pen.
_LONGEST = 100
#: How many known names are looked at: where a document has made them, there may be any number.
_MOST_KNOWN = 200
#: How much of the known names is told.
_MOST = 400


def meant(name: object, known: Iterable[str]) -> str | None:
    """The known name that is most like this one; None if none is like it."""
    import difflib  # noqa: PLC0415  # for mistakes only

    if not isinstance(name, str) or len(name) > _LONGEST:
        return None
    folded = {other.lower(): other for other in islice(known, _MOST_KNOWN)}
    near = difflib.get_close_matches(name.lower(), folded, n=1)
    return folded[near[0]] if near else None


def nearest(name: object, known: Iterable[str]) -> str:
    """The known name that is most like an unknown one, or else all of them, as the end of a sentence."""
    known = list(known)
    near = meant(name, known)
    return f"did you mean {near}?" if near else f"known are {cut(', '.join(sorted(known)), _MOST)}"


def cut(text: str, longest: int) -> str:
    """A text of so many characters at most."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
