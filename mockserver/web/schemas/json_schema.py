"""How schemas are told in an OpenAPI document: what apispec cannot know of fields of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from marshmallow import fields

from mockserver.web.schemas.fields import (
    ApiKey,
    Day,
    DayOrMoment,
    HeaderName,
    HeaderValue,
    Hostname,
    Int64,
    NotBlank,
    Number,
    Url,
)

#: What is said of a field: always the same, or what a function makes of the field and of what apispec has found so far.
FieldSchema = dict[str, Any] | Callable[[Any, dict[str, Any]], dict[str, Any]]

#: At least two labels, of which the last one is no number; names in other scripts are taken as well.
HOSTNAME = r"^(?!-)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.(?![0-9]+$)[A-Za-z0-9-]+$"

#: What our own kinds of fields take, as far as a schema can say it; the field's own bounds come before these.
FORMS: dict[type, FieldSchema] = {
    Int64: {"minimum": -(2**63), "maximum": 2**63 - 1},
    Number: {"minimum": -(2**63), "maximum": 2**63 - 1},
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


def specification(forms: Mapping[type, FieldSchema] = FORMS, **options: Any) -> Any:
    """An empty document of OpenAPI 3.1, which takes our schemas as they are."""
    # A tenth of a second, and most servers are never asked for a document.
    from apispec import APISpec  # noqa: PLC0415  # see above
    from apispec.ext.marshmallow import MarshmallowPlugin  # noqa: PLC0415  # see above

    def form(_converter: Any, field: fields.Field[Any], *, ret: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Called by apispec, last, with what it has found so far."""
        return _form(field, ret, forms)

    marshmallow: Any = MarshmallowPlugin(schema_name_resolver=_schema_name)
    spec = APISpec(openapi_version="3.1.0", plugins=[marshmallow], **options)
    marshmallow.converter.add_attribute_function(form)
    return spec


def _schema_name(schema: Any) -> str:
    return str(schema.__name__ if isinstance(schema, type) else type(schema).__name__)


def _form(field: fields.Field[Any], known: dict[str, Any], forms: Mapping[type, FieldSchema]) -> dict[str, Any]:
    told = forms.get(type(field), {})
    form = {} if "enum" in known else told(field, known) if callable(told) else told
    if any(isinstance(validator, NotBlank) for validator in field.validators):
        # The blanks of JavaScript's patterns are not quite those of Python.
        form = {**form, "pattern": r"[^\s\x1c-\x1f\x85]"}
    form = {name: value for name, value in form.items() if name not in known}
    if field.allow_none and "type" in form:
        kinds = form["type"]
        form["type"] = [*(kinds if isinstance(kinds, list) else [kinds]), "null"]
    pattern = known.get("pattern", "")
    if pattern.endswith(r"\Z"):
        # Marshmallow's patterns begin where the text does, and end in the manner of Python.
        form["pattern"] = f"^(?:{pattern.removesuffix(chr(92) + 'Z')})$"
    return form
