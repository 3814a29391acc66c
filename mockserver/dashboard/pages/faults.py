"""The page "Faults and DNS": rules that make requests go wrong, and what DNS says about domains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request

from mockserver.control.framework import off_loop, target
from mockserver.control.framework.problem import Problem
from mockserver.dashboard.faults import rules
from mockserver.dashboard.faults.domains import MOST_DOMAINS, domains
from mockserver.dashboard.faults.offers import offers
from mockserver.dashboard.framework.numbers import asked
from mockserver.dashboard.framework.page import Page
from mockserver.resources.domains.dns_view import ANSWERS, POLICIES, RECORDS
from mockserver.resources.section import write_instant
from mockserver.scenario.rules.faults import HEADER_ID

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
            "rules": rules.lines(workspace, first_rule.number),
            "number": len(workspace.state.faults),
            "first_rule": first_rule.number,
            "most_rules": rules.MOST_RULES,
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
        line = rules.line(fault, workspace.state.clock.now())
        found = rules.hit_by(workspace, fault)
        rule = {name: write_instant(value) if name == "expires_at" else value for name, value in line.rule.items()}
        return {"line": line, "rule": rule, "hit": [(row, write_instant(row.at)) for row in found]}
