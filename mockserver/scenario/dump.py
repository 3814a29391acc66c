"""Dumping a workspace as a scenario document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import yaml

from mockserver.core.state.state import Account
from mockserver.core.traffic.causes import DELIVERY, TIMER, Cause
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import Delivery
from mockserver.resources.section import write_instant
from mockserver.scenario.behaviour import dump_behaviour
from mockserver.scenario.documents.reading import NUMBER, OF_NUMBERS
from mockserver.scenario.faults import dump_fault
from mockserver.scenario.schema import SECTIONED, IdentityItem
from mockserver.scenario.vary import dump_vary

try:
    from yaml import CSafeDumper as _Dumper
except ImportError:  # pragma: no cover  # wheels without libyaml
    from yaml import SafeDumper as _Dumper  # type: ignore[assignment]  # the same interface

#: How many rows libyaml writes in one call, during which no other thread runs: some ten milliseconds.
_ROWS_AT_ONCE = 100


class _Writer(_Dumper):
    """A YAML dumper without aliases: repeated values count towards a limit when the document is read."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def text(self, text: str) -> yaml.ScalarNode:
        """Write texts with U+2028 or U+2029, which end a line of YAML 1.1 only, with escapes."""
        style = '"' if "\u2028" in text or "\u2029" in text else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style)

    def moment(self, moment: datetime) -> yaml.ScalarNode:
        """Write a moment of a document as text, in UTC if it has no zone."""
        return self.text(write_instant(moment if moment.tzinfo else moment.replace(tzinfo=UTC)))


_Writer.add_representer(str, _Writer.text)
_Writer.add_representer(datetime, _Writer.moment)
_Writer.add_multi_representer(dict, _Writer.represent_dict)
_Writer.add_multi_representer(list, _Writer.represent_list)
# Quote more texts than PyYAML does: those that another reader of YAML 1.1 or 1.2 would not read as text.
_Writer.add_implicit_resolver("!number", NUMBER, OF_NUMBERS)
_Writer.add_implicit_resolver("!boolean", re.compile(r"[yYnN]\Z"), "yYnN")

_IDENTITY = IdentityItem()


def dump(workspace: Workspace) -> dict[str, Any]:
    """Return a workspace as scenario document, which recreates an equal state."""
    found: dict[str, Any] = {
        "description": workspace.state.description,
        "clock": {"start": write_instant(workspace.state.clock.now()), "frozen": workspace.state.clock.frozen},
        "seed": workspace.state.random.seed,
        "solution": workspace.state.solution,
        "strict": workspace.state.strict,
        "behaviour": dump_behaviour(workspace.state.behaviour),
    }
    for resource in SECTIONED:
        if resource.workspace is not None:
            found.update(resource.workspace.dump(workspace))
    found["accounts"] = [_account(workspace, account) for account in workspace.state.accounts.values()]
    if workspace.state.faults:
        found["faults"] = [dump_fault(fault) for fault in workspace.state.faults]
    if workspace.state.varied is not None:
        found["vary"] = dump_vary(workspace.state.varied)
    found["resume"] = {
        "ids": dict(workspace.state.last_ids),
        "draws": dict(workspace.state.random.positions),
        "revoked_keys": sorted(workspace.state.revoked_keys),
    }
    if workspace.state.expected is not None:
        found["expect"] = [dict(item) for item in workspace.state.expected.items]
        found["resume"]["sections"] = dict(workspace.state.expected.sections)
    if links := _links(workspace):
        found["resume"]["links"] = links
    return found


def to_yaml(document: dict[str, Any]) -> str:
    """Return a document as YAML, with ids of 24 digits in quotes."""
    return "".join(yaml_chunks(document))


def yaml_chunks(document: dict[str, Any]) -> Iterator[str]:
    """Yield the YAML of a document in chunks of whole lines: libyaml blocks other threads during each chunk."""
    for name, value in document.items():
        if name != "accounts" or not value:
            yield from _member(name, value)
            continue
        yield "accounts:\n"
        for account in value:
            texts = (_inner(text) for key, inner in account.items() for text in _member(key, inner))
            yield f"-{next(texts)[1:]}"
            yield from texts


def _member(name: str, value: Any) -> Iterator[str]:
    """Yield one member of a block mapping, in several chunks if it has many rows."""
    if not isinstance(value, (dict, list)) or len(value) <= _ROWS_AT_ONCE:
        yield _yaml({name: value})
        return
    yield f"{name}:\n"
    rows = list(value.items()) if isinstance(value, dict) else value
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[start : start + _ROWS_AT_ONCE]
        yield _inner(_yaml(dict(some))) if isinstance(value, dict) else _yaml(some)


def _inner(text: str) -> str:
    return "  " + text[:-1].replace("\n", "\n  ") + "\n"


def _yaml(data: Any) -> str:
    text: str = yaml.dump(data, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=120)
    return text


def _account(workspace: Workspace, account: Account) -> dict[str, Any]:
    found: dict[str, Any] = _IDENTITY.dump(account)
    # An empty list of keys is written: an account without the member gets a key when it is loaded.
    found = {name: value for name, value in found.items() if name == "api_keys" or value not in (None, "", [])}
    for resource in SECTIONED:
        if resource.section is not None:
            found.update(resource.section.dump(workspace, account))
    return found


def _links(workspace: Workspace) -> list[dict[str, Any]]:
    """Return links with deliveries and pending timers, oldest first, grouped by effect."""
    timers = workspace.state.timers
    deliveries = {str(key) for _, rows in workspace.state.tables(Delivery) for key in rows}

    def is_kept(thing: Cause) -> bool:
        if thing.kind == DELIVERY:
            return thing.id in deliveries
        return thing.kind == TIMER and timers.get(thing.id) is not None

    found: dict[Cause, dict[Cause, None]] = {}
    for cause, effect in workspace.links:
        if is_kept(cause) or is_kept(effect):
            found.setdefault(effect, {})[cause] = None
    return [{**_cause(effect), "caused_by": list(map(_cause, causes))} for effect, causes in found.items()]


def _cause(cause: Cause) -> dict[str, str]:
    return {"kind": cause.kind, "id": cause.id}
