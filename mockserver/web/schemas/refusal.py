"""The refusal of a path, a query or a body that its schema does not take: one error, and a reason for the journal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ServiceError
from mockserver.core.state import reasons
from mockserver.core.text.messages import counted
from mockserver.web.schemas.field_errors import MISSING, FieldError, Sentence, Unread

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
