"""The members of scenarios, faults and stubs, out of the JSON Schema of scenarios."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from mockserver.scenario.json_schema import document as json_schema
from mockserver.scenario.schema import SECTIONED
from reference.examples import examples
from reference.member_types import ELSEWHERE, typed
from reference.tables import code, flow, repeats, slug

#: A list of more choices than a line shows at a glance.
_CHOICES = re.compile(r"one of \d+: (?:`[^`]+`(?:, )?)+(?<! )")

#: A description of so many words that so many mappings have is given once for all of them.
_LONG, _OFTEN = 5, 3


def scenario_shared() -> Iterator[str]:
    """The members that mean the same in several mappings of a scenario."""
    yield from (f"- {code(member)}: {about}" for member, about in _shared())


@cache
def _shared() -> list[tuple[str, str]]:
    """The members that several mappings of a scenario have with one meaning, each with its description."""
    members = [row for kind in json_schema()["$defs"].values() for row in kind.get("properties", {}).items()]
    found = Counter((member, value.get("description", "")) for member, value in members)
    return [row for row, number in found.items() if number >= _OFTEN and len(row[1].split()) >= _LONG]


def scenario_members() -> Iterator[str]:
    """Every member of a scenario: those of its top, those of accounts, and what stands in them."""
    yield from said_once(_scenario_sections())


def _scenario_sections() -> Iterator[str]:
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
        "What an account has", {"properties": shared}, "Account", "Those of the first account may also be at the top."
    )
    for name in _reached(ELSEWHERE):
        yield from _section(name, whole["$defs"][name], name)


def fault_members() -> Iterator[str]:
    """Every member of a fault; the page lists the kinds elsewhere."""
    for line in _sections("Fault", "Match", "Distribution"):
        yield _CHOICES.sub("[kind](#each-fault)", line) if line.startswith("- `fault`") else line


def stub_members() -> Iterator[str]:
    """Every member of a stub."""
    yield from _sections("Stub", "ContentMatch", "Answer", "Store")


def said_once(lines: Iterable[str], elsewhere: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield the lines of a page; choices that were listed before become a link to the heading with the list.

    Args:
        lines: The lines of the page.
        elsewhere: The links to choices that another page lists.
    """
    listed = dict(elsewhere or {})
    link = ""
    for line in lines:
        link = f"#{slug(line.removeprefix('### '))}" if line.startswith("### ") else link
        shown = line
        for choices in _CHOICES.findall(line):
            if (first := listed.setdefault(choices, link)) != link:
                shown = shown.replace(choices, f"[{choices.partition(':')[0]}]({first})")
        yield shown


def scenario_choices() -> dict[str, str]:
    """The links to the choices that the page of scenarios lists."""
    found: dict[str, str] = {}
    link = ""
    for line in _scenario_sections():
        link = f"scenarios.md#{slug(line.removeprefix('### '))}" if line.startswith("### ") else link
        found = {**dict.fromkeys(_CHOICES.findall(line), link), **found}
    return found


def _sections(*names: str) -> Iterator[str]:
    for name in names:
        yield from _section(name, json_schema()["$defs"][name], name)


def _section(title: str, schema: Mapping[str, Any], name: str, about: str = "") -> Iterator[str]:
    """A heading, a line for each member, and an example from a shipped scenario."""
    yield f"### {title}"
    yield ""
    if about or "description" in schema:
        yield about or schema["description"]
        yield ""
    required = schema.get("required", ())
    rows: dict[str, list[str]] = {}
    for member, value in schema["properties"].items():
        about = value["description"]
        is_known = repeats(f"{name} {member}", about) or (member, about) in _shared()
        said = f"{_facts(value, is_required=member in required)}{'' if is_known else f': {about}'}"
        rows.setdefault(said, []).append(code(member))
    yield from (f"- {', '.join(members)}{said}" for said, members in rows.items())
    yield ""
    found = examples()
    if title == name in found and not any(found[name] in other for other in found.values() if other != found[name]):
        yield f"Example: `{found[name]}`"
        yield ""


def _facts(value: Mapping[str, Any], *, is_required: bool) -> str:
    """What a member takes, in brackets: a text without a default is not worth a word."""
    shown = typed(value).removesuffix(" or null")
    is_nullable = shown != typed(value) and value.get("default", False) is not None
    facts = [shown] if shown != "text" else []
    if is_nullable:
        facts.append("nullable")
    if is_required:
        facts.append("needed")
    elif value.get("default"):
        facts.append(f"default {code(flow(value['default']))}")
    return f" ({'; '.join(facts)})" if facts else ""


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
