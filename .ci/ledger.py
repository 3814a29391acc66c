"""The parts of docs/ledger.md that come out of the declarations. `python .ci/ledger.py` writes them anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mockserver.core.contract.operation import Mark, Operation
from mockserver.evidence.fidelity import LEDGER, form, marked_fields, record
from mockserver.resources.registry import OPERATIONS

DOCUMENT = Path(__file__).parents[1] / LEDGER

_PART = re.compile(r"(<!-- generated: (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
#: A section of the ledger itself, as the record cites it.
_SECTION = re.compile(rf"{re.escape(LEDGER)}#([\d.]+\d|\d)")
#: How bounds read, by what there is of them.
_BOUNDS = {
    ("minimum", "maximum"): "{minimum} to {maximum}",
    ("minimum",): "{minimum} or more",
    ("maximum",): "{maximum} or less",
    ("minItems",): "{minItems} item at least",
    ("maxItems",): "{maxItems} items at most",
    ("maxLength",): "{maxLength:,} characters at most",
    ("pattern",): "by a pattern",
}


def evidence(operation: Operation) -> Iterator[str]:
    """The fields and the errors of an operation, each with its mark and its source."""
    found = record([operation])["operations"][operation.id]
    (own,) = set(_SECTION.findall(found["source"]))
    if found["fields"]:
        yield from _row("in", "name", "form", "bounds", "source", "mark")
        yield from _row(*["---"] * 6)
        for entry, told in zip(found["fields"], _fields(operation), strict=True):
            yield from _row(entry["in"], *told, _bounds(entry.get("bounds", {})), _source(entry, own), _mark(entry))
        yield ""
    if found["errors"]:
        yield from _row("status", "code", "when", "source", "mark")
        yield from _row(*["---"] * 5)
        for entry in found["errors"]:
            yield from _row(entry["status"], f"`{entry['code']}`", entry["when"], _source(entry, own), _mark(entry))


def _fields(operation: Operation) -> Iterator[tuple[str, str]]:
    """Names and forms, in the order of the record."""
    for schema in (operation.path_schema, operation.query_schema, operation.body_schema, operation.answer_schema):
        for found in marked_fields(schema()) if schema is not None else ():
            name = f"`{found.path}`"
            yield f"**{name}**" if found.field.required else name, _form(found.field)


def _form(field: Any) -> str:
    told = form(field)
    kind = told.get("type", "array" if told.get("minItems") else "")
    words = " or ".join(kind) if isinstance(kind, list) else kind
    if "enum" in told:
        words = ", ".join(f"`{value}`" for value in told["enum"])
    return " ".join(filter(None, (words or _container(field), told.get("format", ""))))


def _container(field: Any) -> str:
    return "array" if hasattr(field, "inner") else "object"


def _bounds(told: dict[str, Any]) -> str:
    names = tuple(name for name in told if name not in ("mark", "source"))
    words = _BOUNDS.get(names, ", ".join(f"{name} {{{name}}}" for name in names))
    return f"{words.format(**told)} ({told['mark']})" if names else ""


def _source(entry: dict[str, Any], own: str) -> str:
    """A source as it is told in the ledger: sections are links, and that of the operation itself is left out.

    Where there is no other, the section says in words what stands behind it, unless the entry is proposed.
    """
    others = [part for part in entry["source"].split(", ") if part != f"{LEDGER}#{own}"]
    none = "-" if entry["mark"] == Mark.PROPOSED else "this section"
    return _SECTION.sub(r"[\1](#\1)", ", ".join(others) or none)


def _mark(entry: dict[str, Any]) -> str:
    return f"in code, {entry['programs']}" if "programs" in entry else _WORDS[entry["mark"]]


#: What the ledger calls the marks of the record.
_WORDS = {"documented": "documented", "observed": "recorded", "proposed": "proposed"}


def _row(*cells: object) -> Iterator[str]:
    yield f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in cells)} |"


def written(text: str) -> str:
    """The text with every generated part as the declarations have it now."""
    return _PART.sub(_written, text)


def _written(part: re.Match[str]) -> str:
    head, name, _, end = part.groups()
    return "\n".join([head.rstrip(), "", *evidence(OPERATIONS[name]), "", end])


if __name__ == "__main__":
    DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
