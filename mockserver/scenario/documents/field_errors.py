"""What marshmallow found wrong with a document, as mistakes: with the value that stands there, and what was meant."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from marshmallow import Schema, fields, validate
from marshmallow.exceptions import SCHEMA

from mockserver.core.text.spelling import cut, meant
from mockserver.scenario.documents.document import Misread, Place, locate
from mockserver.scenario.documents.mistakes import MOST_MISTAKES, Mistake, Path, ordered
from mockserver.web.schemas.field_errors import BadName, Unknown, Unread

#: Whatever stands under these names is nobody else's business.
_SECRETS = frozenset(
    {"api_keys", "revoked_keys", "key", "password", "token", "tokens", "client_secret", "otp", "code", "auth",
     "headers", "refresh_token", "ticket", "spent", "share", "url", "notifyURL", "redirect_uri", "redirect_uris"}
)  # fmt: skip
#: How much of a value is shown.
_SHOWN = 60
#: Where there are more choices than this, the one that was meant says more than all of them.
_MANY_CHOICES = 12
_ABSENT: Any = object()


class _FieldError(NamedTuple):
    """A flaw with the field that found it, the value that stands there, and its place."""

    error: Any
    field: Any
    value: Any
    place: Place


def mistakes(errors: Any, schema: Schema, document: Any = None) -> list[Mistake]:
    """The mistakes of a document, of which `errors` are what its schema says."""
    unread = 0
    found: list[_FieldError] = []
    for path, error, field in _flaws(errors, fields.Nested(schema), ()):
        if isinstance(error, Unread):
            unread += error.count
        else:
            found.append(_FieldError(error, field, _at(path, document), locate(document, path)))
    if all(flaw.place.mark is not None for flaw in found):
        found.sort(key=lambda flaw: flaw.place.mark or ())
    # Only those that are told need their words.
    told = [_mistake(flaw) for flaw in found[:MOST_MISTAKES]]
    rest = [Mistake(flaw.place.path, "", flaw.place.mark) for flaw in found[MOST_MISTAKES:]]
    return ordered([*told, *rest], unread)


def _flaws(errors: Any, field: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    if isinstance(errors, Mapping):
        for key, inner in errors.items():
            if key == SCHEMA:
                yield from _flaws(inner, field, path)
            else:
                yield from _flaws(inner, _part(field, key), (*path, key))
        return
    for error in errors if isinstance(errors, list) else [errors]:
        if isinstance(error, Mapping):
            yield from _flaws(error, field, path)
        else:
            yield path, error, field


def _part(field: Any, key: object) -> Any:
    """The field of a part; None where nobody knows."""
    if isinstance(field, fields.Nested):
        return next((part for name, part in field.schema.load_fields.items() if (part.data_key or name) == key), None)
    if isinstance(field, fields.List):
        return field.inner
    return field if isinstance(field, fields.Dict) else None


def _mistake(flaw: _FieldError) -> Mistake:
    path, mark = flaw.place
    value = flaw.value
    if isinstance(value, Misread):
        return Mistake(path, value.text, mark)
    text = str(flaw.error).removesuffix(".")
    if isinstance(flaw.error, Unknown):
        return Mistake(path, text, mark)
    field = flaw.field
    if isinstance(field, fields.Dict) and not isinstance(flaw.error, BadName):
        field = field.value_field
    elif isinstance(field, fields.Dict):
        field, value = field.key_field, path[-1]
    return Mistake(path, _told(text, _choices(field), value, path), mark)


def _told(text: str, choices: list[str], value: Any, path: Path) -> str:
    """The text of a mistake, with what was probably meant and what stands there instead."""
    near = meant(value, choices) if isinstance(value, str) and value not in choices else None
    if near and len(choices) > _MANY_CHOICES:
        text = "none of those that there are"
    here = _shown(value, path)
    if here and here not in text and not text.endswith("?"):
        text = f"{text}; here stands {here}"
    return f"{text}; did you mean {near}?" if near else text


def _choices(field: Any) -> list[str]:
    """The values that a field takes, where there are few of them."""
    if isinstance(field, fields.Enum):
        return [str(choice.value) for choice in field.enum]
    rules = getattr(field, "validators", ())
    return [str(choice) for rule in rules if isinstance(rule, validate.OneOf) for choice in rule.choices]


def _shown(value: Any, path: Path) -> str:
    """A value in few characters; only its kind where it may be a secret, and nothing for what everybody sees."""
    secret = not _SECRETS.isdisjoint(path)
    match value:
        case str():
            return f"a text of {len(value):,} characters" if secret else cut(repr(value), _SHOWN)
        case bool():
            return json.dumps(value)
        case int() | float():
            return "a number" if secret else str(value)
        case datetime() | date():
            return f"the date {value.isoformat()}, which is a text in quotes only"
    return ""


def _at(path: Path, document: Any) -> Any:
    for part in path:
        try:
            document = document[part]
        except (LookupError, TypeError):
            return _ABSENT
    return document
