"""The fidelity record: how sure each field and each error of each operation is, read from the declarations."""

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
#: How the code cites a page of the contract, or an anchor on one: `contract/senders#createSender`.
CITATION = re.compile(r"(?<![\w/])contract/([\w-]+)(#[\w-]+)?")
#: The keywords of JSON Schema that bound a value.
_BOUNDS = frozenset({"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern"})
#: The bounds of every whole number, which come from its type alone.
_INT64 = frozenset({-(2**63), 2**63 - 1})


def record(operations: Iterable[Operation]) -> dict[str, Any]:
    """The fidelity record of all operations, as plain data, with the number of fields and errors by mark."""
    rows = {operation.id: _operation(operation) for operation in operations}
    totals = Counter(entry["mark"] for row in rows.values() for entry in (*row["fields"], *row["errors"]))
    return {"totals": dict(sorted(totals.items())), "operations": rows}


def _operation(operation: Operation) -> dict[str, Any]:
    # In the order in which the record lists them; the names are those of OpenAPI's `in`, as far as OpenAPI has one.
    schemas = {
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
            _field(location, marked, operation)
            for location, schema in schemas.items()
            if schema is not None
            for marked in marked_fields(schema())
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
    """A field of a schema or of one nested in it."""

    #: The names of the members from the outermost schema to the field, as on the wire: `plan.credits`, `senders[].id`.
    path: str
    field: fields.Field[Any]
    #: The document that shows the names of the field's schema; empty if none is declared.
    names_from: str


def marked_fields(schema: Schema, prefix: str = "") -> Iterator[MarkedField]:
    """Every field of a schema, those of nested schemas included; `prefix` comes before each path."""
    assert isinstance(schema, Base)
    for name, field in schema.fields.items():
        path = f"{prefix}{field.data_key or name}"
        inner: Any = field
        if isinstance(field, fields.List):
            path, inner = f"{path}[]", field.inner
        yield MarkedField(path, field, schema.names_from)
        if isinstance(inner, fields.Nested):
            yield from marked_fields(inner.schema, f"{path}.")


def _field(location: str, marked: MarkedField, operation: Operation) -> dict[str, Any]:
    metadata = marked.field.metadata
    mark = metadata["x-fidelity"]
    names_from = marked.names_from if mark == Mark.DOCUMENTED else ""
    bounds = _bounds(marked.field, operation)
    return {
        "in": location,
        "name": marked.path,
        "mark": mark,
        "source": cited(metadata.get("x-source") or names_from or operation.source, operation),
        **({"programs": metadata["x-programs"]} if "x-programs" in metadata else {}),
        **({"bounds": bounds} if bounds else {}),
    }


def _bounds(field: fields.Field[Any], operation: Operation) -> dict[str, Any]:
    """The bounds of a field in JSON Schema with their mark and source; empty where only its type bounds it."""
    own: Any = FIELD_SCHEMAS.get(type(field), {})
    known = {} if callable(own) else own
    found = {
        name: value
        for name, value in json_schema(field).items()
        if name in _BOUNDS and known.get(name) != value and value not in _INT64
    }
    if not found:
        return {}
    source = field.metadata.get("x-bounds-source", "")
    mark = Mark.DOCUMENTED if source else Mark.PROPOSED
    return {**found, "mark": str(mark), "source": cited(source or operation.source, operation)}


def json_schema(field: fields.Field[Any]) -> Mapping[str, Any]:
    """The JSON Schema of a field in the OpenAPI document, without the schema of its items or members."""
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
    """A source as readers see it; where it does not cite the contract, the citation of the operation is added."""
    own = CITATION.search(operation.source)
    if own and not CITATION.search(source):
        source = ", ".join(filter(None, (source, own[0])))
    return readable(source)


def readable(source: str) -> str:
    """A source that means something outside of the code: a citation of the contract becomes the path of its page."""
    return CITATION.sub(rf"{CONTRACT}/\1.md\2", source)
