"""Field errors, and the refusal of an invalid path, query or body."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from marshmallow import ValidationError, validate
from marshmallow.exceptions import SCHEMA

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ErrorCode, ServiceError
from mockserver.core.state import reasons
from mockserver.core.text.messages import counted, nearest
from mockserver.core.text.secrets import is_secret

#: The names of members and the numbers of items that lead to a value.
Keys = tuple[str | int, ...]

#: How many characters of an error's text a reason shows. Chosen: the longest list of choices is shorter.
_LONGEST = 500


class Location(StrEnum):
    """The part of a request read by a schema; its value is the word for it in reasons."""

    PATH = "path"
    QUERY = "query"
    BODY = "body"

    @property
    def noun(self) -> str:
        """The word for a single value."""
        return "field" if self is Location.BODY else "parameter"


def refusal(errors: Mapping[Any, Any], location: Location, data: Mapping[str, Any]) -> ServiceError:
    """Return the service's single error: the first missing member, or the first error.

    `errors` are the messages of a `ValidationError`, and `data` is the loaded data.
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
    """Describe an invalid value; of secrets and of values in bodies, which may be secrets, only the type."""
    place = f"{location.noun} {reasons.fields([_path(keys)])} in the {location}"
    value = _value_at(keys, data)
    if error is MISSING and value == "":
        return f"empty {place}"
    if error is MISSING:
        beside, parent = _value_at(keys[:-1], data), reasons.fields([_path(keys[:-1])]) if keys[:-1] else "it"
        return f"missing {place} ({f'{parent} has {reasons.fields(beside)}' if beside else f'{parent} is empty'})"
    secret = is_secret(str(keys[-1]) if keys else "", value)
    given = summary(value, secret=secret) if secret or location is Location.BODY else reasons.shown(value)
    return f"invalid {place}: {reasons.shown(error.text, _LONGEST)} (got {given})"


def _value_at(keys: Keys, data: Any) -> Any:
    try:
        for key in keys:
            data = data[key]
    except (LookupError, TypeError):
        return None
    return data


def summary(value: object, *, secret: bool = False) -> str:
    """Describe a JSON value without its content: `a string of 8 characters`. A number is shown unless `secret`."""
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
    """Return all errors of a `ValidationError`'s messages, with the keys of their values."""
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


def messages_in(errors: Any, keys: Keys = ()) -> Iterator[tuple[Keys, str]]:
    """Yield all messages of a validation error, each with the keys of its value."""
    if isinstance(errors, Mapping):
        for key, inner in errors.items():
            yield from messages_in(inner, keys if key == SCHEMA else (*keys, key))
    elif isinstance(errors, list):
        for inner in errors:
            yield from messages_in(inner, keys)
    else:
        yield keys, str(errors)


def _path(keys: Keys) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


#: How many errors of a list or a mapping are looked for. Chosen: nobody corrects more in one go, and a body of a
#: million bad items is refused as fast as one of a hundred.
MOST_FIELD_ERRORS = 100


class FieldError:
    """An error of one value, used by a `ValidationError` instead of text."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        self.code, self.text = code, text

    def __repr__(self) -> str:
        return self.text


class Sentence(FieldError):
    """A field error with a documented message, shown unchanged."""


#: A required member is absent.
MISSING = FieldError(MISSING_PARAMETER, "Missing data for required field.")


def invalid(text: str) -> ValidationError:
    """Return a marshmallow error with one field error, `invalid_parameter`."""
    return ValidationError([FieldError(INVALID_PARAMETER, text)])


class Unknown:
    """The error of an unknown member; the nearest known name is computed on demand."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self._name, self._known = name, known

    def __str__(self) -> str:
        return f"unknown key; {nearest(self._name, self._known)}"


class BadName:
    def __init__(self, error: object) -> None:
        self.text = str(error)

    def __str__(self) -> str:
        return f"as a name: {self.text}"


class Unread:
    """Marks a number of unread items in a list or mapping with many errors."""

    def __init__(self, count: int) -> None:
        self.count = count


def field_errors_in(errors: Any) -> int:
    """Count the errors in messages of a `ValidationError`."""
    if isinstance(errors, Mapping):
        return sum(map(field_errors_in, errors.values()))
    return sum(map(field_errors_in, errors)) if isinstance(errors, list) else 1


class Longest(validate.Length):
    """A length validator for one text or list, instead of the general limit."""

    def __init__(self, longest: int) -> None:
        super().__init__(max=longest)
        self.longest = longest

    def __call__(self, value: Any) -> Any:
        if len(value) > self.longest:
            raise too_long(value, self.longest)
        return value


def too_long(value: str | list[Any], longest: int) -> ValidationError:
    """Return the error of a text or list longer than `longest` characters or items."""
    return invalid(f"Longer than {longest:,} {'characters' if isinstance(value, str) else 'items'}")
