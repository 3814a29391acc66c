"""Coverage reports as text, JUnit XML and HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mockserver.coverage.contract import PointKind
from mockserver.coverage.report import Report, Row, Rows, counted, total
from mockserver.web.pages.page import Pages

_HEADINGS = ("calls", "statuses", "codes", "fields")


def to_text(found: Report, most: int | None = None) -> str:
    """Write a report as text, at most 100 columns wide, with at most `most` sentences about missing points."""
    further = "further operation" if found.counts_further else "further, not counted"
    blocks = (
        _totals(found), _operations("operation", found.operations), _operations(further, found.further),
        _machines(found), _beyond(found), _missing(found.missing, most),
    )  # fmt: skip
    return "\n\n".join("\n".join(lines) for lines in map(list, blocks) if lines) + "\n"


def _totals(found: Report) -> Iterator[str]:
    yield f"{found.percent:.1f} % of the contract met{found.told}"
    for kind, row in found.totals.items():
        yield f"  {kind:12}{row.met:4} of {row.of:3}" + (f"{row.percent:8.1f} %" if row.of else f"{'-':>8}")


def _operations(heading: str, operations: Rows) -> Iterator[str]:
    called = {name: rows for name, rows in operations.items() if rows[0].is_met}
    if not called:
        return
    yield _line(heading, *_HEADINGS)
    for name, rows in called.items():
        cells = [_fraction(rows, kind) for kind in (PointKind.STATUSES, PointKind.CODES, PointKind.FIELDS)]
        yield _line(name, str(rows[0].hits.all), *cells) + _injected(rows)


def _machines(found: Report) -> Iterator[str]:
    moved = {name: rows for name, rows in found.machines.items() if any(row.is_met for row in rows)}
    if not moved:
        return
    yield _line("state machine", "moves", "events")
    for name, rows in moved.items():
        yield _line(name, str(sum(row.hits.all for row in rows)), _fraction(rows, PointKind.TRANSITIONS))


def _beyond(found: Report) -> Iterator[str]:
    if not found.beyond:
        return
    yield _line("beyond the mock", "calls", "  answered")
    for name, row in found.beyond.items():
        yield f"{_line(name, str(sum(row.values())))}  {', '.join(counted(row))}"


def _missing(sentences: Sequence[str], most: int | None) -> Iterator[str]:
    if not sentences:
        return
    yield "missing, the most telling first:"
    yield from (f"  {sentence}" for sentence in sentences[:most])
    rest = len(sentences[most:]) if most is not None else 0
    if rest:
        yield f"  and {rest} more"


def _line(name: str, number: str, *cells: str) -> str:
    return f"  {name:30}{number:>8}{''.join(f'{cell:>12}' for cell in cells)}"


def _fraction(rows: Sequence[Row], kind: PointKind) -> str:
    """Return covered points of a kind, such as `2 of 3`, or a dash without points."""
    points = total(rows, kind)
    return f"{points.met} of {points.of}" if points.of else "-"


def _injected(rows: Sequence[Row]) -> str:
    """Return a note about codes covered only by faults, or an empty text."""
    number = sum(row.is_met and not row.hits.natural for row in rows)
    return f"  {number} by faults" if number else ""


#: Names of test cases by kind of point.
_NAMES = {
    PointKind.OPERATIONS: "called",
    PointKind.STATUSES: "status {}",
    PointKind.CODES: "code {}",
    PointKind.FIELDS: "field {}",
    PointKind.TRANSITIONS: "event {}",
}


def to_junit(found: Report) -> str:
    """Write a report as JUnit XML: suites for operations and machines, cases for points, skipped if missing."""
    suites = Element("testsuites", name=f"mockserver coverage{found.told}")
    for owner, rows in found.counted_rows.items():
        held = [row for row in rows if row.mark is not None]
        if held:
            suites.append(_suite(owner, held))
    if found.beyond:
        suites.append(_beyond_suite(found.beyond))
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
        case = SubElement(
            suite, "testcase", classname=owner, name=_NAMES[row.point.kind].format(row.point.name), time="0"
        )
        if not row.is_met:
            SubElement(case, "skipped", message="never met")
        elif row.hits.injected and not row.hits.natural:
            SubElement(case, "system-out").text = "met by an injected fault only"
    return suite


def _beyond_suite(called: Mapping[str, Mapping[str, int]]) -> Element:
    """Return a suite without cases, with calls beyond the mock as properties."""
    suite = Element("testsuite", name="beyond the mock", tests="0", failures="0", errors="0", skipped="0", time="0")
    properties = SubElement(suite, "properties")
    for name, row in called.items():
        SubElement(properties, "property", name=name, value=", ".join(counted(row)))
    return suite


#: Names of points on the page.
_KINDS = {
    PointKind.STATUSES: "status",
    PointKind.CODES: "code",
    PointKind.FIELDS: "field",
    PointKind.TRANSITIONS: "event",
}


def to_html(found: Report) -> str:
    """Write a report as one HTML file without scripts or external resources."""
    return _pages().render("page.html", report=found)


def policy() -> str:
    """Return the page's Content-Security-Policy, which allows only the embedded style and `data:` images."""
    nothing = "; ".join(f"{name} 'none'" for name in ("default-src", "base-uri", "form-action", "frame-ancestors"))
    return f"{nothing}; style-src {_pages().style_source}; img-src data:"


@cache
def _pages() -> Pages:
    return Pages("mockserver.coverage", ".", kinds=_KINDS, total=total, counted=counted)
