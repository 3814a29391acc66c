"""Coverage reports as JSON, and the counts in such reports, to add reports of several servers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.contract import PointKind
from mockserver.coverage.report import Report, Row, Rows, Total, report


def to_json(found: Report) -> dict[str, Any]:
    """Write a report as JSON. `missing` describes all missing points, `unmet` lists points of one operation."""
    return {
        "percent": found.percent,
        "of": found.of,
        "counted": found.counted,
        "totals": {str(kind): _total(total) for kind, total in found.totals.items()},
        "operations": {name: _operation(rows) for name, rows in _used(found.operations)},
        "further": {name: _operation(rows) for name, rows in _used(found.further)},
        "transitions": {name: _numbers(rows, PointKind.TRANSITIONS) for name, rows in _used(found.machines)},
        "missing": list(found.missing),
        "beyond": {name: {"calls": sum(row.values()), "answered": dict(row)} for name, row in found.beyond.items()},
    }


def from_json(data: Mapping[str, Any]) -> Coverage:
    """Read the counts of a JSON report."""
    try:
        return _read(data)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no report of coverage: {error!r}") from error


def added(reports: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one coverage report with the counts of all given reports, which are JSON as the result.

    Raises:
        ValueError: A value is no coverage report.
    """
    whole = Coverage()
    for data in reports:
        whole.merge(from_json(data))
    return to_json(report(whole))


def _total(total: Total) -> dict[str, Any]:
    return {"met": total.met, "of": total.of, "percent": total.percent}


def _used(found: Rows) -> list[tuple[str, Sequence[Row]]]:
    return [(name, rows) for name, rows in found.items() if any(row.is_met for row in rows)]


def _operation(rows: Sequence[Row]) -> dict[str, Any]:
    codes = [row for row in rows if row.point.kind is PointKind.CODES and row.is_met]
    return {
        "calls": rows[0].hits.all,
        "statuses": _numbers(rows, PointKind.STATUSES),
        "codes": {row.point.name: row.hits._asdict() for row in codes},
        "fields": _numbers(rows, PointKind.FIELDS),
        "unmet": {
            str(kind): [row.point.name for row in rows if row.point.kind is kind and not row.is_met]
            for kind in (PointKind.STATUSES, PointKind.CODES, PointKind.FIELDS)
        },
    }


def _numbers(rows: Sequence[Row], kind: PointKind) -> dict[str, int]:
    return {row.point.name: row.hits.all for row in rows if row.point.kind is kind and row.is_met}


def _read(data: Mapping[str, Any]) -> Coverage:
    found = Coverage()
    for operation, row in (data["operations"] | data.get("further", {})).items():  # absent in old reports
        _read_operation(found, operation, row)
    for machine, events in data["transitions"].items():
        for event, number in events.items():
            found.transitions[machine, event] += number
    for operation, row in data.get("beyond", {}).items():  # absent in old reports
        for answered, number in row["answered"].items():
            found.beyond[operation, answered] += number
    return found


def _read_operation(found: Coverage, operation: str, row: Mapping[str, Any]) -> None:
    unanswered = row["calls"] - sum(row["statuses"].values())
    if unanswered < 0:
        raise ValueError(f"no report of coverage: {operation} has more statuses than calls")
    if unanswered:
        found.answers[operation, None] += unanswered
    for status, number in row["statuses"].items():
        found.answers[operation, int(status)] += number
    for code, count in row["codes"].items():
        for is_injected, number in ((False, count["natural"]), (True, count["injected"])):
            if number:
                found.codes[operation, code, is_injected] += number
    for name, number in row["fields"].items():
        found.fields[operation, name] += number
