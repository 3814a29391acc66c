"""What a seed of `vary` has drawn for a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Draw(NamedTuple):
    """A legal difference from the usual answers: an option of `behaviour:`, or a rule of `faults:`."""

    name: str
    #: The difference as the end of a sentence, with the entry and its mark in brackets.
    says: str
    #: The entry of a scenario: `{"behaviour": {...}}` or `{"faults": [...]}`.
    entry: Mapping[str, Any]


class Varied(NamedTuple):
    seed: int
    draws: tuple[Draw, ...]
    #: Whether the journal has a line of each draw.
    announced: bool = False
