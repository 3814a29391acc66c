"""The parts of docs/contract that come out of the declarations. `python .ci/contract.py` writes them anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from mockserver.beyond.catalogue import catalogue
from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.contract.operation import Mark, Operation
from mockserver.core.state.behaviour import DOCUMENTED, OBSERVED, PRESETS, RECORDED
from mockserver.evidence.fidelity import CONTRACT, json_schema, marked_fields, record
from mockserver.resources.oauth.discovery import CATALOGUE
from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS, LIFECYCLES, RESOURCES
from mockserver.resources.webhooks.catalogue import BY_NAME
from mockserver.resources.webhooks.event import Category, Occurrence, RaisedEvent, When
from mockserver.scenario.behaviour import BehaviourItem
from mockserver.web.service.rate_limit import GROUPS, LIMITS

PAGES = Path(__file__).parents[1] / CONTRACT

_PART = re.compile(r"(<!-- generated: (\w+) (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
#: A place of these pages, as the record cites it.
_PLACE = re.compile(rf"{re.escape(CONTRACT)}/([\w-]+)\.md(?:#([\w-]+))?")
#: How bounds read, by what there is of them.
_BOUNDS = {
    ("minimum", "maximum"): "{minimum} to {maximum}",
    ("minimum",): "{minimum} or more",
    ("maximum",): "{maximum} or less",
    ("minItems",): "{minItems} item at least",
    ("maxItems",): "{maxItems} items at most",
    ("maxLength",): "{maxLength:,} characters at most",
    ("maxLength", "pattern"): "{maxLength:,} characters at most, by a pattern",
    ("pattern",): "by a pattern",
}
_LENGTHS = {timedelta(seconds=1): "a second", timedelta(hours=1): "an hour"}
_MOMENTS = {"create": When.CREATION, "update": When.CHANGE}
#: An error of more operations than these is one of nearly all.
_MANY = 8
#: What the pages call the marks of the record.
_MARKS = {"documented": "documented", "observed": "recorded", "proposed": "proposed"}


# ---------------------------------------------------------------------- operations


def operation(name: str) -> Iterator[str]:
    """The fields and the errors of an operation, each with its mark and its source."""
    declared = ALL_OPERATIONS[name]
    found = record([declared])["operations"][name]
    own = _own(found["source"])
    if found["fields"]:
        yield from _head("in", "name", "type", "bounds", "source", "mark")
        for entry, told in zip(found["fields"], _fields(declared), strict=True):
            yield _row(entry["in"], *told, _bounds(entry.get("bounds", {})), _source(entry, own), _mark(entry))
    if found["errors"]:
        yield ""
        yield from _head("status", "code", "when", "source", "mark")
        for entry in found["errors"]:
            yield _row(entry["status"], f"`{entry['code']}`", entry["when"], _source(entry, own), _mark(entry))


def _own(source: str) -> re.Match[str]:
    """The place of an operation itself."""
    (place,) = _PLACE.finditer(source)
    return place


def _fields(declared: Operation) -> Iterator[tuple[str, str]]:
    """Names and types, in the order of the record."""
    for schema in (declared.path_schema, declared.query_schema, declared.body_schema, declared.answer_schema):
        for found in marked_fields(schema()) if schema is not None else ():
            name = f"`{found.path}`"
            yield f"**{name}**" if found.field.required else name, _form(found.field)


def _form(field: Any) -> str:
    schema = json_schema(field)
    type_ = schema.get("type", "array" if schema.get("minItems") else "")
    words = " or ".join(type_) if isinstance(type_, list) else type_
    if "enum" in schema:
        words = ", ".join(f"`{value}`" for value in schema["enum"])
    return " ".join(filter(None, (words or _container(field), schema.get("format", ""))))


def _container(field: Any) -> str:
    return "array" if hasattr(field, "inner") else "object"


def _bounds(told: dict[str, Any]) -> str:
    names = tuple(name for name in told if name not in ("mark", "source"))
    words = _BOUNDS.get(names, ", ".join(f"{name} {{{name}}}" for name in names))
    return f"{words.format(**told)} ({told['mark']})" if names else ""


def _source(entry: dict[str, Any], own: re.Match[str]) -> str:
    """A source as a page tells it: places are links, and that of the operation itself is left out.

    Where there is no other, the section says in words what stands behind it, unless the entry is proposed.
    """
    others = [part for part in entry["source"].split(", ") if part != own[0]]
    none = "-" if entry["mark"] == Mark.PROPOSED else "this section"
    return _PLACE.sub(lambda place: _link(place, own[1]), ", ".join(others) or none)


def _link(place: re.Match[str], page: str) -> str:
    target, anchor = place[1], place[2]
    return f"[{anchor or target}]({'' if target == page else f'{target}.md'}{f'#{anchor}' if anchor else ''})"


def _mark(entry: dict[str, Any]) -> str:
    return f"in code, {entry['programs']}" if "programs" in entry else _MARKS[entry["mark"]]


# ---------------------------------------------------------------------- what else is declared


def machine(name: str) -> Iterator[str]:
    """A state machine: its rows, and the diagram that is drawn from them."""
    found = LIFECYCLES[name].machine
    yield from _head("event", "from", "to")
    for row in found.transitions:
        timer = " (timer)" if row.event in found.timed else ""
        yield _row(f"`{row.event}`{timer}", f"`{row.source}`", f"`{row.target}`")
    yield f"\n```mermaid\n{found.mermaid()}\n```"


def codes(_: str) -> Iterator[str]:
    """Every error code, and the operations that document it."""
    givers: dict[str, list[str]] = {code: [] for code in ALL_CODES}
    for name, declared in ALL_OPERATIONS.items():
        for code in dict.fromkeys(error.code.code for error in declared.errors):
            givers[code].append(_operation(name))
    yield from _head("code", "status", "message", "documented by")
    for name, code in ALL_CODES.items():
        message = "the code itself" if code.message == name else code.message
        told = f"{len(givers[name])} operations" if len(givers[name]) > _MANY else ", ".join(givers[name])
        yield _row(f"`{name}`", code.status, message, told)


def limits(_: str) -> Iterator[str]:
    """How many requests a window takes, by group of paths and tier."""
    yield from _head("paths", *LIMITS)
    for group, paths in GROUPS.items():
        yield _row(paths, *(_windows(tier[group]) for tier in LIMITS.values()))


def _windows(windows: Iterable[tuple[int, timedelta]]) -> str:
    return " and ".join(f"{count:,} {_LENGTHS[length]}" for count, length in windows)


def events(kind: str) -> Iterator[str]:
    """The events of a type and a channel."""
    category = Category(*kind.split("/"))
    yield from _head("event", "subscribed to on", "told as", "members", "told to subscribers of")
    for name, row in BY_NAME[category].items():
        when = ", ".join(word for word, moment in _MOMENTS.items() if moment & row.when)
        yield _row(
            f"`{name}`", when or "-", *(_told(row, category) if isinstance(row, RaisedEvent) else ("-", "the mail", ""))
        )


def _told(row: RaisedEvent, category: Category) -> tuple[str, str, str]:
    """What payloads call an event, which members they have, and who is told, if not its own subscribers."""
    adds = row.adds(
        Occurrence(category, row.name, "bob@example.test", datetime(2026, 1, 1, tzinfo=UTC), "<1@acme.test>")
    )
    members = [row.members.__name__.replace("_", " "), *(f"`{member}`" for member in adds)]
    return f"`{row.sent_as.name}`", ", ".join(members), ", ".join(f"`{name}`" for name in row.sent_to)


def scopes(_: str) -> Iterator[str]:
    """The scopes that operations need."""
    yield from _head("scope", "operations that need it")
    for name in CATALOGUE:
        needing = [_operation(key) for key, declared in API_OPERATIONS.items() if declared.needs == name]
        if needing:
            yield _row(f"`{name}`", ", ".join(needing))


def behaviour(_: str) -> Iterator[str]:
    """What a scenario can say under `behaviour:`: both presets, what was observed, and the pages that tell of it."""
    schema = BehaviourItem()
    texts = {path: path.read_text(encoding="utf-8") for path in _paths()}
    documented, recorded = (schema.dump(PRESETS[preset]) for preset in (DOCUMENTED, RECORDED))
    yield from _head("switch", DOCUMENTED, RECORDED, "observed", "meaning", "told in")
    for name in [name for name in documented if name != "preset"]:
        told = [f"[{path.stem}]({path.name})" for path, page in texts.items() if f"`behaviour.{name}" in page]
        meaning = schema.fields[name].metadata["description"]
        source = OBSERVED[name].source if name in OBSERVED else "-"
        values = (f"`{_in_line(preset[name])}`" for preset in (documented, recorded))
        yield _row(f"`{name}`", *values, source, meaning, ", ".join(told) or "-")


def _in_line(value: object) -> str:
    """As YAML in one line has it, without the sign for the document's end that follows a word."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=1000, sort_keys=False).removesuffix("...\n")
    return text.strip()


def beyond(_: str) -> Iterator[str]:
    """The operations that the service has and the mock has not, in the order of their paths."""
    yield from _head("operation", "method", "path", "status")
    for row in catalogue().values():
        yield _row(f"`{row.id}`", row.method, f"`{row.path}`", row.status)


def index(_: str) -> Iterator[str]:
    """The pages of the resources, with their operations and state machines."""
    yield from _head("page", "operations", "state machine")
    for resource in RESOURCES:
        page = f"{resource.name}.md"
        (title,) = _TITLE.findall((PAGES / page).read_text(encoding="utf-8"))
        names = ", ".join(_operation(each.id) for each in resource.operations)
        machines = ", ".join(f"`{lifecycle.machine.name}`" for lifecycle in resource.lifecycles)
        yield _row(f"[{title}]({page})", names or "-", machines or "-")


# ---------------------------------------------------------------------- pages


def _operation(name: str) -> str:
    """A link to an operation, on the page that is called like the folder of its resource."""
    page = next(resource.name for resource in RESOURCES for each in resource.operations if each.id == name)
    return f"[{name}]({page}.md#{name})"


def _paths() -> list[Path]:
    return sorted(PAGES.glob("*.md"))


def _head(*cells: str) -> Iterator[str]:
    yield _row(*cells)
    yield _row(*["---"] * len(cells))


def _row(*cells: object) -> str:
    return f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in cells)} |"


_PARTS: dict[str, Callable[[str], Iterator[str]]] = {
    part.__name__: part for part in (operation, machine, codes, limits, events, scopes, behaviour, beyond, index)
}


def written(text: str) -> str:
    """The text of a page with every generated part as the declarations have it now."""
    return _PART.sub(_written, text)


def _written(part: re.Match[str]) -> str:
    head, kind, name, _, end = part.groups()
    lines = "\n".join(_PARTS[kind](name)).strip()
    return f"{head}\n{lines}\n\n{end}"


if __name__ == "__main__":
    for page in _paths():
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
