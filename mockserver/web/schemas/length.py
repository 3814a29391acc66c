"""How long a text or a list may be."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, validate

from mockserver.web.schemas.field_errors import invalid


class Longest(validate.Length):
    """A validator of the length of one text or list; its member is not held to the bound of all texts and lists."""

    def __init__(self, longest: int) -> None:
        super().__init__(max=longest)
        self.longest = longest

    def __call__(self, value: Any) -> Any:
        if len(value) > self.longest:
            raise too_long(value, self.longest)
        return value


def too_long(value: str | list[Any], longest: int) -> ValidationError:
    """The error of a text or a list that is longer than `longest` characters or items."""
    return invalid(f"Longer than {longest:,} {'characters' if isinstance(value, str) else 'items'}")
