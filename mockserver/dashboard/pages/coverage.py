"""The page "Coverage": which part of the contract was met, by which requests, and how to meet the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import request

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem
from mockserver.control.server.coverage import ALL, counts
from mockserver.coverage.contract import PointKind
from mockserver.coverage.hints import hint
from mockserver.coverage.report import Report, Row, Rows, counted, report, total
from mockserver.dashboard.framework.page import Page
from mockserver.resources.registry import ALL_OPERATIONS, RESOURCES

PAGE = Page("coverage", "Coverage")

#: How many sentences about what is missing stand on top; chosen: what is read at a glance.
_MOST_MISSING = 5
#: The parts of an operation in the order in which they are shown, each with the parameter of `/_mock/requests` that
#: finds the requests that met a point of it.
_PARTS = {PointKind.STATUSES: "status", PointKind.CODES: "code", PointKind.FIELDS: "field"}


class Group(NamedTuple):
    """The operations of a resource, each with its points."""

    name: str
    operations: Sequence[tuple[str, Sequence[Row]]]


@PAGE.view()
def index() -> Mapping[str, Any]:
    """All operations and state machines, each with what was met of it and what was not."""
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
    """One operation: each of its points with the requests that met it, or how to meet it."""
    target.workspace()
    found, everywhere, _ = _chosen()
    rows = found.operations.get(name) or found.further.get(name) or ()
    if not rows:
        raise Problem(404, f"the contract has no operation {name[:100]!r}, and none was called")
    declared = ALL_OPERATIONS[name]
    return {**_shared(everywhere), "name": name, "rows": rows, "what": declared.summary, "machine": False}


@PAGE.view("/machines/<name>", template="coverage_part.html")
def machine(name: str) -> Mapping[str, Any]:
    """One state machine: each of its events with the requests that caused it, or how it comes about."""
    target.workspace()
    found, everywhere, _ = _chosen()
    rows = found.machines.get(name) or ()
    if not rows:
        raise Problem(404, f"there is no state machine {name[:100]!r}")
    return {**_shared(everywhere), "name": name, "rows": rows, "what": "", "machine": True}


def _chosen() -> tuple[Report, bool, str]:
    """The report of the workspace, or of the server; whether it is that; and a name that is neither, else nothing."""
    wanted = request.args.get("workspace", "")
    own = target.workspace().name
    everywhere = wanted == ALL
    return report(counts(ALL if everywhere else None)), everywhere, "" if wanted in (ALL, "", own) else wanted[:100]


def _shared(everywhere: bool) -> dict[str, Any]:
    """What all templates of the page see beside the report."""
    kinds = {kind: str(kind) for kind in _PARTS}
    return {"everywhere": everywhere, "kinds": kinds, "total": total, "counted": counted, "hint": hint, "way": _way}


def _groups(operations: Rows, only_missing: bool) -> Iterator[Group]:
    """Yield the operations of a report by resource; resources without any are left out."""
    for resource in RESOURCES:
        own = [
            (operation.id, operations[operation.id]) for operation in resource.operations if operation.id in operations
        ]
        shown = list(_shown(own, only_missing))
        if shown:
            yield Group(resource.name, shown)


def _shown(owners: Any, only_missing: bool) -> Iterator[tuple[str, Sequence[Row]]]:
    """The operations or state machines with their rows; with `only_missing` without those that were met in full."""
    for name, rows in owners:
        if not only_missing or not all(row.is_met for row in rows):
            yield name, rows


def _way(row: Row) -> str:
    """The query of `/_mock/requests`, and of the page Requests, that finds the requests that met a point."""
    point = row.point
    if point.kind is PointKind.TRANSITIONS:
        return urlencode({"transition": f"{point.owner}.{point.name}"})
    query = {"operation": point.owner}
    if point.kind in _PARTS:
        query[_PARTS[point.kind]] = point.name
    return urlencode(query)
