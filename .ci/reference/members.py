"""The members of scenarios, faults and stubs, out of the JSON Schema of scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mockserver.scenario.json_schema import document as json_schema
from mockserver.scenario.schema import SECTIONED
from reference.examples import examples
from reference.member_types import ELSEWHERE, typed
from reference.tables import code, flow, head, row


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
    for name in _reached(ELSEWHERE):
        yield from _section(name, whole["$defs"][name], name)


def fault_members() -> Iterator[str]:
    """Every member of a fault."""
    yield from _sections("Fault", "Match", "Distribution")


def stub_members() -> Iterator[str]:
    """Every member of a stub."""
    yield from _sections("Stub", "ContentMatch", "Answer", "Store")


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
    yield from head("member", "type", "default", "meaning")
    required = schema.get("required", ())
    for member, value in schema["properties"].items():
        default = code(flow(value["default"])) if "default" in value else "needed" if member in required else ""
        yield row(code(member), typed(value), default, value["description"])
    yield ""
    found = examples().get(name) if title == name else None
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
