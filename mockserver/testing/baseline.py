"""Baselines: growing files of the contract points that tests meet, or of the findings of lint that are accepted.

A file has a sorted line for each point, so that a review shows changes and two branches merge line by line. Repeated
and unsorted lines are accepted: git may keep the lines of both sides (`merge=union`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from mockserver.core.text.messages import counted
from mockserver.settings import files
from mockserver.testing.linting import RULES

_HEAD = (
    "# The points of the contract that the tests meet. A point that is not met any more fails the check;\n"
    "# if that is meant, remove its line. New ones are added by the option update-baseline.\n"
)
_FINDINGS_HEAD = (
    "# The findings of lint that are accepted: a mistake that is corrected loses its line.\n"
    "# New ones are added by the option update-baseline.\n"
)
Row = TypeVar("Row")
_KINDS = ("called", "status", "code", "field", "event")
#: The beginnings of the lines that git writes around the two sides of a conflict.
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
#: How many characters of a bad line a message shows. Chosen: to fit on a line.
_SHOWN = 60


class BaselineError(ValueError):
    """An invalid, unreadable or unwritable baseline."""


class Comparison(NamedTuple):
    #: The points of the baseline that were not met.
    lost: list[str]
    #: The met points that the baseline lacks.
    new: list[str]


def points_of(report: Mapping[str, Any]) -> set[str]:
    """Return the met points of a JSON coverage report."""
    return set(_points(report))


def _points(report: Mapping[str, Any]) -> Iterator[str]:
    for operation, row in {**report["operations"], **report.get("further", {})}.items():
        if row["calls"]:
            yield f"{operation}: called"
        for kind, name in (("status", "statuses"), ("code", "codes"), ("field", "fields")):
            yield from (f"{operation}: {kind} {_plain(point)}" for point in row[name])
    for machine, events in report["transitions"].items():
        yield from (f"{machine}: event {event}" for event in events)


def _plain(name: str) -> str:
    """Quote an unusual name: fault codes may contain any text."""
    return name if name.isprintable() and name == name.strip() and name else json.dumps(name)


def read(path: Path, *, findings: bool = False) -> set[str]:
    if not path.exists():
        raise BaselineError(f"there is no baseline {path}; the option update-baseline makes it")
    lines = ((number, line.strip()) for number, line in enumerate(_text(path).splitlines(), 1))
    return {_checked(path, number, line, findings) for number, line in lines if line and not line.startswith("#")}


def _text(path: Path) -> str:
    try:
        return files.read_text(path, files.WRITTEN_BY_HAND)
    except OSError as error:
        raise BaselineError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BaselineError(f"cannot read {path}: it is no text in UTF-8") from error


def _checked(path: Path, number: int, line: str, findings: bool) -> str:
    if line.startswith(_CONFLICT):
        raise BaselineError(f"{path}:{number}: a merge has stopped here; keep the lines of both sides")
    owner, kind, name = _parts(line)
    is_point = owner.isidentifier() and kind in _KINDS and bool(name) is (kind != _KINDS[0])
    if not (line.isprintable() and (owner in RULES and bool(kind) if findings else is_point)):
        example = "finding, such as first-page-only: getContacts" if findings else "point, such as getAccount: called"
        raise BaselineError(f"{path}:{number}: {line[:_SHOWN]!r} is no {example}")
    return line


def _parts(point: str) -> tuple[str, str, str]:
    owner, _, rest = point.partition(": ")
    kind, _, name = rest.partition(" ")
    return owner, kind, name


def _write(path: Path, points: Iterable[str], head: str) -> None:
    try:
        path.write_text(head + "".join(f"{point}\n" for point in sorted(points, key=_order)), encoding="utf-8")
    except OSError as error:
        raise BaselineError(f"cannot write {path}: {error.strerror}") from error


def _order(point: str) -> tuple[str, int, str]:
    owner, kind, _ = _parts(point)
    return owner, _KINDS.index(kind) if kind in _KINDS else 0, point


def compare(path: Path, met: set[str], *, update: bool, findings: bool = False) -> Comparison:
    """Compare the met points with a baseline; with `update`, add the new points, and create a missing file."""
    before = set() if update and not path.exists() else read(path, findings=findings)
    found = Comparison(sorted(before - met, key=_order), sorted(met - before, key=_order))
    if update and (found.new or not path.exists()):
        _write(path, before | met, _FINDINGS_HEAD if findings else _HEAD)
    return found


def unaccepted(path: Path, found: Iterable[Row], line_of: Callable[[Row], str], *, update: bool) -> Sequence[Row]:
    """Return the findings that a baseline does not accept; with `update`, accept all of them."""
    rows = list(found)
    new = compare(path, set(map(line_of, rows)), update=update, findings=True).new
    return [] if update else [row for row in rows if line_of(row) in new]


def finding_line(rule: str, subject: str) -> str:
    return f"{rule}: {_plain(subject)}"


def differences(found: Comparison, path: Path, *, updated: bool) -> Iterator[str]:
    """Yield a sentence for each lost point, and the numbers of lost and new points."""
    for point in found.lost:
        yield f"not met any more: {point}"
    if found.lost:
        lines = "line" if len(found.lost) == 1 else "lines"
        yield f"{counted(len(found.lost), 'point')} of {path} not met; if that is meant, remove the {lines}"
    if found.new and updated:
        yield f"{counted(len(found.new), 'point')} added to {path}"
    elif found.new:
        yield f"{counted(len(found.new), 'point')} more than in {path}; the option update-baseline adds them"


def selected(text: str) -> str:
    """Resolve the value of `--of`: `@FILE` stands for the names in a file, without comments (`#`)."""
    if not text.startswith("@"):
        return text
    lines = _text(Path(text[1:])).splitlines()
    return ",".join(name for line in lines for name in line.partition("#")[0].replace(",", " ").split())
