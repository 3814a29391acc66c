"""The fidelity record: how sure each field and each error of each operation is, read off the declarations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from marshmallow import Schema, fields

from mockserver.core.contract.operation import DocumentedError, Mark, Operation
from mockserver.web.schemas.json_schema import FIELD_SCHEMAS, specification
from mockserver.web.schemas.schema import Base

#: Where a reader finds the contract, a page for each resource and for each thing that all share.
CONTRACT = "docs/contract"
#: How the code cites a page of it, or a place on one: `contract/senders#createSender`.
PLACE = re.compile(r"(?<![\w/])contract/([\w-]+)(#[\w-]+)?")
#: What bounds a value, in the words of JSON schema.
_BOUNDS = frozenset({"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern"})
#: What bounds every whole number.
_INT64 = frozenset({-(2**63), 2**63 - 1})


def record(operations: Iterable[Operation]) -> dict[str, Any]:
    """The whole record, with totals by mark."""
    rows = {operation.id: _operation(operation) for operation in operations}
    totals = Counter(entry["mark"] for row in rows.values() for entry in (*row["fields"], *row["errors"]))
    return {"totals": dict(sorted(totals.items())), "operations": rows}


def _operation(operation: Operation) -> dict[str, Any]:
    places = {
        "path": operation.path_schema,
        "query": operation.query_schema,
        "body": operation.body_schema,
        "answer": operation.answer_schema,
    }
    return {
        "method": operation.method,
        "path": operation.path,
        "source": readable(operation.source),
        "fields": [
            _field(place, found, operation)
            for place, schema in places.items()
            if schema is not None
            for found in marked_fields(schema())
        ],
        "errors": [_error(error, operation) for error in operation.errors],
        "notes": list(operation.notes),
    }


def _error(error: DocumentedError, operation: Operation) -> dict[str, Any]:
    return {
        "status": error.status,
        "code": error.code.code,
        "when": error.when,
        "mark": str(error.mark),
        "source": cited(error.source, operation),
        **({"programs": error.programs} if error.programs else {}),
    }


# ---------------------------------------------------------------------- fields


class MarkedField(NamedTuple):
    """A field with the whole way to it, and with the document that shows the names of its schema."""

    path: str
    field: fields.Field[Any]
    names_from: str


def marked_fields(schema: Schema, prefix: str = "") -> Iterator[MarkedField]:
    """Every field of a schema, those of nested schemas included."""
    assert isinstance(schema, Base)
    for name, field in schema.fields.items():
        path = f"{prefix}{field.data_key or name}"
        inner: Any = field
        if isinstance(field, fields.List):
            path, inner = f"{path}[]", field.inner
        yield MarkedField(path, field, schema.names_from)
        if isinstance(inner, fields.Nested):
            yield from marked_fields(inner.schema, f"{path}.")


def _field(place: str, found: MarkedField, operation: Operation) -> dict[str, Any]:
    metadata = found.field.metadata
    mark = metadata["x-fidelity"]
    names_from = found.names_from if mark == Mark.DOCUMENTED else ""
    bounds = _bounds(found.field, operation)
    return {
        "in": place,
        "name": found.path,
        "mark": mark,
        "source": cited(metadata.get("x-source") or names_from or operation.source, operation),
        **({"programs": metadata["x-programs"]} if "x-programs" in metadata else {}),
        **({"bounds": bounds} if bounds else {}),
    }


def _bounds(field: fields.Field[Any], operation: Operation) -> dict[str, Any]:
    """The least and greatest that a field takes, and how sure that is; nothing where its type alone bounds it."""
    own: Any = FIELD_SCHEMAS.get(type(field), {})
    known = {} if callable(own) else own
    found = {
        name: value
        for name, value in form(field).items()
        if name in _BOUNDS and known.get(name) != value and value not in _INT64
    }
    if not found:
        return {}
    source = field.metadata.get("x-bounds-source", "")
    mark = Mark.DOCUMENTED if source else Mark.PROPOSED
    return {**found, "mark": str(mark), "source": cited(source or operation.source, operation)}


def form(field: fields.Field[Any]) -> Mapping[str, Any]:
    """What the OpenAPI document says of a field by itself, without what it holds."""
    if isinstance(field, fields.List | fields.Nested):
        return field.metadata
    found: Mapping[str, Any] = _converter().field2property(field)
    return found


@cache
def _converter() -> Any:
    (plugin,) = specification(title="", version="").plugins
    return plugin.converter


# ---------------------------------------------------------------------- sources


def cited(source: str, operation: Operation) -> str:
    """A source as it is told: without a place in the contract it has that of the operation."""
    own = PLACE.search(operation.source)
    if own and not PLACE.search(source):
        source = ", ".join(filter(None, (source, own[0])))
    return readable(source)


def readable(source: str) -> str:
    """A source by names that mean something outside of the code: places in the contract can be gone to."""
    return PLACE.sub(rf"{CONTRACT}/\1.md\2", source)
