"""The fidelity record: marks and sources of all fields and errors, read from declarations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from marshmallow import Schema, fields

from mockserver.core.contract.operation import DocumentedError, Mark, Operation
from mockserver.web.schemas.fields import check_given
from mockserver.web.schemas.json_schema import FIELD_SCHEMAS, specification
from mockserver.web.schemas.schema import Base

#: The folder of the contract pages.
CONTRACT = "docs/contract"
#: A citation of a contract page, such as `contract/senders#createSender`.
CITATION = re.compile(r"(?<![\w/])contract/([\w-]+)(#[\w-]+)?")
#: JSON Schema keywords for bounds.
_BOUNDS = frozenset({"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern"})
#: Bounds of all integers.
_INT64 = frozenset({-(2**63), 2**63 - 1})


def record(operations: Iterable[Operation]) -> dict[str, Any]:
    """Return the fidelity record of operations as plain data, with counts by mark."""
    rows = {operation.id: _operation(operation) for operation in operations}
    totals = Counter(entry["mark"] for row in rows.values() for entry in (*row["fields"], *row["errors"]))
    return {"totals": dict(sorted(totals.items())), "operations": rows}


def _operation(operation: Operation) -> dict[str, Any]:
    # Names as in OpenAPI's `in`, in order of the record.
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


class MarkedField(NamedTuple):
    #: The path of the field on the wire, such as `plan.credits` or `senders[].id`.
    path: str
    field: fields.Field[Any]
    #: The document with the names of the schema, or empty.
    names_from: str


def marked_fields(schema: Schema, prefix: str = "") -> Iterator[MarkedField]:
    """Yield all fields of a schema and of nested schemas. `prefix` comes before each path."""
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
    """Return bounds of a field as JSON Schema with mark and source, or nothing for bounds of its type."""
    own: Any = FIELD_SCHEMAS.get(type(field), {})
    known = {} if callable(own) else own
    found = {
        name: value
        for name, value in json_schema(field).items()
        if name in _BOUNDS
        and known.get(name) != value
        and value not in _INT64
        # That no required text is empty is told once (contract/errors#codes).
        and not (name == "minLength" and check_given in field.validators)
    }
    if not found:
        return {}
    source = field.metadata.get("x-bounds-source", "")
    mark = Mark.DOCUMENTED if source else Mark.PROPOSED
    return {**found, "mark": str(mark), "source": cited(source, operation)}


def json_schema(field: fields.Field[Any]) -> Mapping[str, Any]:
    """Return the JSON Schema of a field, without schemas of items or members."""
    if isinstance(field, fields.List | fields.Nested):
        return field.metadata
    found: Mapping[str, Any] = _converter().field2property(field)
    return found


@cache
def _converter() -> Any:
    (plugin,) = specification(title="", version="").plugins
    return plugin.converter


def cited(source: str, operation: Operation) -> str:
    """Return a readable source. Sources without citation get the citation of the operation."""
    own = CITATION.search(operation.source)
    if own and not CITATION.search(source):
        source = ", ".join(filter(None, (source, own[0])))
    return readable(source)


def readable(source: str) -> str:
    """Replace citations of the contract by paths of its pages."""
    return CITATION.sub(rf"{CONTRACT}/\1.md\2", source)
