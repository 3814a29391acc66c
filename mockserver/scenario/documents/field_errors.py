"""Field errors of marshmallow as mistakes of a document, with the value in question and what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from marshmallow import Schema, fields, validate
from marshmallow.exceptions import SCHEMA

from mockserver.core.text.given import redacted, shown
from mockserver.scenario.documents.document import InvalidValue, Place, locate
from mockserver.scenario.documents.mistakes import MOST_MISTAKES, Mistake, Path, ordered
from mockserver.scenario.documents.wording import worded
from mockserver.web.schemas.field_errors import BadName, Unknown, Unread

#: Members whose values are secrets, which messages do not show.
_SECRETS = frozenset(
    {"api_keys", "revoked_keys", "key", "password", "token", "tokens", "client_secret", "auth", "headers",
     "refresh_token", "ticket", "spent", "share"}
)  # fmt: skip
#: Sections in which `code` is a secret, too; elsewhere it is an error code.
_WITH_SECRET_CODES = frozenset({"domains", "oauth_grants"})
#: The credentials in a URL.
_CREDENTIALS = re.compile(r"(?<=//)[^/?#]*@")
_ABSENT: Any = object()


class _FieldError(NamedTuple):
    """A field error, with its field, the value in the document, and where that is."""

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


def wrong_paths(errors: Any, schema: Schema) -> list[Path] | None:
    """The paths of the field errors that a schema has found, or None if it has found too many to look at all parts."""
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
    if isinstance(error.error, Unknown):
        return Mistake(path, str(error.error), mark)
    field, text, prefix, is_secret = error.field, str(error.error), "", _is_secret(path)
    if isinstance(error.error, BadName):
        field, value, text = getattr(field, "key_field", None), path[-1], error.error.text
        prefix, is_secret = "invalid key: ", False
    elif isinstance(field, fields.Dict):
        field = field.value_field
    given = "" if value is _ABSENT else redacted(value) if is_secret else _without_credentials(shown(value))
    about = "" if field is None else str(field.metadata.get("description", ""))
    return Mistake(path, prefix + worded(text, value, given, _choices(field), about), mark)


def _choices(field: Any) -> list[str]:
    """The values that a field takes, or an empty list if it takes any."""
    if isinstance(field, fields.Enum):
        return [str(choice.value) for choice in field.enum]
    rules = getattr(field, "validators", ())
    return [str(choice) for rule in rules if isinstance(rule, validate.OneOf) for choice in rule.choices]


def _without_credentials(given: str) -> str:
    return _CREDENTIALS.sub("***@", given)


def _is_secret(path: Path) -> bool:
    if "headers" in path and path[-1:] == ("key",):
        return False  # the name of a header
    return not _SECRETS.isdisjoint(path) or (path[-1:] == ("code",) and not _WITH_SECRET_CODES.isdisjoint(path))


def _at(path: Path, document: Any) -> Any:
    for part in path:
        try:
            document = document[part]
        except (LookupError, TypeError):
            return _ABSENT
    return document
