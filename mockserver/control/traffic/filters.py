"""Filters of requests: a value that no request can have is refused, so that no check for zero requests is vacuous."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from itertools import zip_longest

from marshmallow import ValidationError

from mockserver.beyond.catalogue import catalogue
from mockserver.beyond.catalogue import nearest as nearest_operation
from mockserver.control.framework.problem import of_mistakes
from mockserver.core.text.messages import nearest, shown
from mockserver.core.traffic.match import Match
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.registry import ALL_OPERATIONS, LIFECYCLES
from mockserver.resources.webhooks.catalogue import BY_NAME
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.scenario.match import METHODS

#: How similar a path has to be to that of an operation, to be misspelt; others may be of operations that are new.
_SIMILAR = 0.9


def check_method(value: str) -> None:
    _check("method", value.upper(), METHODS)


def check_transition(value: str) -> None:
    known = {f"{name}.{row.event}" for name, found in LIFECYCLES.items() for row in found.machine.transitions}
    _check("transition", value, known)


def check_event(value: str) -> None:
    _check("event", value, {"export", "import"}.union(*BY_NAME.values()))


def _check(what: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise ValidationError(f"unknown {what}; {nearest(value, known)}")


def refuse_misspelt(workspace: Workspace, match: Match, *place: str) -> None:
    """Refuse a path that resembles that of an operation, and that no operation, stub or request of the journal has.

    `place` are the members of the body that hold the pattern.
    """
    path = match.path
    if path is None or "[" in path.text:
        return
    rows = (*ALL_OPERATIONS.values(), *catalogue().values(), *workspace.state.stubs)
    known = (*(_filled(row.path, path.text) for row in rows), *(row.path for row in workspace.journal))
    near = None if any(map(path.fits, known)) else nearest_operation("GET", path.text)
    filled = "" if near is None else _filled(near.path, path.text)
    if filled and get_close_matches(path.text, (filled, filled.removeprefix("/v3")), cutoff=_SIMILAR):
        raise of_mistakes([Mistake((*place, "path"), f"unknown path {shown(path.text)}; did you mean {filled}?")])


def _filled(pattern: str, path: str) -> str:
    """Return a pattern with the segments of a path or glob in the place of its parameters."""
    pairs = zip_longest(pattern.split("/"), path.split("/"))
    return "/".join((given or "*") if part.startswith("{") else part for part, given in pairs if part is not None)
