"""The page "Faults and DNS": fault rules, and the DNS records of domains."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import islice
from string import Formatter
from typing import Any

from flask import request

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem
from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.contract.operation import Audience
from mockserver.core.state.faults import ALERTS, FAULT_KINDS, NO_ALERT, Fault
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.addresses import asked
from mockserver.dashboard.dns import outlook
from mockserver.dashboard.rendering import Page
from mockserver.resources.domains.domain import ANSWERS, POLICIES, RECORDS, named
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.resources.section import write_instant
from mockserver.scenario.faults import HEADER_ID, PARAMETERS, codes_of
from mockserver.views.record import plain
from mockserver.views.traffic import show_fault_kind, show_rule
from mockserver.views.workspace_records import KnownName
from mockserver.views.workspaces import known
from mockserver.web.server import loop


@cache
def offers() -> dict[str, Any]:
    """Return the choices of the form for a rule: operations, fault kinds, error codes, path parameters and alerts."""
    given = {name: codes_of(row) for name, row in ALL_OPERATIONS.items()}
    codes = [code for code in ALL_CODES if any(code in row for row in given.values())]
    parameters: dict[str, list[str]] = {}
    for row in ALL_OPERATIONS.values():
        for _, name, _, _ in Formatter().parse(row.path):
            if name is not None:
                parameters.setdefault(name, []).append(row.id)
    return {
        "operations": [
            {"id": name, "is_api": row.audience is Audience.API, "codes": [codes.index(code) for code in given[name]]}
            for name, row in ALL_OPERATIONS.items()
        ],
        "kinds": [_kind(name, given) for name in FAULT_KINDS],
        "codes": codes,
        "parameters": parameters,
        "alerts": [*ALERTS, NO_ALERT],
    }


def _kind(name: str, given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    kind = FAULT_KINDS[name]
    # None allows all operations. A TLS handshake is over before an operation is called.
    fits: list[str] | None = [] if kind.answer is None else None
    if kind.code is not None and not kind.everywhere:
        fits = [operation for operation, codes in given.items() if kind.code.code in codes]
    return {"name": name, "says": _sentence(name), "parameters": kind.takes, "operations": fits}


def _sentence(name: str) -> str:
    shown = plain(show_fault_kind(name, FAULT_KINDS[name]))
    if "code" in shown:
        return f"The answer is {shown['status']} {shown['code']}: {shown['message']}".rstrip(".") + "."
    text: str = shown["does"]
    return f"{text[0].upper()}{text[1:]}."


#: The most rules on a page, and the most requests of a rule. Chosen: with a form each, rules stay below 60 kB.
MOST_RULES = 20
_MOST_REQUESTS = 10
#: The longest pattern in a line, in characters.
_LONGEST = 160


def rule_line(fault: Fault, now: datetime) -> dict[str, Any]:
    """Return a rule as the control API shows it, and its parts in words."""
    rule = show_rule(fault, now)
    pattern = {name: value for name, value in (rule.get("match") or {}).items() if name != "operation"}
    spent = ""
    if not fault.is_active(now):
        is_expired = fault.expires_at is not None and now >= fault.expires_at
        spent = "its time is over" if is_expired else "used up"
    return {
        "rule": rule,
        "says": _sentence(fault.kind),
        "operations": sorted(fault.match.operations),  # also those that the fault implies
        "match": _short(pattern),
        "parameters": _short({name: rule[name] for name in PARAMETERS if name in rule}),
        "when": _when(fault),
        "spent": spent,
    }


def _short(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str) if value else ""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _when(fault: Fault) -> Sequence[str]:
    found = [f"{fault.times:,} times" if fault.times != 1 else "once"] if fault.times is not None else []
    found += [f"after {fault.after:,} {'request' if fault.after == 1 else 'requests'}"] if fault.after else []
    found += [f"by a chance of {fault.probability:g}"] if fault.probability < 1 else []
    found += [f"until {write_instant(fault.expires_at)}"] if fault.expires_at is not None else []
    return found


#: The most domains on a page. Chosen: with two forms each they stay below 60 kB.
MOST_DOMAINS = 10
#: The most accounts to name for a domain.
_MOST_ACCOUNTS = 5


def _domain_line(workspace: Workspace, row: KnownName) -> dict[str, Any]:
    name, owned = plain(row), [domain for _, domain in islice(named(workspace, {row.name}), _MOST_ACCOUNTS)]
    says = dict.fromkeys(outlook(workspace, row.name, domain) for domain in (*owned, None)[: len(owned) or 1])
    return {"name": name, "accounts": name["accounts"][:_MOST_ACCOUNTS], "meaning": " ".join(says)}


PAGE = Page("faults", "Faults and DNS")

#: The faults with a button each, and the texts of the buttons.
_USUAL = (
    ("rate_limited", "429 rate limited"), ("server_error", "500 server error"), ("unavailable", "503 unavailable"),
    ("connection_reset", "connection reset"),
)  # fmt: skip
#: The longest domain name (RFC 1035, 2.3.4), in characters.
_LONGEST_NAME = 253


@PAGE.view()
def index() -> Mapping[str, Any]:
    workspace = target.workspace(whole=True)
    offered = loop.cached(offers)
    part = request.args.get("name", "").strip()
    first_rule, first_domain = asked("rules"), asked("domains")
    now = workspace.state.clock.now()
    rules = islice(workspace.state.faults, first_rule.number, first_rule.number + MOST_RULES)
    domains, number = known(workspace, part[:_LONGEST_NAME], first_domain.number, MOST_DOMAINS)
    return {
        "rules": [rule_line(fault, now) for fault in rules],
        "number": len(workspace.state.faults),
        "first_rule": first_rule.number,
        "most_rules": MOST_RULES,
        "offers": offered,
        "usual": _USUAL,
        "operation": request.args.get("operation", ""),
        "records": RECORDS,
        "answers": ANSWERS,
        "policies": POLICIES,
        "domains": {"lines": [_domain_line(workspace, row) for row in domains], "number": number},
        "part": part,
        "first_domain": first_domain.number,
        "most_domains": MOST_DOMAINS,
        "mistakes": [each.mistake for each in (first_rule, first_domain) if each.mistake],
        "asks_resolver": workspace.state.behaviour.dns == "resolver",
    }


@PAGE.view("/<identifier>", "fault.html")
def one(identifier: str) -> Mapping[str, Any]:
    workspace = target.workspace()
    if identifier == HEADER_ID:
        raise Problem(404, "no rule made this fault: a request asked for it, by its header X-Mock-Fault")
    fault = workspace.state.faults.get(identifier)
    if fault is None:
        raise Problem(404, f"there is no rule {identifier!r}, or no more: somebody has removed it")
    line = rule_line(fault, workspace.state.clock.now())
    found = islice((row for row in workspace.journal if row.fault == fault.id), _MOST_REQUESTS)
    rule = {name: write_instant(value) if name == "expires_at" else value for name, value in line["rule"].items()}
    return {"line": line, "rule": rule, "hit": [(row, write_instant(row.at)) for row in found]}
