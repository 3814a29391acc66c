"""The page "Coverage": the covered part of the contract, and hints for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from flask import request

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem
from mockserver.control.server.coverage import ALL, counts
from mockserver.coverage.contract import PointKind, hint
from mockserver.coverage.report import Report, Row, Rows, counted, report, total
from mockserver.dashboard.rendering import Page
from mockserver.resources.registry import ALL_OPERATIONS, RESOURCES

PAGE = Page("coverage", "Coverage")

#: The most sentences about missing points at the top. Chosen: readable at a glance.
_MOST_MISSING = 5
#: The kinds of points of an operation, in display order, with the parameter of `/_mock/requests` for each.
_PARTS = {PointKind.STATUSES: "status", PointKind.CODES: "code", PointKind.FIELDS: "field"}


@PAGE.view()
def index() -> Mapping[str, Any]:
    target.workspace()
    found, everywhere, wrong = _chosen()
    only_missing = request.args.get("show") == "missing"
    return {
        **_shared(everywhere),
        "report": found,
        "parts": [
            ("operations", list(_groups(found.operations, only_missing))),
            ("further", list(_groups(found.further, only_missing))),
        ],
        "machines": list(_shown(found.machines.items(), only_missing)),
        "only_missing": only_missing,
        "most_missing": _MOST_MISSING,
        "wrong": wrong,
    }


@PAGE.view("/operations/<name>", template="coverage_part.html")
def operation(name: str) -> Mapping[str, Any]:
    target.workspace()
    found, everywhere, _ = _chosen()
    rows = found.operations.get(name) or found.further.get(name) or ()
    if not rows:
        raise Problem(404, f"the contract has no operation {name[:100]!r}, and none was called")
    declared = ALL_OPERATIONS[name]
    return {**_shared(everywhere), "name": name, "rows": rows, "what": declared.summary, "machine": False}


@PAGE.view("/machines/<name>", template="coverage_part.html")
def machine(name: str) -> Mapping[str, Any]:
    target.workspace()
    found, everywhere, _ = _chosen()
    rows = found.machines.get(name) or ()
    if not rows:
        raise Problem(404, f"there is no state machine {name[:100]!r}")
    return {**_shared(everywhere), "name": name, "rows": rows, "what": "", "machine": True}


def _chosen() -> tuple[Report, bool, str]:
    """Return the report, whether the server is selected, and unknown selection names."""
    wanted = request.args.get("workspace", "")
    own = target.workspace().name
    everywhere = wanted == ALL
    return report(counts(ALL if everywhere else None)), everywhere, "" if wanted in (ALL, "", own) else wanted[:100]


def _shared(everywhere: bool) -> dict[str, Any]:
    kinds = {kind: str(kind) for kind in _PARTS}
    return {"everywhere": everywhere, "kinds": kinds, "total": total, "counted": counted, "hint": hint, "way": _way}


def _groups(operations: Rows, only_missing: bool) -> Iterator[dict[str, Any]]:
    for resource in RESOURCES:
        own = [(row.id, operations[row.id]) for row in resource.operations if row.id in operations]
        if shown := list(_shown(own, only_missing)):
            yield {"name": resource.name, "operations": shown}


def _shown(owners: Any, only_missing: bool) -> Iterator[tuple[str, Sequence[Row]]]:
    """Yield the operations or state machines with their rows. With `only_missing` skip complete ones."""
    for name, rows in owners:
        if not only_missing or not all(row.is_met for row in rows):
            yield name, rows


def _way(row: Row) -> str:
    point = row.point
    if point.kind is PointKind.TRANSITIONS:
        return urlencode({"transition": f"{point.owner}.{point.name}"})
    query = {"operation": point.owner}
    if point.kind in _PARTS:
        query[_PARTS[point.kind]] = point.name
    return urlencode(query)
