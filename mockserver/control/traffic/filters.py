"""Filters of requests: a value that no request can have is refused, so that no check for zero requests is vacuous."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from marshmallow import ValidationError

from mockserver.beyond.catalogue import catalogue
from mockserver.control.framework.problem import of_mistakes
from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.state.faults import FAULT_KINDS
from mockserver.core.text.messages import meant, nearest, shown
from mockserver.core.traffic.match import Match
from mockserver.core.workspaces.workspace import Workspace
from mockserver.coverage.contract import PointKind, promises
from mockserver.resources.registry import ALL_OPERATIONS, LIFECYCLES
from mockserver.resources.webhooks.catalogue import BY_NAME
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.scenario.match import METHODS

#: How similar a path has to be to a known one, to be misspelt. Chosen: two letters of a short one may be swapped.
_SIMILAR = 0.9
_WILDCARD = re.compile(r"[*?[]")


def check_method(value: str) -> None:
    _check("method", value.upper(), METHODS)


def check_transition(value: str) -> None:
    known = (f"{name}.{row.event}" for name, lifecycle in LIFECYCLES.items() for row in lifecycle.machine.transitions)
    _check("transition", value, list(known))


def check_field(value: str) -> None:
    _check("field", value, [row.point.name for row in promises() if row.point.kind is PointKind.FIELDS])


def check_event(value: str) -> None:
    _check("event", value, {"export", "import"}.union(*BY_NAME.values()))


def _check(what: str, value: str, known: Iterable[str]) -> None:
    if value not in known:
        raise ValidationError(f"unknown {what}; {nearest(value, known)}")


def refuse_misspelt(workspace: Workspace, match: Match, *place: str) -> None:
    """Refuse a path, code or fault that resembles a known one, and that no request of the journal has.

    All others are accepted, as stubs, forced faults and forwarded answers may have them.

    Args:
        workspace: The workspace.
        match: The pattern with the values.
        place: The members of the body that hold the pattern.

    Raises:
        Problem: 400.
    """
    path, rules = match.path and match.path.text, {*FAULT_KINDS, *(row.id for row in workspace.state.faults)}
    found = [
        Mistake((*place, name), f"unknown {name} {shown(value)}; did you mean {near}?")
        for name, value, near in (
            ("path", path, path and _meant_path(path, workspace)),
            ("code", match.code, match.code not in ALL_CODES and meant(match.code, ALL_CODES)),
            ("fault", match.fault, match.fault not in rules and meant(match.fault, rules)),
        )
        if near and not any(Match(**{name: getattr(match, name)}).admits(row) for row in workspace.journal)
    ]
    if found:
        raise of_mistakes(found)


def _meant_path(text: str, workspace: Workspace) -> str | None:
    """Return the most similar path of an operation or a stub, or None if a glob fits a known path or resembles none."""
    rows = [*ALL_OPERATIONS.values(), *catalogue().values(), *workspace.state.stubs]
    paths = [row.path.split("/") for row in rows]
    for form in (text, f"/{text}", f"/v3/{text.lstrip('/')}", text.rstrip("/")):
        if form in _filled(form, paths):
            return None if form == text else form
    near = get_close_matches(text, _filled(text, paths), n=1, cutoff=_SIMILAR)
    return near[0] if near else None


def _filled(text: str, paths: Iterable[list[str]]) -> set[str]:
    """Return the paths with as many segments as a glob, with the parameters and wildcards of the glob."""
    given = text.split("/")
    is_open = "*" in given[-1]
    fitting = (path for path in paths if len(path) == len(given) or (is_open and len(path) > len(given)))
    return {"/".join(map(_segment, path, given)) for path in fitting}


def _segment(part: str, given: str) -> str:
    literal = _WILDCARD.split(given)[0]
    is_free = part.startswith("{") and given
    return given if is_free or (literal != given and part.startswith(literal)) else part
