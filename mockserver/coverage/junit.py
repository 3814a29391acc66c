"""A report of coverage as JUnit XML: a suite for each operation and state machine, a case for each point."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mockserver.coverage.contract import Point, PointKind
from mockserver.coverage.report import Report, Row

#: The name of a test case, by the kind of its point.
_NAMES = {
    PointKind.OPERATIONS: "called",
    PointKind.STATUSES: "status {}",
    PointKind.CODES: "code {}",
    PointKind.FIELDS: "field {}",
    PointKind.TRANSITIONS: "event {}",
}


def to_junit(found: Report) -> str:
    """A report as JUnit XML; a point that was never met is a skipped case, one that the contract lacks is left out."""
    suites = Element("testsuites", name="mockserver coverage")
    for owner, rows in (*found.operations.items(), *found.machines.items()):
        held = [row for row in rows if row.mark is not None]
        if held:
            suites.append(_suite(owner, held))
    for name in ("tests", "failures", "errors", "skipped"):
        suites.set(name, str(sum(int(suite.get(name, 0)) for suite in suites)))
    suites.set("time", "0")
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _suite(owner: str, rows: Sequence[Row]) -> Element:
    unmet = sum(not row.is_met for row in rows)
    suite = Element(
        "testsuite", name=owner, tests=str(len(rows)), failures="0", errors="0", skipped=str(unmet), time="0"
    )
    for row in rows:
        case = SubElement(suite, "testcase", classname=owner, name=_name(row.point), time="0")
        if not row.is_met:
            SubElement(case, "skipped", message="never met")
        elif row.hits.injected and not row.hits.natural:
            SubElement(case, "system-out").text = "met by an injected fault only"
    return suite


def _name(point: Point) -> str:
    return _NAMES[point.kind].format(point.name)
