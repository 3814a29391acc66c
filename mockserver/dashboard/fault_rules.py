"""The rules of a workspace as the page lists them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from mockserver.core.state.faults import FAULT_KINDS, Fault
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.fault_offers import sentence
from mockserver.resources.section import write_instant
from mockserver.scenario.rules.faults import PARAMETERS
from mockserver.views.record import plain
from mockserver.views.traffic import show_fault_kind, show_rule

#: How many rules a page lists, and how many requests a rule; the rest is counted. Chosen: with a form each, rules stay
#: within the 60 kB of a first view.
MOST_RULES = 20
_MOST_REQUESTS = 10
#: How many characters of a pattern stand in a line.
_LONGEST = 160


class Line(NamedTuple):
    """A rule in the list: as the control API shows it, and parts of it in words."""

    rule: Mapping[str, Any]
    says: str
    #: The operations that it is for, also where the rule itself names none.
    operations: Sequence[str]
    #: What else a request has to be like, as JSON.
    match: str
    parameters: str
    #: When it hits, part by part.
    when: Sequence[str]
    #: Why it hits no more, or an empty text.
    spent: str


def line(fault: Fault, now: datetime) -> Line:
    """A rule as the page lists it; `now` is the present moment of the workspace's clock."""
    rule = show_rule(fault, now)
    pattern = {name: value for name, value in (rule.get("match") or {}).items() if name != "operation"}
    parameters = {name: rule[name] for name in PARAMETERS if name in rule}
    return Line(
        rule,
        sentence(plain(show_fault_kind(fault.kind, FAULT_KINDS[fault.kind]))),
        sorted(fault.match.operations),
        _short(pattern),
        _short(parameters),
        list(_when(fault)),
        _spent(fault, now),
    )


def lines(workspace: Workspace, offset: int) -> list[Line]:
    """The rules from `offset` on, in the order in which they are asked; the caller holds the workspace's lock."""
    now = workspace.state.clock.now()
    return [line(fault, now) for fault in islice(workspace.state.faults, offset, offset + MOST_RULES)]


def hit_by(workspace: Workspace, fault: Fault) -> list[Exchange]:
    """The last requests of the journal that a rule has hit, newest first; the caller holds the workspace's lock."""
    return list(islice((row for row in workspace.journal if row.fault == fault.id), _MOST_REQUESTS))


def _short(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str) if value else ""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _when(fault: Fault) -> Sequence[str]:
    found = [f"{fault.times:,} times" if fault.times != 1 else "once"] if fault.times is not None else []
    found += [f"after {fault.after:,} {'request' if fault.after == 1 else 'requests'}"] if fault.after else []
    found += [f"by a chance of {fault.probability:g}"] if fault.probability < 1 else []
    found += [f"until {write_instant(fault.expires_at)}"] if fault.expires_at is not None else []
    return found


def _spent(fault: Fault, now: datetime) -> str:
    if fault.is_active(now):
        return ""
    return (
        "its time is over"
        if fault.expires_at is not None and now >= fault.expires_at
        else "it has hit as often as it may"
    )
