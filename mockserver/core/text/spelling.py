"""Advice on an unknown name: the known name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

#: The longest name that is compared, in characters. Chosen: above every known name; the comparison is quadratic.
_LONGEST = 100
#: How many known names are compared. Chosen: a document may define any number, and this many take some milliseconds.
_MOST_KNOWN = 400
#: The longest list of known names in a message, in characters. Chosen: a few lines of a terminal.
_LONGEST_LIST = 400


def meant(name: object, known: Iterable[str]) -> str | None:
    """The known name that is most like `name`, whatever its case, or None if none is like it."""
    import difflib  # noqa: PLC0415  # needed for refusals only

    if not isinstance(name, str) or len(name) > _LONGEST:
        return None
    folded = {other.lower(): other for other in islice(known, _MOST_KNOWN)}
    near = difflib.get_close_matches(name.lower(), folded, n=1)
    return folded[near[0]] if near else None


def nearest(name: object, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the known name most like it, or else the list of known names."""
    known = list(known)
    near = meant(name, known)
    return f"did you mean {near}?" if near else f"known: {cut(', '.join(sorted(known)), _LONGEST_LIST)}"


def cut(text: str, longest: int) -> str:
    """A text of at most `longest` characters; a longer one ends in an ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
