"""A report of coverage as text for a terminal, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mockserver.coverage.contract import PointKind
from mockserver.coverage.report import Report, Row, Rows, counted, total

_HEADINGS = ("calls", "statuses", "codes", "fields")


def to_text(found: Report, most: int | None = None) -> str:
    """A report as text, with at most `most` sentences about what is missing; None: with all of them."""
    blocks = (
        _totals(found), _operations("operation", found.operations), _operations(_further(found), found.further),
        _machines(found), _beyond(found), _missing(found.missing, most),
    )  # fmt: skip
    return "\n\n".join("\n".join(lines) for lines in map(list, blocks) if lines) + "\n"


def _totals(found: Report) -> Iterator[str]:
    yield f"{found.percent:.1f} % of the contract met{found.told}"
    for kind, row in found.totals.items():
        yield f"  {kind:12}{row.met:4} of {row.of:3}" + (f"{row.percent:8.1f} %" if row.of else f"{'-':>8}")


def _further(found: Report) -> str:
    return "further operation" if found.counts_further else "further, not counted"


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
    """How many points of a kind were met, such as `2 of 3`; a dash where there are none."""
    points = total(rows, kind)
    return f"{points.met} of {points.of}" if points.of else "-"


def _injected(rows: Sequence[Row]) -> str:
    """A note of how many codes were met by faults only; empty if there are none."""
    number = sum(row.is_met and not row.hits.natural for row in rows)
    return f"  {number} by faults" if number else ""
