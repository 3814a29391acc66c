"""The parts of docs/contract that come out of the declarations. `python .ci/contract.py` writes them anew."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from marshmallow import fields

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
from mockserver.web.schemas.fields import Moment, UnixMoment
from mockserver.web.service.rate_limit import GROUPS, LIMITS

PAGES = Path(__file__).parents[1] / CONTRACT

#: A generated part, up to its end mark, the next heading, or the end of the page.
_PART = re.compile(r"(<!-- (\w+) (\S+) -->\n)(.*?)(<!-- end -->|^(?=## )|\Z)", re.DOTALL | re.MULTILINE)
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
    ("pattern", "maxLength"): "{maxLength:,} characters at most, by a pattern",
    ("pattern",): "by a pattern",
}
_LENGTHS = {timedelta(seconds=1): "a second", timedelta(hours=1): "an hour"}
_MOMENTS = {"create": When.CREATION, "update": When.CHANGE}
#: An error of more operations than these is one of nearly all.
_MANY = 8
_OK = 200
#: An object is written as another one, if that saves more words than these.
_SAVED = 4
#: What the pages call the marks of the record.
_MARKS = {"documented": "documented", "observed": "recorded", "proposed": "proposed"}

#: How the pages abbreviate the sources that most members have.
_OPENAPI = {
    "OpenAPI document of February 2026": "OpenAPI 2026-02",
    "OpenAPI document of September 2026": "OpenAPI 2026-09",
    "OpenAPI document of 2024/25": "OpenAPI 2024/25",
}

#: The note of members, unless a page has another one.
_DEFAULT = "OpenAPI 2026-02"


# ---------------------------------------------------------------------- operations


class Member(NamedTuple):
    """A member of an object, with all members below it."""

    name: str
    is_required: bool
    #: Type and bounds.
    form: str
    #: Mark and source.
    note: str
    below: frozenset[Member]


class Place(NamedTuple):
    """An object of an operation: `path` is empty for a whole body, answer, path or query."""

    operation: str
    location: str
    path: str


class Shown(NamedTuple):
    """How an object is written: a line, and the members of which a line follows."""

    text: str
    follow: tuple[str, ...]


@cache
def _objects() -> dict[Place, dict[str, Member]]:
    """Return the objects of all operations in the order of the record, with their members by name."""
    objects: dict[Place, dict[str, Member]] = {}
    for name, declared in ALL_OPERATIONS.items():
        found = record([declared])["operations"][name]
        rows = list(zip(found["fields"], _fields(declared), strict=True))
        for location in dict.fromkeys(entry["in"] for entry in found["fields"]):
            own = [(entry["name"], field, entry) for entry, field in rows if entry["in"] == location]
            _add_objects(objects, Place(name, location, ""), own, _own(found["source"]))
    return objects


def _add_objects(
    objects: dict[Place, dict[str, Member]], place: Place, rows: list[tuple[str, Any, Any]], own: re.Match[str]
) -> frozenset[Member]:
    """Add an object and the objects within it. Return its members."""
    prefix = f"{place.path}." if place.path else ""
    members = objects[place] = {}
    for path, field, entry in rows:
        name = path.removeprefix(prefix)
        if not path.startswith(prefix) or "." in name:
            continue
        within = [row for row in rows if row[0].startswith(f"{path}.")]
        below = _add_objects(objects, place._replace(path=path), within, own) if within else frozenset()
        form = ", ".join(filter(None, (_form(field), _bounds(entry.get("bounds", {})))))
        members[name] = Member(name, field.required, form, _note(entry, own), below)
    return frozenset(members.values())


def operation(name: str) -> Iterator[str]:
    """The members and the errors of an operation, each with its mark and its source."""
    declared = ALL_OPERATIONS[name]
    found = record([declared])["operations"][name]
    own = _own(found["source"])
    if found["fields"]:
        common = _most(_note(entry, own) for entry in found["fields"])
        yield f"Members{_aside(common, _DEFAULT)}:\n"
        for place in _objects():
            if place.operation == name and not place.path:
                yield from _lines(place, common)
    if found["errors"]:
        common = _most(_note(entry, own) for entry in found["errors"])
        yield f"\nErrors ({common}):\n"
        yield from _errors(name, common)


@cache
def _error_lines(name: str) -> dict[str, tuple[str, str]]:
    """Return what an operation's errors mean, and their notes, by status and code."""
    found = record([ALL_OPERATIONS[name]])["operations"][name]
    own = _own(found["source"])
    return {f"{row['status']} `{row['code']}`": (row["when"], _note(row, own)) for row in found["errors"]}


def _errors(name: str, common: str) -> Iterator[str]:
    """Write the errors of an operation: those of an earlier one on the page by its name, and the others."""
    errors, page = _error_lines(name), _page(name)
    earlier = [other for other in takewhile(lambda other: other != name, ALL_OPERATIONS) if _page(other) == page]
    shared = {other: [key for key, row in errors.items() if _error_lines(other).get(key) == row] for other in earlier}
    like = max(shared, key=lambda other: len(shared[other]), default="")
    same = shared[like] if like and len(shared[like]) > 1 else []
    for key, (when, note) in errors.items():
        if key not in same:
            yield f"- {key}: {when}{_aside(note, common)}"
    if same:
        yield f"- as {_operation(like, page)}: {', '.join(same)}"


def _own(source: str) -> re.Match[str]:
    """The place of an operation itself."""
    (place,) = _PLACE.finditer(source)
    return place


def _fields(declared: Operation) -> Iterator[Any]:
    """Yield the fields of an operation, in the order of the record."""
    for schema in (declared.path_schema, declared.query_schema, declared.body_schema, declared.answer_schema):
        for found in marked_fields(schema()) if schema is not None else ():
            yield found.field


def _most(notes: Iterable[str]) -> str:
    ((note, _),) = Counter(notes).most_common(1)
    return note


def _lines(place: Place, common: str) -> Iterator[str]:
    """Write an object and the objects within it: a line each."""
    shown = _shown(place, common)
    yield f"    - `{place.path}`: {shown.text}" if place.path else f"- {place.location}: {shown.text}"
    for name in shown.follow:
        yield from _lines(place._replace(path=f"{place.path}.{name}".strip(".")), common)


def _shown(place: Place, common: str) -> Shown:
    """Write an object in the fewest words: by its members, or by what differs from an earlier object."""
    members = _objects()[place]
    shown = Shown(_members(members.values(), common), _follow(members.values()))
    earlier = [other for other in takewhile(lambda other: other != place, _objects()) if _is_near(other, place)]
    likes = [like for other in earlier for like in _like(place, other, common)]

    def size(way: Shown) -> int:
        return len(way.text.split()) + sum(_size(members[name]) for name in way.follow)

    return min(likes, key=size) if likes and min(map(size, likes)) + _SAVED < size(shown) else shown


def _is_near(other: Place, place: Place) -> bool:
    """Return whether an object is on the same page, and does not hold the other one."""
    is_holder = other[:2] == place[:2] and place.path.startswith(other.path)
    return not is_holder and _page(other.operation) == _page(place.operation)


def _like(place: Place, other: Place, common: str) -> Iterator[Shown]:
    """Yield an object as another one with differences, if it has more in common with it than not."""
    members, base = _objects()[place], _objects()[other]
    remark = ""
    if not any(member.is_required for member in members.values()) and any(each.is_required for each in base.values()):
        base = {name: member._replace(is_required=False) for name, member in base.items()}
        remark = ", all optional"
    more = [member for name, member in members.items() if base.get(name) != member]
    if len(more) * 2 < len(members):
        without = ", ".join(f"`{name}`" for name in base if name not in members)
        text = f"as {_other(other, place)}{remark}"
        text += f", without {without}" if without else ""
        text += f"; also {_members(more, common)}" if more else ""
        yield Shown(text, _follow(more))


def _other(other: Place, place: Place) -> str:
    path = f" `{other.path}`" if other.path else ""
    link = "" if other.operation == place.operation else f"[{other.operation}](#{other.operation}) "
    return f"{link}{other.location}{path}"


def _size(member: Member) -> int:
    """The words of a member's own line, roughly."""
    return sum(2 + _size(each) for each in member.below)


def _follow(members: Iterable[Member]) -> tuple[str, ...]:
    return tuple(member.name for member in members if member.below)


def _members(members: Iterable[Member], common: str) -> str:
    """Write members: a sentence for each mark and source, in which members of the same type are together."""
    notes: dict[str, dict[str, list[str]]] = {}
    for member in members:
        name = f"**`{member.name}`**" if member.is_required else f"`{member.name}`"
        notes.setdefault(member.note, {}).setdefault(member.form, []).append(name)
    return ". ".join(
        "; ".join(f"{', '.join(names)} {form}".strip() for form, names in forms.items()) + _aside(note, common)
        for note, forms in notes.items()
    )


def _form(field: Any) -> str:
    """The type of a field; nothing for an object. A list, which its name shows, has the type of its items."""
    if isinstance(field, fields.List):
        return _form(field.inner)
    schema = json_schema(field)
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    if isinstance(field, Moment):
        return "integer" if isinstance(field, UnixMoment) else "date-time"
    type_ = schema.get("type", "object")
    words = " or ".join(type_) if isinstance(type_, list) else type_
    return "" if words == "object" else schema.get("format", words)


def _bounds(bounds: dict[str, Any]) -> str:
    """Bounds in words; in italics, if they are proposed."""
    names = tuple(name for name in sorted(bounds, reverse=True) if name not in ("mark", "source"))
    words = _BOUNDS.get(names, ", ".join(f"{name} {{{name}}}" for name in names)).format(**bounds)
    return f"*{words}*" if names and bounds["mark"] == Mark.PROPOSED else words


def _aside(note: str, common: str) -> str:
    return "" if note == common else f" ({note})"


def _note(entry: dict[str, Any], own: re.Match[str]) -> str:
    """The mark and the source of an entry; a source alone says that it is documented there.

    The place of the operation itself is left out: its section describes the source.
    """
    others = [part for part in entry["source"].split(", ") if part != own[0]]
    source = _PLACE.sub(lambda place: _link(place, own[1]), ", ".join(others))
    for title, short in _OPENAPI.items():
        source = source.replace(title, short)
    mark = f"in code, {entry['programs']}" if "programs" in entry else _MARKS[entry["mark"]]
    if entry["mark"] == Mark.DOCUMENTED and source:
        return source
    return f"{mark}: {source}" if source else mark


def _link(place: re.Match[str], page: str) -> str:
    target, anchor = place[1], place[2]
    return f"[{anchor or target}]({'' if target == page else f'{target}.md'}{f'#{anchor}' if anchor else ''})"


# ---------------------------------------------------------------------- what else is declared


def machine(name: str) -> Iterator[str]:
    """The diagram of a state machine."""
    yield f"```mermaid\n{LIFECYCLES[name].machine.mermaid()}\n```"


def codes(_: str) -> Iterator[str]:
    """Every error code, and the operations that document it."""
    givers: dict[str, list[str]] = {code: [] for code in ALL_CODES}
    for name, declared in ALL_OPERATIONS.items():
        for code in dict.fromkeys(error.code.code for error in declared.errors):
            givers[code].append(_operation(name))
    for name, given in ALL_CODES.items():
        message = "" if given.message == name else f' "{given.message}"'
        many = [f"{len(givers[name])} operations"] if len(givers[name]) > _MANY else givers[name]
        yield f"- {given.status} `{name}`{message}{': ' if many else ''}{', '.join(many)}"


def limits(_: str) -> Iterator[str]:
    """How many requests a window takes, by group of paths and tier."""
    yield from _head("paths", *LIMITS)
    for group, paths in GROUPS.items():
        yield _row(paths, *(_windows(tier[group]) for tier in LIMITS.values()))


def _windows(windows: Iterable[tuple[int, timedelta]]) -> str:
    return " and ".join(f"{count:,} {_LENGTHS[length]}" for count, length in windows)


def events(kind: str) -> Iterator[str]:
    """The events of a type and a channel, by the members of their payloads."""
    category = Category(*kind.split("/"))
    rows = {f"`{name}`{_about(row)}": _payload(row, category) for name, row in BY_NAME[category].items()}
    for payload in dict.fromkeys(rows.values()):
        yield f"- {payload}: {'; '.join(name for name, members in rows.items() if members == payload)}"


def _about(row: Any) -> str:
    """What payloads call an event, if not by its name; when it cannot be subscribed to; who gets it instead."""
    sent_as = row.sent_as.name if isinstance(row, RaisedEvent) else row.name
    when = [word for word, moment in _MOMENTS.items() if moment & row.when]
    notes = [f"on {when[0]} only"] if len(when) == 1 else []
    if isinstance(row, RaisedEvent) and row.sent_to != (row.name,):
        notes += [f"to subscribers of {' and '.join(f'`{name}`' for name in row.sent_to)}"] if row.sent_to else []
    return (f" as `{sent_as}`" if sent_as != row.name else "") + (f" ({', '.join(notes)})" if notes else "")


def _payload(row: Any, category: Category) -> str:
    if not isinstance(row, RaisedEvent):
        return "the mail"
    adds = row.adds(
        Occurrence(category, row.name, "bob@example.test", datetime(2026, 1, 1, tzinfo=UTC), "<1@acme.test>")
    )
    return ", ".join([row.members.__name__.replace("_", " "), *(f"`{member}`" for member in adds)])


def scopes(_: str) -> Iterator[str]:
    """The scopes that operations need."""
    for name in CATALOGUE:
        needing = [_operation(key) for key, declared in API_OPERATIONS.items() if declared.needs == name]
        if needing:
            yield f"- `{name}`: {', '.join(needing)}"


def behaviour(_: str) -> Iterator[str]:
    """The switches of `behaviour:`, with the value of each preset, and the pages that describe them."""
    schema = BehaviourItem()
    texts = {path: path.read_text(encoding="utf-8") for path in _paths()}
    documented, recorded = (schema.dump(PRESETS[preset]) for preset in (DOCUMENTED, RECORDED))
    for name in [name for name in documented if name != "preset"]:
        pages = [f"[{path.stem}]({path.name})" for path, page in texts.items() if f"`behaviour.{name}" in page]
        values = f"`{_in_line(documented[name])}`"
        if recorded[name] != documented[name]:
            values += f" (`recorded`: `{_in_line(recorded[name])}`)"
        meaning = schema.fields[name].metadata["description"]
        source = f" ({OBSERVED[name].source})" if name in OBSERVED else ""
        yield f"- `{name}`: {values}; {meaning}{source}{'; ' if pages else ''}{', '.join(pages)}"


def _in_line(value: object) -> str:
    """As YAML in one line has it, without the sign for the document's end that follows a word."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=1000, sort_keys=False).removesuffix("...\n")
    return text.strip()


def beyond(_: str) -> Iterator[str]:
    """The operations that the service has and the mock has not, by their paths; a status unless it is 200."""
    for path, rows in groupby(catalogue().values(), key=lambda row: row.path):
        calls = [f"{row.method} `{row.id}`{'' if row.status == _OK else f' {row.status}'}" for row in rows]
        yield f"- `{path}`: {', '.join(calls)}"


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


def _operation(name: str, here: str = "") -> str:
    """A link to an operation from the page `here`."""
    page = _page(name)
    return f"[{name}]({'' if page == here else f'{page}.md'}#{name})"


def _page(operation: str) -> str:
    """The page of an operation, which is called like the folder of its resource."""
    return next(resource.name for resource in RESOURCES for each in resource.operations if each.id == operation)


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
    return f"{head}\n{lines}\n\n{end}" if part.end() < len(part.string) else f"{head}\n{lines}\n"


if __name__ == "__main__":
    for page in _paths():
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
