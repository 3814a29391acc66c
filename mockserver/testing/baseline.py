"""The baseline of coverage: a file of the points that tests meet, to which points are added and from which none goes.

It has a line for each point, in order, so that a change shows in a review and two branches merge line by line. Lines
that come twice or in another order are read as well: git may keep those of both sides (`merge=union`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mockserver.settings import files

_HEAD = (
    "# The points of the contract that the tests meet. A point that is not met any more fails the check;\n"
    "# if that is meant, remove its line. New ones are added by the option update-baseline.\n"
)
_KINDS = ("called", "status", "code", "field", "event")
#: How git begins the lines that it writes around the two sides of a conflict.
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
#: How many characters of a bad line a message shows. Chosen: to fit on a line.
_SHOWN = 60


class BaselineError(ValueError):
    """A file that is no baseline, or that cannot be read or written; its text is a sentence for people."""


class Comparison(NamedTuple):
    """What has changed against a baseline."""

    #: The points of the baseline that were not met.
    lost: list[str]
    #: The points that were met and do not stand in it.
    new: list[str]


def points_of(report: Mapping[str, Any]) -> set[str]:
    """The points that were met, by a report of coverage as JSON."""
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
    """A name on a line of its own: a code may be any text, as a fault can invent it."""
    return name if name.isprintable() and name == name.strip() and name else json.dumps(name)


def read(path: Path) -> set[str]:
    """The points of a baseline.

    Raises:
        BaselineError: the file cannot be read, or a line of it is no point.
    """
    try:
        text = files.read_text(path, files.WRITTEN_BY_HAND)
    except FileNotFoundError as error:
        raise BaselineError(f"there is no baseline {path}; the option update-baseline makes it") from error
    except OSError as error:
        raise BaselineError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BaselineError(f"cannot read {path}: it is no text in UTF-8") from error
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    return {_point(path, number, line) for number, line in lines if line and not line.startswith("#")}


def _point(path: Path, number: int, line: str) -> str:
    if line.startswith(_CONFLICT):
        raise BaselineError(f"{path}:{number}: a merge has stopped here; keep the lines of both sides")
    if not _is_point(line):
        raise BaselineError(f"{path}:{number}: {line[:_SHOWN]!r} is no point, such as createSender: status 201")
    return line


def _is_point(line: str) -> bool:
    owner, _, rest = line.partition(": ")
    kind, _, name = rest.partition(" ")
    return line.isprintable() and owner.isidentifier() and kind in _KINDS and bool(name) is (kind != _KINDS[0])


def write(path: Path, points: Iterable[str]) -> None:
    """Write a baseline, in order.

    Raises:
        BaselineError: the file cannot be written.
    """
    try:
        path.write_text(_HEAD + "".join(f"{point}\n" for point in sorted(points, key=_order)), encoding="utf-8")
    except OSError as error:
        raise BaselineError(f"cannot write {path}: {error.strerror}") from error


def _order(point: str) -> tuple[str, int, str]:
    owner, _, rest = point.partition(": ")
    kind, _, name = rest.partition(" ")
    return owner, _KINDS.index(kind), name


def compare(path: Path, met: set[str], *, update: bool) -> Comparison:
    """What has changed against a baseline; with `update`, what is new is added to it, and it is made if there is none.

    Raises:
        BaselineError: the file cannot be read or written, or is no baseline.
    """
    before = set() if update and not path.exists() else read(path)
    found = Comparison(sorted(before - met, key=_order), sorted(met - before, key=_order))
    if update and (found.new or not path.exists()):
        write(path, before | met)
    return found


def told(found: Comparison, path: Path, *, updated: bool) -> Iterator[str]:
    """Sentences about what has changed: a line for each point that was lost, and how many are new."""
    for point in found.lost:
        yield f"not met any more: {point}"
    if found.lost:
        yield f"{_number(found.lost)} of {path} not met; if that is meant, remove the line{'s'[: len(found.lost) > 1]}"
    if found.new and updated:
        yield f"{_number(found.new)} added to {path}"
    elif found.new:
        yield f"{_number(found.new)} more than in {path}; the option update-baseline adds them"


def _number(points: list[str]) -> str:
    return f"{len(points)} point{'' if len(points) == 1 else 's'}"


def selected(text: str) -> str:
    """What `--of` says: the text itself, or of `@FILE` the names in that file, without comments (`#`).

    Raises:
        BaselineError: the file cannot be read.
    """
    if not text.startswith("@"):
        return text
    path = Path(text[1:])
    try:
        lines = files.read_text(path, files.WRITTEN_BY_HAND).splitlines()
    except OSError as error:
        raise BaselineError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BaselineError(f"cannot read {path}: it is no text in UTF-8") from error
    return ",".join(name for line in lines for name in line.partition("#")[0].replace(",", " ").split())
