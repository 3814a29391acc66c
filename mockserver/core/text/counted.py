"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, one: str) -> str:
    """A number with its noun: `1 e-mail`, `2 e-mails`."""
    return f"{number:,} {one if number == 1 else f'{one}s'}"
