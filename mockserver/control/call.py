"""One call of the control API: which workspace it means, what its body and query say, how the answer is written."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import Response, current_app, request
from marshmallow import Schema, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from mockserver.control.problem import Problem, of_mistakes
from mockserver.core.account import Account
from mockserver.core.store import Store, StoreFullError
from mockserver.core.workspace import Workspace
from mockserver.resources.section import counting_from, write_instant
from mockserver.scenario.document import Mapping
from mockserver.scenario.flaws import mistakes
from mockserver.scenario.library import Library
from mockserver.scenario.mistakes import Mistake
from mockserver.scenario.reading import Bounds, parse
from mockserver.web import json_text
from mockserver.web.application import WORKSPACE

if TYPE_CHECKING:
    from mockserver.control.noun import Noun


def store() -> Store:
    found: Store = current_app.extensions["mockserver.store"]
    return found


def nouns() -> tuple[Noun, ...]:
    """All nouns of the control API."""
    found: tuple[Noun, ...] = current_app.extensions["mockserver.nouns"]
    return found


def library() -> Library:
    found: Library = current_app.extensions["mockserver.library"]
    return found


def workspace() -> Workspace:
    """The workspace that the call acts on, with all that is due done.

    Raises:
        Problem: 404; the address or the header names none.
    """
    found = addressed() or _in_header() or _behind_key() or store().default
    with found.lock:
        found.catch_up()
    return found


def account(of: Workspace) -> Account:
    """The account behind the call's `api-key`, else the workspace's first one."""
    key = request.headers.get("api-key")
    found = of.account_of(key) if key else None
    return found or of.first_account


def named(name: str) -> Workspace:
    """The workspace of this name.

    Raises:
        Problem: 404.
    """
    found = store().get(name)
    if found is None:
        why = "; it was evicted, as newer ones took its place" if store().was_evicted(name) else ""
        raise Problem(404, f"there is no workspace {name!r}{why}")
    return found


def addressed() -> Workspace | None:
    """The workspace that the address names.

    Raises:
        Problem: 404.
    """
    name = request.environ.get(WORKSPACE)
    return None if name is None else named(name)


def _in_header() -> Workspace | None:
    name = request.headers.get("X-Mock-Workspace")
    return None if name is None else named(name)


def _behind_key() -> Workspace | None:
    key = request.headers.get("api-key")
    if not key:
        return None
    try:
        found = store().find(key)
    except StoreFullError as error:
        raise Problem(409, str(error)) from error
    if found is None:
        raise Problem(404, "there is no workspace behind this api-key")
    return found[0]


def body(schema: Schema, *, in_world: bool = True) -> dict[str, Any]:
    """The call's body as its schema loads it, instants counted from the world's now; no body is an empty object.

    Raises:
        Problem: 400 with all mistakes.
    """
    now = (workspace() if in_world else store().default).clock.now()
    with counting_from(now):
        return loaded(schema, document())


def document() -> dict[str, Any]:
    """The call's body, JSON or, if its Content-Type says so, YAML; an empty object if there is none.

    Raises:
        Problem: 400 or 413.
    """
    try:
        raw = request.get_data()
    except RequestEntityTooLarge as error:
        raise Problem(413, "the body is too large") from error
    if not raw.strip():
        return Mapping()
    bodies: Bodies = current_app.extensions["mockserver.bodies"]
    if "yaml" in request.mimetype:
        return _yaml(raw, bodies)
    try:
        data = json_text.read(raw, bodies.levels)
    except json_text.JsonError as error:
        raise of_mistakes([Mistake((), f"not JSON: {error}; YAML needs Content-Type: application/yaml")]) from error
    if not isinstance(data, dict):
        raise of_mistakes([Mistake((), "must be a JSON object")])
    return data


class Bodies(NamedTuple):
    """How much the body of a control call may hold."""

    #: In bytes, of YAML; reading it takes several times as long as JSON.
    yaml: int
    #: How many objects and arrays may stand in each other.
    levels: int


def _yaml(raw: bytes, bodies: Bodies) -> Mapping:
    if len(raw) > bodies.yaml:
        raise Problem(413, f"a body of YAML may have {bodies.yaml:,} bytes; give JSON, or set --yaml-limit")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise of_mistakes([Mistake((), f"not UTF-8 at byte {error.start}")]) from error
    return parse(text, "body", Bounds(levels=bodies.levels))


def query(schema: Schema) -> dict[str, Any]:
    """The call's query as its schema loads it.

    Raises:
        Problem: 400 with all mistakes.
    """
    return loaded(schema, request.args.to_dict())


def loaded(schema: Schema, data: dict[str, Any]) -> dict[str, Any]:
    try:
        found: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise of_mistakes(mistakes(error.messages_dict, schema, data)) from error
    return found


def answer(data: object, status: int = 200) -> Response:
    """A JSON answer; moments are written as RFC 3339."""
    return Response(written(data), status, content_type="application/json")


def written(data: object) -> bytes:
    """JSON in one line; moments are written as RFC 3339."""
    return json_text.write(_plain(data))


def _plain(data: Any) -> Any:
    if isinstance(data, datetime):
        return write_instant(data)
    if isinstance(data, dict):
        return {name: _plain(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_plain(value) for value in data]
    return data


def listed(items: list[Any], count: int | None = None, **members: Any) -> Response:
    """The form of all lists; `count` is that of all, where only a part is given."""
    return answer({"items": items, "count": len(items) if count is None else count, **members})


def done() -> Response:
    """The answer where there is nothing to tell."""
    return Response(status=204)
