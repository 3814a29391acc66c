"""Field errors of marshmallow as mistakes of a document, with the value in question and what was probably meant."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from marshmallow import Schema, fields, validate
from marshmallow.exceptions import SCHEMA

from mockserver.core.text.counted import counted
from mockserver.core.text.spelling import cut, meant
from mockserver.scenario.documents.document import InvalidValue, Place, locate
from mockserver.scenario.documents.mistakes import MOST_MISTAKES, Mistake, Path, ordered
from mockserver.web.schemas.field_errors import BadName, Unknown, Unread

#: Members whose values are secrets, which messages do not show.
_SECRETS = frozenset(
    {"api_keys", "revoked_keys", "key", "password", "token", "tokens", "client_secret", "otp", "auth",
     "headers", "refresh_token", "ticket", "spent", "share", "url", "notifyURL", "redirect_uri", "redirect_uris"}
)  # fmt: skip
#: Sections in which `code` is a secret, too; elsewhere it is an error code.
_WITH_SECRET_CODES = frozenset({"domains", "oauth_grants"})
#: How many characters of a value a message shows. Chosen: to fit on a line.
_SHOWN = 60
#: With more choices than this a message shows the one that was probably meant instead of all. Chosen: to fit on a line.
_MANY_CHOICES = 12
_ABSENT: Any = object()


class _FieldError(NamedTuple):
    """A field error, with the field that it is of, the value in the document, and where that is."""

    error: Any
    field: Any
    value: Any
    place: Place


def mistakes(errors: Any, schema: Schema, document: Any = None) -> list[Mistake]:
    """The field errors that a schema has found in a document, as mistakes."""
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
    """The field of a member or an item, or None if it is unknown."""
    if isinstance(field, fields.Nested):
        return next((row for name, row in field.schema.load_fields.items() if (row.data_key or name) == key), None)
    if isinstance(field, fields.List):
        return field.inner
    return field if isinstance(field, fields.Dict) else None


def _mistake(error: _FieldError) -> Mistake:
    path, mark = error.place
    value = error.value
    if isinstance(value, InvalidValue):
        return Mistake(path, value.text, mark)
    text = str(error.error).removesuffix(".")
    if isinstance(error.error, Unknown):
        return Mistake(path, text, mark)
    field = error.field
    if isinstance(field, fields.Dict) and not isinstance(error.error, BadName):
        field = field.value_field
    elif isinstance(field, fields.Dict):
        field, value = field.key_field, path[-1]
    return Mistake(path, _described(text, _choices(field), value, path), mark)


def _described(text: str, choices: list[str], value: Any, path: Path) -> str:
    """The message of a mistake, with the value in the document and the one that was probably meant."""
    near = meant(value, choices) if isinstance(value, str) and value not in choices else None
    if near and len(choices) > _MANY_CHOICES:
        text = "none of those that there are"
    here = _shown(value, path)
    if here and here not in text and not text.endswith("?"):
        text = f"{text}; here stands {here}"
    return f"{text}; did you mean {near}?" if near else text


def _choices(field: Any) -> list[str]:
    """The values that a field takes, or an empty list if it takes any."""
    if isinstance(field, fields.Enum):
        return [str(choice.value) for choice in field.enum]
    rules = getattr(field, "validators", ())
    return [str(choice) for rule in rules if isinstance(rule, validate.OneOf) for choice in rule.choices]


def _shown(value: Any, path: Path) -> str:
    """A value in few characters: only its type if it may be a secret, and nothing for mappings, lists and null."""
    secret = _is_secret(path)
    match value:
        case str():
            return f"a text of {counted(len(value), 'character')}" if secret else cut(repr(value), _SHOWN)
        case bool():
            return json.dumps(value)
        case int() | float():
            return "a number" if secret else str(value)
        case datetime() | date():
            return f"the date {value.isoformat()}, which is a text in quotes only"
    return ""


def _is_secret(path: Path) -> bool:
    return not _SECRETS.isdisjoint(path) or (path[-1:] == ("code",) and not _WITH_SECRET_CODES.isdisjoint(path))


def _at(path: Path, document: Any) -> Any:
    for part in path:
        try:
            document = document[part]
        except (LookupError, TypeError):
            return _ABSENT
    return document
