"""The reference pages that come out of the code: members of scenarios, faults and stubs, commands, control calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import yaml

from mockserver import create_app
from mockserver.beyond.sections import SECTIONED
from mockserver.cli import commands as program
from mockserver.cli.framework.commands import Command
from mockserver.cli.framework.help import default_of
from mockserver.cli.framework.values import OneOf
from mockserver.core.state.fault_kinds import FAULT_KINDS, FaultKind
from mockserver.scenario.documents.library import Library
from mockserver.scenario.json_schema.document import document as json_schema
from mockserver.scenario.rules.fault_codes import operations_of

#: The longest example of a member, in characters. Chosen: to fit on a screen without scrolling sideways too far.
_LONGEST_EXAMPLE = 240
#: Where the definitions of the JSON Schema that have a page of their own are told.
_ELSEWHERE = {
    "Behaviour": "#behaviour", "Fault": "faults.md#fault", "Match": "faults.md#match",
    "Distribution": "faults.md#distribution", "Stub": "stubs.md#stub", "ContentMatch": "stubs.md#contentmatch",
}  # fmt: skip
#: What JSON calls its types, in words.
_TYPES = {
    "string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "null",
    "object": "mapping", "array": "list",
}  # fmt: skip


def row(*cells: object) -> str:
    """A line of a table; what stands in a cell cannot end it."""
    return f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in cells)} |"


def _head(*cells: str) -> Iterator[str]:
    yield row(*cells)
    yield row(*["---"] * len(cells))


def _code(value: object) -> str:
    return f"`{value}`"


def _flow(value: object) -> str:
    """A value as YAML in one line."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=False, allow_unicode=True)
    return text.removesuffix("...\n").strip()


# ---------------------------------------------------------------------- members


def scenario_members() -> Iterator[str]:
    """Every member of a scenario: those of its top, those of accounts, and what stands in them."""
    whole = json_schema()
    account = whole["$defs"]["Account"]
    own = {name: value for name, value in whole["properties"].items() if name not in account["properties"]}
    shared = {name: value for name, value in account["properties"].items() if name in whole["properties"]}
    alone = {name: value for name, value in account["properties"].items() if name not in whole["properties"]}
    late = frozenset[str]().union(*(resource.workspace_members for resource in SECTIONED))
    top = {name: own[name] for name in sorted(own, key=late.__contains__)}
    yield from _section("The top", {"properties": top}, "Scenario", "What concerns the whole workspace.")
    yield from _section("Account", {**account, "properties": alone}, "Account", "Who owns it, and what opens it.")
    yield from _section(
        "What an account has", {"properties": shared}, "Account", "For the first account it may also stand at the top."
    )
    for name in _reached(_ELSEWHERE):
        yield from _section(name, whole["$defs"][name], name)


def fault_members() -> Iterator[str]:
    """Every member of a fault."""
    yield from _sections("Fault", "Match", "Distribution")


def stub_members() -> Iterator[str]:
    """Every member of a stub."""
    yield from _sections("Stub", "ContentMatch", "Answer", "Refusal", "Store", "Forget")


def _sections(*names: str) -> Iterator[str]:
    for name in names:
        yield from _section(name, json_schema()["$defs"][name], name)


def _section(title: str, schema: Mapping[str, Any], name: str, about: str = "") -> Iterator[str]:
    """A heading, what it is, a table of the members, and one from a shipped scenario."""
    yield f"### {title}"
    yield ""
    if about or "description" in schema:
        yield about or schema["description"]
        yield ""
    yield from _head("member", "type", "default", "meaning")
    required = schema.get("required", ())
    for member, value in schema["properties"].items():
        default = _code(_flow(value["default"])) if "default" in value else "needed" if member in required else ""
        yield row(_code(member), _typed(value), default, value["description"])
    yield ""
    found = _examples().get(name) if title == name else None
    if found is not None:
        yield f"For example `{found}`"
        yield ""


def _reached(skipped: Iterable[str]) -> Iterator[str]:
    """The definitions to which scenarios and accounts lead, in the order of their members, but for those skipped."""
    definitions = json_schema()["$defs"]
    seen = {*skipped, "Account", "Duration", "Instant", "OperationName", "ErrorCode"}
    waiting = [*_references(json_schema()["properties"]), *_references(definitions["Account"]["properties"])]
    while waiting:
        name = waiting.pop(0)
        if name not in seen:
            seen.add(name)
            yield name
            waiting[:0] = _references(definitions[name].get("properties", {}))


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].rpartition("/")[2]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _typed(schema: Mapping[str, Any]) -> str:
    """What a member takes, in few words."""
    if "$ref" in schema:
        return _linked(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return _choices(schema["enum"])
    if "const" in schema:
        return _code(schema["const"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema and not all("format" in inner or "pattern" in inner for inner in schema[keyword]):
            return " or ".join(dict.fromkeys(_typed(inner) for inner in schema[keyword]))
    types = schema.get("type", [])
    if isinstance(types, list) and {"string", "number", "boolean"} <= {*types}:
        return "any value" if "object" in types else "text, number or truth value"
    return " or ".join(_of_type(kind, schema) for kind in ([types] if isinstance(types, str) else types)) or "any value"


def _choices(values: Iterable[Any]) -> str:
    found = [_code(_flow(value)) for value in values]
    return ", ".join(found) if len(found) <= _MOST_CHOICES else f"one of {len(found)}: {', '.join(found)}"


#: More choices than these are counted. Chosen: to see at once that a list is long.
_MOST_CHOICES = 8


def _of_type(kind: str, schema: Mapping[str, Any]) -> str:
    if kind == "array":
        return f"list of {_typed(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"mapping of names to {_typed(schema['additionalProperties'])}"
    if kind == "object" and schema.get("properties"):
        return _code("{" + ", ".join(schema["properties"]) + "}")
    if kind in ("integer", "number"):
        return f"{_TYPES[kind]}{_range(schema)}"
    return _FORMATS.get(schema.get("format", ""), _TYPES[kind]) if kind == "string" else _TYPES[kind]


#: Formats of texts, in words.
_FORMATS = {
    "idn-email": "e-mail address", "idn-hostname": "name of a domain", "uri": "http or https URL", "date": "day",
    "email": "e-mail address", "hostname": "name of a domain", "date-time": "moment", "uuid": "UUID",
}  # fmt: skip
#: Bounds beyond which a number is not worth telling: those of 53 bits and more.
_IMMENSE = 2**53


def _range(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    least = None if least is None or least <= -_IMMENSE else f"{least:,.10g}"
    most = None if most is None or most >= _IMMENSE else f"{most:,.10g}"
    if least is not None and most is not None:
        return f" from {least} to {most}"
    return f" from {least} on" if least is not None else f" up to {most}" if most is not None else ""


def _linked(name: str) -> str:
    if name in ("Duration", "Instant"):
        return {"Duration": "duration", "Instant": "moment"}[name]
    if name in ("OperationName", "ErrorCode"):
        return {"OperationName": "id of an operation", "ErrorCode": "error code"}[name]
    return f"[{name}]({_ELSEWHERE.get(name, f'#{name.lower()}')})"


@cache
def _examples() -> dict[str, str]:
    """The fullest thing of each kind in the shipped scenarios that fits on a line."""
    found: dict[str, str] = {}
    for name in Library().names():
        written = json.loads(
            json.dumps(yaml.safe_load(Library().text(name)), default=lambda moment: moment.isoformat())
        )
        for kind, value in _instances(json_schema(), written):
            text = _flow(value)
            if len(found.get(kind, "")) < len(text) <= _LONGEST_EXAMPLE and "`" not in text:
                found[kind] = text
    return found


def _instances(schema: Mapping[str, Any], value: Any) -> Iterator[tuple[str, Any]]:
    """What stands in a document, with the names of the definitions that it is an instance of."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if isinstance(value, dict):
            yield name, value
        yield from _instances(json_schema()["$defs"][name], value)
    for inner in schema.get("anyOf", ()):
        yield from _instances(inner, value)
    if isinstance(value, dict):
        for member, row_ in schema.get("properties", {}).items():
            if member in value:
                yield from _instances(row_, value[member])
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        for item in value:
            yield from _instances(schema["items"], item)


# ---------------------------------------------------------------------- faults


def fault_kinds() -> Iterator[str]:
    """What the client meets by each fault, where it fits, and what it takes."""
    for name, kind in FAULT_KINDS.items():
        yield f"### {name}"
        yield ""
        yield f"{kind.summary[:1].upper()}{kind.summary[1:].removesuffix('.')}."
        yield ""
        yield from _facts(kind)
        yield ""


def _facts(kind: FaultKind) -> Iterator[str]:
    """Where a fault fits, and its parameters, as items of a list."""
    members = json_schema()["$defs"]["Fault"]["properties"]
    if kind.code is not None:
        fitting = ", ".join(map(_code, operations_of(kind)))
        yield f"- Fits {'every operation' if kind.everywhere else fitting}."
    for parameter in kind.parameters:
        needed = " (needed)" if parameter in kind.required else ""
        yield f"- `{parameter}`{needed}: {members[parameter]['description']}."


# ---------------------------------------------------------------------- commands


def command_options() -> Iterator[str]:
    """Every command with its arguments and options."""
    for path, command in program.walk():
        yield f"### {path}"
        yield ""
        yield from command.help.splitlines()
        yield ""
        if isinstance(command, Command) and path != "mockserver serve":
            yield from _parameters(command)


def _parameters(command: Command) -> Iterator[str]:
    rows = [(argument.title, "", "", argument.help) for argument in command.arguments]
    rows += [
        (option.title, option.envvar or "", default_of(option) or "", f"{option.help}{_words(option.type)}")
        for option in command.options
        if "--help" not in option.title
    ]
    if rows:
        yield from _head("argument or option", "variable", "default", "meaning")
        for name, variable, default, meaning in rows:
            yield row(_code(name), *(_code(text) if text else "" for text in (variable, default)), meaning)
        yield ""


def _words(type_: object) -> str:
    return f" One of {', '.join(map(_code, type_.words))}." if isinstance(type_, OneOf) else ""


# ---------------------------------------------------------------------- control calls


def control_calls() -> Iterator[str]:
    """Every call of the control API with what it takes and what it answers."""
    answer = create_app().test_client().get("/_mock/control.json").json
    assert answer is not None
    for path, methods in sorted(answer["paths"].items()):
        for method, call in methods.items():
            yield f"### {method.upper()} {path}"
            yield ""
            yield call["summary"]
            yield ""
            yield from _Call(answer, call).lines()


class _Call:
    """A call of the control API in its OpenAPI document."""

    def __init__(self, document: Mapping[str, Any], call: Mapping[str, Any]) -> None:
        self._schemas: Mapping[str, Any] = document["components"]["schemas"]
        self._call = call

    def lines(self) -> Iterator[str]:
        """What the call takes, as a table, and what it answers."""
        rows = [*self._taken(), *self._body()]
        if rows:
            yield from _head("where", "name", "type", "meaning")
            yield from (row(*cells) for cells in rows)
            yield ""
        yield from self._answers()
        yield ""

    def _taken(self) -> Iterator[tuple[str, str, str, str]]:
        for parameter in self._call.get("parameters", ()):
            if "name" in parameter:
                about = parameter.get("description") or parameter["schema"].get("description", "")
                yield parameter["in"], _code(parameter["name"]), self._type(parameter["schema"]), about

    def _body(self) -> Iterator[tuple[str, str, str, str]]:
        contents = self._call.get("requestBody", {}).get("content", {})
        schema = next((inner["schema"] for inner in contents.values()), {})
        if schema.get("$ref", "").endswith(("/ScenarioItem", "/SeedItem")):
            yield "body", "", "a [scenario](scenarios.md), as JSON or YAML", ""
            return
        for one in [self._resolved(inner) for inner in schema.get("anyOf", [schema])]:
            for member, value in one.get("properties", {}).items():
                needed = ", needed" if member in one.get("required", ()) else ""
                yield "body", _code(member), f"{self._type(value)}{needed}", value.get("description", "")

    def _answers(self) -> Iterator[str]:
        responses = self._call["responses"]
        good = [status for status in sorted(responses) if status < "400"]
        bad = [status for status in sorted(responses) if status >= "400"]
        for status in good:
            contents = responses[status].get("content", {})
            schema = contents.get("application/json", {}).get("schema", {})
            members = ", ".join(map(_code, self._resolved(schema).get("properties", {})))
            media = ", ".join(_code(media) for media in contents if media != "application/json")
            what = f"{status} with {members}" if members else status
            yield f"Answers {what}{f', or as {media}' if media and members else f' as {media}' if media else ''}."
        if bad:
            yield f"Refuses with {', '.join(bad)}."

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            schema = self._schemas[schema["$ref"].rpartition("/")[2]]
        return schema

    def _type(self, schema: Mapping[str, Any]) -> str:
        """What a member takes; of an object, its members."""
        return re.sub(r"\[(\w+)\]\([^)]*\)", lambda found: self._named(found[1]), _typed(schema))

    def _named(self, name: str) -> str:
        if name == "ScenarioItem":
            return "a [scenario](scenarios.md)"
        if name in ("FaultItem", "StubItem"):
            return {"FaultItem": "a [fault](faults.md#fault)", "StubItem": "a [stub](stubs.md#stub)"}[name]
        members = self._schemas.get(name, {}).get("properties", {})
        return _code("{" + ", ".join(members) + "}") if members else name


PARTS = (scenario_members, fault_members, fault_kinds, stub_members, command_options, control_calls)
