"""A workspace into the document that recreates it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from mockserver.core.state.account import Account
from mockserver.core.state.behaviour import Behaviour
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.registry import RESOURCES
from mockserver.resources.section import write_instant
from mockserver.scenario.rules.faults import dump_fault
from mockserver.scenario.schema import BehaviourItem, IdentityItem

try:
    from yaml import CSafeDumper as _Dumper
except ImportError:  # pragma: no cover  # wheels without libyaml
    from yaml import SafeDumper as _Dumper  # type: ignore[assignment]  # the same interface

#: How many rows are written at once: that takes some ten milliseconds.
_PART = 100


class _Writer(_Dumper):
    """Writes what stands twice twice: an alias would count when it is read again."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_IDENTITY = IdentityItem()
_BEHAVIOUR = BehaviourItem()


def dump(workspace: Workspace) -> dict[str, Any]:
    """The whole workspace as plain data; loading it gives an equal workspace."""
    found: dict[str, Any] = {
        "description": workspace.state.description,
        "clock": {"start": write_instant(workspace.state.clock.now()), "frozen": workspace.state.clock.frozen},
        "seed": workspace.state.random.seed,
        "solution": workspace.state.solution,
        "strict": workspace.state.strict,
        "behaviour": _behaviour(workspace.state.behaviour),
    }
    for resource in RESOURCES:
        if resource.workspace is not None:
            found.update(resource.workspace.dump(workspace))
    found["accounts"] = [_account(workspace, account) for account in workspace.state.accounts.values()]
    if workspace.state.faults:
        found["faults"] = [dump_fault(fault) for fault in workspace.state.faults]
    found["resume"] = {
        "ids": dict(workspace.state.last_ids),
        "draws": dict(workspace.state.random.positions),
        "revoked_keys": sorted(workspace.state.revoked_keys),
    }
    return found


def to_yaml(document: dict[str, Any]) -> str:
    """The document as YAML; ids of 24 digits come out in quotes."""
    return "".join(_pieces(document))


def _pieces(document: dict[str, Any]) -> Iterator[str]:
    """The text of a document in parts: libyaml keeps everybody else waiting until it has written what it was given."""
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
    """One member of a block mapping; a long one in parts, whose texts follow each other as if they were one."""
    if not isinstance(value, (dict, list)) or len(value) <= _PART:
        yield _yaml({name: value})
        return
    yield f"{name}:\n"
    rows = list(value.items()) if isinstance(value, dict) else value
    for start in range(0, len(rows), _PART):
        part = rows[start : start + _PART]
        yield _inner(_yaml(dict(part))) if isinstance(value, dict) else _yaml(part)


def _inner(text: str) -> str:
    """A block as it stands within another one."""
    return "  " + text[:-1].replace("\n", "\n  ") + "\n"


def _yaml(data: Any) -> str:
    text: str = yaml.dump(data, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=120)
    return text


def _behaviour(behaviour: Behaviour) -> dict[str, Any]:
    """What differs from the defaults."""
    default = _BEHAVIOUR.dump(Behaviour())
    return {name: value for name, value in _BEHAVIOUR.dump(behaviour).items() if value != default[name]}


def _account(workspace: Workspace, account: Account) -> dict[str, Any]:
    found: dict[str, Any] = _IDENTITY.dump(account)
    # An account without any key has to say so, else it gets one when it is loaded.
    found = {name: value for name, value in found.items() if name == "api_keys" or value not in (None, "", [])}
    for resource in RESOURCES:
        if resource.section is not None:
            found.update(resource.section.dump(workspace, account))
    return found
