"""A report of coverage as JUnit XML: a suite for each operation and state machine, a case for each point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mockserver.coverage.contract import Point, PointKind
from mockserver.coverage.report import Report, Row, counted

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
    suites = Element("testsuites", name=f"mockserver coverage{found.told}")
    for owner, rows in found.counted_rows.items():
        held = [row for row in rows if row.mark is not None]
        if held:
            suites.append(_suite(owner, held))
    if found.beyond:
        suites.append(_beyond(found.beyond))
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


def _beyond(called: Mapping[str, Mapping[str, int]]) -> Element:
    """The operations beyond that were called, as properties of a suite without cases: they count nowhere."""
    suite = Element("testsuite", name="beyond the mock", tests="0", failures="0", errors="0", skipped="0", time="0")
    properties = SubElement(suite, "properties")
    for name, row in called.items():
        SubElement(properties, "property", name=name, value=", ".join(counted(row)))
    return suite


def _name(point: Point) -> str:
    return _NAMES[point.kind].format(point.name)
