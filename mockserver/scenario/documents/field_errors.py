"""Marshmallow's field errors as mistakes of a document, with the invalid value and a suggestion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from marshmallow import Schema, fields, validate
from marshmallow.exceptions import SCHEMA

from mockserver.core.text.messages import counted, kind_of, meant, redacted, shown
from mockserver.core.text.secrets import is_secret
from mockserver.scenario.documents.document import InvalidValue, Place, locate
from mockserver.scenario.documents.mistakes import MOST_MISTAKES, Mistake, Path, ordered
from mockserver.web.schemas.errors import BadName, Unknown, Unread

#: The most choices in a message; beyond that, only the most similar choice is shown. Chosen: to fit on a line.
_MANY_CHOICES = 12
#: Type errors with the message and the expected value.
_TYPES = {
    "Not a valid integer": ("not an integer", ""),
    "Not a valid number": ("not a number", ""),
    "Not a valid string": ("not a string", ""),
    "Not a valid boolean": ("not a boolean", "true or false"),
    "Not a valid list": ("not a list", ""),
    "Not a valid mapping type": ("not a mapping", ""),
    "Invalid input type": ("not a mapping", ""),
    "Invalid type": ("not a mapping", ""),
    "Not an object": ("not a mapping", ""),
}
#: The errors of a wrong form, likewise.
_FORMS = {
    "Not a valid email address": ("not an e-mail address", "one such as ada@acme.test"),
    "Not a valid hostname": ("not a domain name", "one such as acme.test"),
    "Not a valid URL": ("not a URL", "one such as https://acme.test/hook"),
    "Not a valid UUID": ("not a UUID", ""),
    "Not a valid IP address": ("not an IP address", ""),
    "Not the name of a time zone": ("unknown time zone", "one such as Europe/Berlin"),
    "Number too large": ("out of range", "a number of 64 bits"),
    "is the name of something else": ("reserved name", "another one"),
}
_NO_JSON = "is no value of JSON"
_QUOTED = "a string in quotes"
_MISSING, _NULL = "Missing data for required field", "Field may not be null"
_BOUND = r"(-?[\w.,:+-]+?)"


def _longest(most: str, value: object) -> tuple[str, str]:
    return "too long", f"at most {_sized(most, value)}"


#: The errors of a wrong length or size by their pattern: what is wrong, and what would be right.
_BOUNDS: tuple[tuple[str, Callable[[re.Match[str], object], tuple[str, str]]], ...] = (
    (r"Longer than maximum length ([\d,]+)", lambda found, value: _longest(found[1], value)),
    (r"Longer than ([\d,]+) (?:characters|items)", lambda found, value: _longest(found[1], value)),
    (r"Shorter than minimum length (\d+)", lambda found, value: ("too short", f"at least {_sized(found[1], value)}")),
    (
        r"Length must be between (\d+) and (\d+)",
        lambda found, value: ("wrong length", f"{found[1]} to {_sized(found[2], value)}"),
    ),
    (r"Length must be (\d+)", lambda found, value: ("wrong length", _sized(found[1], value))),
    (
        rf"Must be greater than or equal to {_BOUND} and less than or equal to {_BOUND}",
        lambda found, _: ("out of range", f"{found[1]} to {found[2]}"),
    ),
    (rf"Must be greater than or equal to {_BOUND}", lambda found, _: ("out of range", f"at least {found[1]}")),
    (rf"Must be less than or equal to {_BOUND}", lambda found, _: ("out of range", f"at most {found[1]}")),
    (r"[Mm]ust be one of: (.*)", lambda found, _: ("unknown value", f"one of: {found[1]}")),
    (r"[Mm]ust be (.*)", lambda found, _: ("invalid value", found[1])),
)


def worded(text: str, value: object, given: str, choices: list[str], about: str) -> str:
    """Format a field error: problem, given value, expected value.

    `given` is the value as messages show it, empty if it is absent; `about` is the meaning of the field.
    """
    text = text.removesuffix(".")
    if text == _MISSING:
        return f"missing required key: {about.partition('; ')[0]}" if about else "missing required key"
    if text == _NULL:
        return "null is not allowed: leave the key out, or give it a value"
    near = meant(value, choices) if isinstance(value, str) and value not in choices else None
    return _message(text, value, given, expected="" if near and len(choices) > _MANY_CHOICES else None) + (
        f"; did you mean {near}?" if near else ""
    )


def _message(text: str, value: object, given: str, expected: str | None) -> str:
    if text in _TYPES:
        wrong, right = _TYPES[text]
        return _sentence(
            wrong, _with_kind(given, value), _QUOTED if wrong == "not a string" and kind_of(value) else right
        )
    if text == _NO_JSON:
        return _sentence("not a value of JSON", _with_kind(given, value), _QUOTED)
    if text in _FORMS:
        return _sentence(_FORMS[text][0], given, _FORMS[text][1])
    for pattern, parts in _BOUNDS:
        if found := re.fullmatch(pattern, text, re.DOTALL):
            wrong, right = parts(found, value)
            return _sentence(wrong, given, right if expected is None else expected)
    if not given or given in text or isinstance(value, Mapping | list):
        return text
    wrong, sign, advice = text.partition("; ")
    return f"{_sentence(wrong, given, '')}{sign}{advice}"


def _sentence(wrong: str, given: str, right: str) -> str:
    wrong = f"{wrong[0].lower()}{wrong[1:]}" if wrong.startswith("Not ") else wrong
    got = f"{wrong}: got {given}" if given else wrong
    return f"{got}, expected {right}" if right else got


def _with_kind(given: str, value: object) -> str:
    kind = kind_of(value)
    return f"{given} ({kind})" if given and kind and not given.startswith(kind) else given


def _sized(number: str, value: object) -> str:
    noun = "item" if isinstance(value, list) else "key" if isinstance(value, Mapping) else "character"
    return counted(int(number.replace(",", "")), noun)


#: The credentials in a URL.
_CREDENTIALS = re.compile(r"(?<=//)[^/?#]*@")
_ABSENT: Any = object()


class _FieldError(NamedTuple):
    """A field error with its field, value and place."""

    error: Any
    field: Any
    value: Any
    place: Place


def mistakes(errors: Any, schema: Schema, document: Any = None) -> list[Mistake]:
    """Return the field errors of a schema as mistakes."""
    unread = 0
    found: list[_FieldError] = []
    for path, error, field in _field_errors(errors, fields.Nested(schema), ()):
        if isinstance(error, Unread):
            unread += error.count
        else:
            found.append(_FieldError(error, field, _at(path, document), locate(document, path)))
    if all(error.place.mark is not None for error in found):
        found.sort(key=lambda error: error.place.mark or ())
    # Messages are made only for the mistakes that are listed.
    listed = [_mistake(error) for error in found[:MOST_MISTAKES]]
    rest = [Mistake(error.place.path, "", error.place.mark) for error in found[MOST_MISTAKES:]]
    return ordered([*listed, *rest], unread)


def wrong_paths(errors: Any, schema: Schema) -> list[Path] | None:
    """Return the paths of field errors, or None if parts of the document were not checked."""
    found = []
    for path, error, _ in _field_errors(errors, fields.Nested(schema), ()):
        if isinstance(error, Unread):
            return None
        found.append(path)
    return found


def _field_errors(errors: Any, field: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    if isinstance(errors, Mapping):
        for key, inner in errors.items():
            if key == SCHEMA:
                yield from _field_errors(inner, field, path)
            else:
                yield from _field_errors(inner, _inner_field(field, key), (*path, key))
        return
    for error in errors if isinstance(errors, list) else [errors]:
        if isinstance(error, Mapping):
            yield from _field_errors(error, field, path)
        else:
            yield path, error, field


def _inner_field(field: Any, key: object) -> Any:
    if isinstance(field, fields.Nested):
        return next((row for name, row in field.schema.load_fields.items() if (row.data_key or name) == key), None)
    if isinstance(field, fields.List):
        return field.inner
    return field if isinstance(field, fields.Dict) else None


def _mistake(error: _FieldError) -> Mistake:
    path, mark = error.place
    value = error.value
    if isinstance(value, InvalidValue):
        return Mistake(path, value.redacted if _is_secret(path, str(value)) else value.text, mark)
    if isinstance(error.error, Unknown):
        return Mistake(path, str(error.error), mark)
    field, text, prefix, is_secret = error.field, str(error.error), "", _is_secret(path, value)
    if isinstance(error.error, BadName):
        field, value, text = getattr(field, "key_field", None), path[-1], error.error.text
        prefix, is_secret = "invalid key: ", False
    elif isinstance(field, fields.Dict):
        field = field.value_field
    given = "" if value is _ABSENT else redacted(value) if is_secret else _CREDENTIALS.sub("***@", shown(value))
    about = "" if field is None else str(field.metadata.get("description", ""))
    return Mistake(path, prefix + worded(text, value, given, _choices(field), about), mark)


def _choices(field: Any) -> list[str]:
    if isinstance(field, fields.Enum):
        return [str(choice.value) for choice in field.enum]
    rules = getattr(field, "validators", ())
    return [str(choice) for rule in rules if isinstance(rule, validate.OneOf) for choice in rule.choices]


def _is_secret(path: Path, value: object) -> bool:
    """Return whether a value may be a secret, which messages do not show: by a name in its path, or in headers."""
    if "headers" in path:
        return path[-1] != "key"  # the name of a header
    if path[-1:] in (("otp",), ("code",)):  # a number that is no one-time code, the code of an error, or one of OAuth
        return not {"domains", "oauth_grants"}.isdisjoint(path)
    return any(isinstance(name, str) and is_secret(name, value) for name in path)


def _at(path: Path, document: Any) -> Any:
    for part in path:
        try:
            document = document[part]
        except (LookupError, TypeError):
            return _ABSENT
    return document
