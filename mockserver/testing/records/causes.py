"""What has caused something, or was caused."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Cause(NamedTuple):
    """A thing that has caused something, or was caused: its kind and its id."""

    kind: Literal["request", "mail", "delivery", "timer", "control"]
    #: As text, even where it is a number.
    id: str
