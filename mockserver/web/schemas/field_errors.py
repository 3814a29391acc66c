"""What is wrong with one member of a body, a query or a path, as marshmallow carries it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from marshmallow import ValidationError

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ErrorCode
from mockserver.core.text.messages import nearest

#: How many errors of a list or a mapping are looked for. Chosen: nobody corrects more in one go, and a body of a
#: million bad items is refused as fast as one of a hundred.
MOST_FIELD_ERRORS = 100


class FieldError:
    """What is wrong with one value: in a `ValidationError` of marshmallow in the place of a text."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        self.code, self.text = code, text

    def __repr__(self) -> str:
        return self.text


class Sentence(FieldError):
    """A field error whose text is a whole documented message, which is given as it is."""


#: A required member is absent.
MISSING = FieldError(MISSING_PARAMETER, "Missing data for required field.")


def invalid(text: str) -> ValidationError:
    """An error of marshmallow with one field error, `invalid_parameter`."""
    return ValidationError([FieldError(INVALID_PARAMETER, text)])


class Unknown:
    """The error of a member that a schema does not know; the name that was probably meant is looked for when asked."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self._name, self._known = name, known

    def __str__(self) -> str:
        return f"unknown key; {nearest(self._name, self._known)}"


class BadName:
    """The error of a member's name, in a mapping of any names."""

    def __init__(self, error: object) -> None:
        self.text = str(error)

    def __str__(self) -> str:
        return f"as a name: {self.text}"


class Unread:
    """Among the errors of a list or a mapping: so many of its items were not looked at, as others have many errors."""

    def __init__(self, count: int) -> None:
        self.count = count


def field_errors_in(errors: Any) -> int:
    """How many errors there are in the messages of a `ValidationError`."""
    if isinstance(errors, Mapping):
        return sum(map(field_errors_in, errors.values()))
    return sum(map(field_errors_in, errors)) if isinstance(errors, list) else 1
