"""Whether two workspaces are the same in everything that outlasts the process: all attributes of all that they hold.

An attribute that is not the same again has to be written down, or to be named here with the reason.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from enum import Enum
from functools import cache

from state_comparison import difference
from stored_workspace import read_again

from mockserver.core.state.state import State
from mockserver.core.state.tables import Tables
from mockserver.core.time.clock import Timers
from mockserver.web.service.beyond import Answered

#: Why an attribute is not kept, by class and name; that of a base counts for all of its classes.
NOT_KEPT = {
    "Exchange.connection": "a connection ends with its process",
    "Workspace.parts": "the resources of the server",
    "Workspace.limits": "the settings of the server",
    "Workspace.on_key": "of the server's store",
    "Workspace.effects": "of the server",
    "Workspace.meter": "of the server, and counts from its start",
    "Workspace.answering": "requests that are under way end with the process",
    "Workspace._by": "set while something happens",
    "Workspace._collectors": "set while something happens",
    "Workspace._watched": "set when the timers are first looked at",
    "Workspace.late": "outcomes that wait for the store are of a process",
    "Workspace.jobs": "calls that are under way end with the process, and whoever loads the workspace makes them again",
    "Workspace.queued": "e-mails that wait in a queue of this process",
    "Workspace.run": "of the server's store",
    "Workspace.after": "of the server's store",
    "Workspace.access": "of this process",
    "Workspace.now": "the last look at the clock",
    "Workspace.opener": "of the server's store",
    "Workspace.watchers": "of this process",
    "Feed.ring": "refer to what is compared elsewhere, as far as it is still there",
    "Feed._written": "written again",
    "Journal._completed_at": "says what is to be written once more",
    "Exchange.held": "connections end with the process",
    "Exchange.links": "those of the workspace",
    "Exchange.parsed": "parsed again",
    "Exchange._parameters": "parsed again",
    "Exchange._by_header": "parsed again",
    "Exchange._warned": "no warning is added to one that is over",
    "Links._index": "made when it is first asked for",
    "Glob._fits": "compiled again",
    "EmailEvents._grouped": "grouped again",
    "Stubs._by_address": "made when it is first asked for",
    "Clock._real": "a function",
    "Clock._pinned_at": "set while something happens",
    "Tally.beside": "those collections are compared where the state holds them",
    "MappingNode.marks": "the lines of a document say where its mistakes are, and this one had none",
    "MappingNode.layers": "as the lines",
    "MappingNode.title": "that of the workspace, which a reset leaves as it is",
    "Files.ring": "made again of the exports; those of an account that was removed are no longer among them",
    **{
        f"DueQueue.{name}": "made when it is first asked for"
        for name in ("_is_built", "_turns", "_last", "_coming", "_ready")
    },
}


def workspace_difference(one, other):
    """The first difference of two workspaces, with its path; None if there is none."""
    return difference(plain(one), plain(other))


def lost(workspace):
    """What is not the same in a workspace after it was written down and read again, as `workspace_difference` says."""

    def compare():
        workspace.open()  # jobs go on in threads of their own
        return workspace_difference(read_again(workspace), workspace)

    return workspace.run(compare)


def plain(value):
    """A value as mappings, lists and plain values, with all attributes that are kept."""
    if value is None or isinstance(value, str | bytes | int | float | Enum | type | datetime):
        return _plain_scalar(value)
    if isinstance(value, Mapping):
        return {plain_key(key): plain(item) for key, item in value.items()} | _attributes(value)
    if isinstance(value, AbstractSet):
        return set(value)
    # Nobody looks at which kind of sequence it is.
    if isinstance(value, list | tuple | deque | Timers):
        return [plain(item) for item in value]
    return _attributes(value)


def _plain_scalar(value):
    if isinstance(value, Answered):
        return str(value)  # its member of an exchange is a text
    # With its zone, which makes no difference to `==`.
    return value.isoformat() if isinstance(value, datetime) else value


def plain_key(key):
    return tuple(map(plain_key, key)) if isinstance(key, tuple) else key


def _attributes(value):
    members = value.__getstate__() if isinstance(value, Tables) else _members(value)
    kept = {name: item for name, item in members.items() if _is_kept(type(value), name)}
    if isinstance(value, Tables):
        # A record with all its defaults equals none: reading it is enough to make it.
        kept["_records"] = {kind: row for kind, row in kept["_records"].items() if plain(row) != plain(kind())}
    if isinstance(value, State):
        kept["keys"] = dict(sorted(kept["keys"].items()))  # nobody sees their order
    return {f".{name}": plain(item) for name, item in kept.items()}


def _members(value):
    names = {*_slots(type(value)), *getattr(value, "__dict__", ()), *getattr(value, "__dataclass_fields__", ())}
    return {name: getattr(value, name) for name in sorted(names)}


@cache
def _slots(kind):
    return [name for base in kind.__mro__ for name in vars(base).get("__slots__", ())]


@cache
def _is_kept(kind, name):
    return not any(f"{base.__name__}.{name}" in NOT_KEPT for base in kind.__mro__)
