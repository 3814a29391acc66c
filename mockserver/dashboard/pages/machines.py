"""The page "Machines": each state machine as a drawing, its instances, and what has become of one of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from flask import request

from mockserver.control.framework import call, target
from mockserver.control.framework.problem import unknown
from mockserver.core.text.messages import nearest
from mockserver.core.time.clock import Key
from mockserver.core.time.duration import spoken
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic import causes
from mockserver.core.traffic.causes import Changed
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.addresses import asked
from mockserver.dashboard.framework.page import Page
from mockserver.dashboard.instances import PART, Wanted, counted, select
from mockserver.dashboard.layout import drawing_of
from mockserver.resources.registry import LIFECYCLES
from mockserver.views.traffic import show_causes, show_transition
from mockserver.views.workspaces import show_timer

PAGE = Page("machines", "Machines")

#: How many transitions of an instance its page lists.
_LONGEST_HISTORY = 100
#: The members of an instance that stand elsewhere on its page, or in all lists.
_COMMON = frozenset({"key", "account", "state", "allowed"})


@PAGE.view()
def index() -> Mapping[str, Any]:
    """All machines, with the number of instances in each state."""
    workspace = target.workspace(whole=True)
    with workspace.lock:
        return {"machines": [_overview(workspace, LIFECYCLES[name]) for name in sorted(LIFECYCLES)]}


def _overview(workspace: Workspace, lifecycle: Lifecycle[Any]) -> Mapping[str, Any]:
    machine = lifecycle.machine
    return {
        "machine": machine,
        "drawing": drawing_of(machine),
        "counts": counted(workspace, lifecycle),
        "last": _change(workspace.history.last(machine.name)),
    }


@PAGE.view("/<machine>", template="machine.html")
def machine(machine: str) -> Mapping[str, Any]:
    """One machine, with its instances."""
    lifecycle = _lifecycle(machine)
    workspace = target.workspace(whole=True)
    wanted, mistakes = _wanted(lifecycle.machine)
    with workspace.lock:
        found = select(workspace, lifecycle, wanted)
        return {
            **_overview(workspace, lifecycle),
            "rows": [_plain(row) for row in found.rows],
            "count": found.total,
            "wanted": wanted,
            "part": PART,
            "mistakes": mistakes,
        }


def _wanted(machine: StateMachine) -> tuple[Wanted, list[str]]:
    """What the address asks for, as far as it makes sense, and a sentence for each part that makes none."""
    state, first, mistakes = request.args.get("state", ""), asked("offset"), []
    if state and state not in machine.states:
        mistakes.append(f"There is no state {state!r}, so all are listed.")
        state = ""
    if first.mistake:
        mistakes.append(first.mistake)
    return Wanted(state, request.args.get("search", "").strip(), first.number), mistakes


@PAGE.view("/<machine>/<key>", template="instance.html")
def instance(machine: str, key: str) -> Mapping[str, Any]:
    """One instance, or what is known of one that is gone."""
    lifecycle = _lifecycle(machine)
    workspace = target.workspace()
    with workspace.lock:
        known = lifecycle.key_of(key)
        history = [] if known is None else list(workspace.history.of(machine, known))
        found = lifecycle.find(workspace, key)
        if known is None or not (found or history):
            raise unknown(machine, key, "the workspace has no history of it either")
        shown = None if found is None else _plain(lifecycle.describe(*found))
        state = ABSENT if shown is None else shown["state"]
        return {
            "machine": lifecycle.machine,
            "drawing": drawing_of(lifecycle.machine),
            "key": known if found is None else lifecycle.key(found[1]),
            "shown": shown,
            "others": {name: value for name, value in (shown or {}).items() if name not in _COMMON},
            "state": state,
            "events": list(_events(lifecycle.machine, state)),
            "timers": list(_timers(workspace, machine, known)),
            "history": [_step(workspace, change) for change in islice(history, _LONGEST_HISTORY)],
            "length": len(history),
            "last": _change(history[0]) if history else None,
            "evicted": workspace.history.evicted,
            "account": _account(workspace, shown, history),
        }


def _events(machine: StateMachine, state: str) -> Iterator[tuple[str, str]]:
    """The events of a machine and the states to which they lead from a state, empty if they do not apply."""
    for event in dict.fromkeys(row.event for row in machine.transitions if row.source != ABSENT):
        yield event, machine.target(state, event) if event in machine.allowed(state) else ""


def _timers(workspace: Workspace, machine: str, key: Key) -> Iterator[Mapping[str, Any]]:
    """The pending timers of an instance as the control API shows them, with what is `left` until then."""
    now = workspace.state.clock.now()
    for timer in workspace.state.timers.of(machine, key):
        yield {**_plain(show_timer(workspace, timer)), "left": _left(timer.moment, now)}


def _left(moment: datetime, now: datetime) -> str:
    return f"in {spoken(moment - now)}" if moment > now else "now"


def _account(workspace: Workspace, shown: Mapping[str, Any] | None, history: list[Changed]) -> str:
    """The name of an instance's account, empty if the account is gone as well."""
    if shown is not None:
        return str(shown["account"])
    account = workspace.state.accounts.get(history[0].account)
    return "" if account is None else account.name


def _step(workspace: Workspace, change: Changed) -> Mapping[str, Any]:
    """A transition as the control API shows it; of one that a timer brought about, with what has `set` that timer."""
    by = change.cause
    setters = [] if by is None or by.kind != causes.TIMER else workspace.links.caused_by(by)
    return {**_plain(show_transition(change)), "set": _plain(show_causes(setters))}


def _change(change: Changed | None) -> dict[str, Any] | None:
    """A transition as the control API shows it."""
    return None if change is None else _plain(show_transition(change))


def _plain(shown: object) -> Any:
    """What a view shows as the JSON of the control API has it."""
    return json.loads(call.written(shown))


def _lifecycle(name: str) -> Lifecycle[Any]:
    found = LIFECYCLES.get(name)
    if found is None:
        raise unknown("machine", name, nearest(name, LIFECYCLES))
    return found
