"""Numbers in the address of a page."""

from __future__ import annotations

from typing import NamedTuple

from flask import request

#: The most digits of a number; no list of a page is that long.
_DIGITS = 9


class Asked(NamedTuple):
    """A number of the address, and a sentence where what stands there is none."""

    number: int
    mistake: str


def asked(name: str) -> Asked:
    """The number that the address gives `name`: after how many rows a list begins. It is 0 where there is none."""
    text = request.args.get(name, "")
    if not text:
        return Asked(0, "")
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS:
        return Asked(int(text), "")
    return Asked(0, f"The list begins at its start: {name} is no number.")
