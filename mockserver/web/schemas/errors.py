"""The refusal of a path, a query or a body that its schema does not take: one error, and a reason for the journal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from marshmallow import ValidationError, validate

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ErrorCode, ServiceError
from mockserver.core.state import reasons
from mockserver.core.text.messages import counted, nearest

#: The names of members and the numbers of items that lead to a value.
Keys = tuple[str | int, ...]

#: The member of a body whose number is a secret: a one-time code.
_CODE = ("otp",)
#: How many characters of an error's text a reason shows. Chosen: the longest list of choices is shorter.
_LONGEST = 500


class Location(StrEnum):
    """A part of a request that a schema reads; the value is the word of a reason for it."""

    PATH = "path"
    QUERY = "query"
    BODY = "body"

    @property
    def noun(self) -> str:
        """The word for one value in it."""
        return "field" if self is Location.BODY else "parameter"


def refusal(errors: Mapping[Any, Any], location: Location, data: Mapping[str, Any]) -> ServiceError:
    """The one error that the service gives for all that marshmallow found: the first missing member, else the first.

    `errors` are the messages of a `ValidationError`, and `data` is what was loaded.
    """
    all_errors = list(_field_errors(errors, ()))
    keys, error = next((found for found in all_errors if found[1].code is MISSING_PARAMETER), all_errors[0])
    others = [_path(other) for other, _ in all_errors if other != keys]
    also = f"; also wrong: {reasons.fields(dict.fromkeys(others))}" if others else ""
    return _service_error(_path(keys), error).because(f"{_reason(keys, error, location, data)}{also}")


def _service_error(path: str, error: FieldError) -> ServiceError:
    if error is MISSING:
        # The words of the documented example, contract/corporate#createSubAccount.
        return MISSING_PARAMETER(f"Missing {path} attribute in the request")
    return error.code(error.text if isinstance(error, Sentence) or not path else f"{path}: {error.text}")


def _reason(keys: Keys, error: FieldError, location: Location, data: Mapping[str, Any]) -> str:
    """What is wrong with a value; of a value in a body only the type is shown, as the body may hold secrets."""
    place = f"{location.noun} {reasons.fields([_path(keys)])} in the {location}"
    if error is MISSING:
        beside, parent = _value_at(keys[:-1], data), reasons.fields([_path(keys[:-1])]) if keys[:-1] else "it"
        return f"missing {place} ({f'{parent} has {reasons.fields(beside)}' if beside else f'{parent} is empty'})"
    value = _value_at(keys, data)
    given = summary(value, secret=keys[-1:] == _CODE) if location is Location.BODY else reasons.shown(value)
    return f"invalid {place}: {reasons.shown(error.text, _LONGEST)} (got {given})"


def _value_at(keys: Keys, data: Any) -> Any:
    """The value to which these keys lead, or None if they lead to none."""
    try:
        for key in keys:
            data = data[key]
    except (LookupError, TypeError):
        return None
    return data


def summary(value: object, *, secret: bool = False) -> str:
    """A JSON value in words, without its content: `a string of 8 characters`; a number is shown unless `secret`."""
    match value:
        case None | bool():
            return json.dumps(value)
        case int() | float():
            return f"a number of {counted(len(str(value)), 'character')}" if secret else f"the number {value}"
        case str():
            return f"a string of {counted(len(value), 'character')}"
        case list():
            return f"an array of {counted(len(value), 'item')}"
    return "an object"


def _field_errors(errors: Any, keys: Keys) -> list[tuple[Keys, FieldError]]:
    """All errors in the messages of a `ValidationError`, each with the keys of its value."""
    if isinstance(errors, FieldError):
        return [(keys, errors)]
    if isinstance(errors, str):
        return [(keys, FieldError(INVALID_PARAMETER, errors.removesuffix(".")))]
    if isinstance(errors, Mapping):
        return [
            found
            for key, inner in errors.items()
            for found in _field_errors(inner, keys if key == "_schema" else (*keys, key))
        ]
    if isinstance(errors, Unread):
        return []
    return [found for inner in errors for found in _field_errors(inner, keys)]


def _path(keys: Keys) -> str:
    """Keys as one text: `ips[0].weight`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


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
