"""The page "Faults and DNS": rules that make requests go wrong, and what DNS says about domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from flask import request

from mockserver.control.framework import off_loop, target
from mockserver.control.framework.problem import Problem
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard import fault_rules
from mockserver.dashboard.addresses import asked
from mockserver.dashboard.fault_offers import offers
from mockserver.dashboard.framework.page import Page
from mockserver.resources.domains.domain import ANSWERS, AUTHENTICATED, OK, POLICIES, RECORDS
from mockserver.resources.section import write_instant
from mockserver.scenario.rules.faults import HEADER_ID
from mockserver.views.record import plain
from mockserver.views.workspace_records import KnownName
from mockserver.views.workspaces import known

#: How many domains a page lists. Chosen: with two forms each they stay within the 60 kB of a first view.
MOST_DOMAINS = 10
#: How many accounts are named of those that have a domain; the rest is counted.
_MOST_ACCOUNTS = 5


class Line(NamedTuple):
    """A domain: as the control API shows it, its first accounts, and what its records mean."""

    name: Mapping[str, Any]
    accounts: Sequence[Mapping[str, Any]]
    meaning: str


class Domains(NamedTuple):
    """One page of the domains that the address asks for, and how many there are in all."""

    lines: Sequence[Line]
    number: int


def domains(workspace: Workspace, part: str, offset: int) -> Domains:
    """The domains with `part` in their names; the caller holds the workspace's lock."""
    rows, number = known(workspace, part, offset, MOST_DOMAINS)
    return Domains([_line(row) for row in rows], number)


def _line(row: KnownName) -> Line:
    name = plain(row)
    return Line(name, name["accounts"][:_MOST_ACCOUNTS], _meaning(row))


def _meaning(row: KnownName) -> str:
    """What the records of a domain mean for who authenticates it."""
    wrong = [f"{record} is {answer}" for record in RECORDS if (answer := getattr(row.records, record)) != OK]
    if row.free_mail:
        return "A provider of free mailboxes has it, so that nobody can authenticate it."
    if not wrong:
        return "All three records are right."
    if any(owned.state == AUTHENTICATED for owned in row.accounts):
        return f"It stays authenticated, as ownership is proved only once: {' and '.join(wrong)}."
    return f"Who authenticates it is refused: {', '.join(wrong)}."


PAGE = Page("faults", "Faults and DNS")

#: The longest domain name (RFC 1035, 2.3.4), in characters.
_LONGEST_NAME = 253


@PAGE.view()
def index() -> Mapping[str, Any]:
    """All rules, a form for another one, and the domains that DNS knows."""
    workspace = target.workspace(whole=True)
    offered = off_loop.made_once(offers)
    part = request.args.get("name", "").strip()
    first_rule, first_domain = asked("rules"), asked("domains")
    with workspace.lock:
        found = domains(workspace, part[:_LONGEST_NAME], first_domain.number)
        return {
            "rules": fault_rules.lines(workspace, first_rule.number),
            "number": len(workspace.state.faults),
            "first_rule": first_rule.number,
            "most_rules": fault_rules.MOST_RULES,
            "offers": offered,
            "records": RECORDS,
            "answers": ANSWERS,
            "policies": POLICIES,
            "domains": found,
            "part": part,
            "first_domain": first_domain.number,
            "most_domains": MOST_DOMAINS,
            "mistakes": [each.mistake for each in (first_rule, first_domain) if each.mistake],
            "asks_resolver": workspace.state.behaviour.dns == "resolver",
        }


@PAGE.view("/<identifier>", "fault.html")
def one(identifier: str) -> Mapping[str, Any]:
    """One rule, and the requests that it has hit."""
    workspace = target.workspace()
    if identifier == HEADER_ID:
        raise Problem(404, "no rule stands behind this fault: a request asked for it, by its header X-Mock-Fault")
    with workspace.lock:
        fault = workspace.state.faults.get(identifier)
        if fault is None:
            raise Problem(404, f"there is no rule {identifier!r}, or no more: somebody has removed it")
        line = fault_rules.line(fault, workspace.state.clock.now())
        found = fault_rules.hit_by(workspace, fault)
        rule = {name: write_instant(value) if name == "expires_at" else value for name, value in line.rule.items()}
        return {"line": line, "rule": rule, "hit": [(row, write_instant(row.at)) for row in found]}
