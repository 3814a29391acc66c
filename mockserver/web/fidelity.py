"""The fidelity record: how sure each field and each error of each operation is, read off the declarations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from marshmallow import Schema, fields

from mockserver.core.contract import Operation


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
        "source": operation.source,
        "fields": [
            {"in": place, "name": name, "mark": mark, "source": source or operation.source}
            for place, schema in places.items()
            if schema is not None
            for name, mark, source in marked_fields(schema())
        ],
        "errors": [
            {
                "status": error.status,
                "code": error.code.code,
                "when": error.when,
                "mark": str(error.mark),
                "source": error.source,
            }
            for error in operation.errors
        ],
        "notes": list(operation.notes),
    }


def marked_fields(schema: Schema, prefix: str = "") -> Iterator[tuple[str, str, str]]:
    """Path, mark and source of every field, those of nested schemas included."""
    for name, field in schema.fields.items():
        path = f"{prefix}{field.data_key or name}"
        inner = field
        if isinstance(field, fields.List):
            path, inner = f"{path}[]", field.inner
        yield path, field.metadata["x-fidelity"], field.metadata.get("x-source", "")
        if isinstance(inner, fields.Nested):
            yield from marked_fields(inner.schema, f"{path}.")
