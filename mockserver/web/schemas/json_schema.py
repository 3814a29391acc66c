"""JSON schemas of our fields for OpenAPI documents, beyond apispec's own knowledge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from marshmallow import fields

from mockserver.web.schemas.fields import (
    INT64_MAX,
    WITHIN_INT64,
    ApiKey,
    Day,
    DayOrMoment,
    HeaderName,
    HeaderValue,
    Hostname,
    NotBlank,
    Number,
    Url,
    check_given,
)

#: The JSON schema of a type of fields, or a function that makes it of a field and of the keywords that apispec found.
FieldSchema = dict[str, Any] | Callable[[Any, dict[str, Any]], dict[str, Any]]

#: Host names of at least two labels, of which the last one is no number. The field takes other scripts as well.
HOSTNAME = r"^(?!-)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.(?![0-9]+$)[A-Za-z0-9-]+$"

#: What our fields take, as far as a JSON schema can say it; bounds of a single field override these.
FIELD_SCHEMAS: dict[type, FieldSchema] = {
    Number: WITHIN_INT64,
    ApiKey: {"pattern": "^[!-~]+$"},
    Url: {"pattern": "^[hH][tT][tT][pP][sS]?://[^/?#]"},
    HeaderName: {"pattern": r"^[A-Za-z0-9_!#$%&'*+.^`|~-]+$"},
    HeaderValue: {"pattern": r"^[\t\x20-\x7e\x80-\xff]*$"},
    Hostname: {"pattern": HOSTNAME, "maxLength": 253},
    Day: {"type": "string", "format": "date"},
    DayOrMoment: {
        "type": "string",
        "anyOf": [
            {"format": "date"},
            {"format": "date-time", "pattern": r"^[0-9T:-]{19}\.[0-9]{3}(Z|[+-][0-9]{2}:[0-9]{2})$"},
        ],
    },
}


def specification(field_schemas: Mapping[type, FieldSchema] = FIELD_SCHEMAS, **options: Any) -> Any:
    """Return an empty OpenAPI 3.1 document for schemas; `field_schemas` describe our fields."""
    # The import takes a tenth of a second, and most servers are never asked for a document.
    from apispec import APISpec  # noqa: PLC0415  # slow
    from apispec.ext.marshmallow import MarshmallowPlugin  # noqa: PLC0415  # slow

    def keywords(_converter: Any, field: fields.Field[Any], *, ret: dict[str, Any], **_: Any) -> dict[str, Any]:
        return _keywords(field, ret, field_schemas)

    marshmallow: Any = MarshmallowPlugin(schema_name_resolver=_schema_name)
    spec = APISpec(openapi_version="3.1.0", plugins=[marshmallow], **options)
    marshmallow.converter.add_attribute_function(keywords)
    return spec


def _schema_name(schema: Any) -> str:
    return str(schema.__name__ if isinstance(schema, type) else type(schema).__name__)


def _keywords(
    field: fields.Field[Any], known: dict[str, Any], field_schemas: Mapping[type, FieldSchema]
) -> dict[str, Any]:
    """Return JSON schema keywords of a field beyond `known` keywords."""
    own = field_schemas.get(type(field), {})
    found = {} if "enum" in known else own(field, known) if callable(own) else own
    if any(isinstance(validator, NotBlank) for validator in field.validators):
        # The blanks of JavaScript's patterns are not quite those of Python.
        found = {**found, "pattern": r"[^\s\x1c-\x1f\x85]"}
    if check_given in field.validators and not {"pattern", "enum"} & {*found, *known}:
        found = {"minLength": 1, **found}
    found = {name: value for name, value in found.items() if name not in known}
    # Many programs cannot hold these bounds as integers.
    for name, bound, other in (("minimum", -INT64_MAX - 1, "minimum"), ("maximum", INT64_MAX, "exclusiveMaximum")):
        if known.get(name) == bound and "string" not in known["type"]:
            del known[name]
            found |= {"format": "int64"} if "integer" in known["type"] else {other: WITHIN_INT64[other]}
    if "maximum" in known:
        found.pop("exclusiveMaximum", None)
    if field.allow_none and "type" in found:
        types = found["type"]
        found["type"] = [*(types if isinstance(types, list) else [types]), "null"]
    pattern = known.get("pattern", "")
    if pattern.endswith(r"\Z"):
        # Marshmallow's patterns are anchored at the beginning by how they are used, and at the end in Python's syntax.
        found["pattern"] = f"^(?:{pattern.removesuffix(chr(92) + 'Z')})$"
    return found
