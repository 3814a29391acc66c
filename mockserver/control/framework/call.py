"""One call of the control API: which workspace it means, what its body and query say, how the answer is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from flask import Response, current_app, request
from marshmallow import Schema, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from mockserver.control.framework.problem import Problem, of_mistakes, of_one
from mockserver.core.state.account import Account
from mockserver.core.workspaces import reasons
from mockserver.core.workspaces.store import Store, StoreFullError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import counting_from, write_instant
from mockserver.scenario.documents.document import MappingNode
from mockserver.scenario.documents.flaws import mistakes
from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.scenario.documents.reading import Bounds, parse
from mockserver.web.schemas import json_text
from mockserver.web.server import loop
from mockserver.web.service.application import WORKSPACE, WORKSPACE_HEADER
from mockserver.web.service.auth import find

if TYPE_CHECKING:
    from mockserver.control.framework.resource import ControlResource


Made = TypeVar("Made")

#: No more bytes are put into words on the event loop: that is several times as fast as reading a body.
_LARGE = loop.LARGE_BODY * 4
#: What has been made once.
_MADE: set[Callable[[], object]] = set()
#: Where the application's configuration says whether the control API asks for a token.
TOKEN_WANTED = "MOCKSERVER_TOKEN_WANTED"  # noqa: S105  # a name, not the token
#: Where the workspace stands that a call has acted on.
ACTED_ON = "mockserver.acted_on"


def store() -> Store:
    found: Store = current_app.extensions["mockserver.store"]
    return found


def resources() -> tuple[ControlResource, ...]:
    """All resources of the control API."""
    found: tuple[ControlResource, ...] = current_app.extensions["mockserver.resources"]
    return found


def library() -> Library:
    found: Library = current_app.extensions["mockserver.library"]
    return found


def workspace(*, whole: bool = False) -> Workspace:
    """The workspace that the call acts on, with all that is due done.

    A call that concerns the whole of it leaves the event loop where that is large.

    Raises:
        Problem: 404; what names it names none.
    """
    return entered(addressed() or _behind_key() or store().default, whole=whole)


def changed_workspace() -> Workspace:
    """The same, for which nobody else makes a new state until the call is over.

    Raises:
        Problem: 404; what names it names none.
    """
    found = workspace()
    loop.occupy(request.environ, found.changing)
    return found


def entered(found: Workspace, *, whole: bool = False) -> Workspace:
    """A workspace with all that is due done; on the event loop, nobody else acts on it until the call is over."""
    if whole and _is_large(found):
        leave_loop()
    loop.hold(request.environ, found.lock)
    with found.lock:
        if found.is_much_due:
            leave_loop()
        found.catch_up()
    return acting_on(found)


def _is_large(workspace: Workspace) -> bool:
    """Whether to go through all of a workspace takes long, as far as the numbers tell that it keeps of itself."""
    return workspace.rows() > loop.LARGE_WORKSPACE or max(workspace.tally.bytes, workspace.document_bytes) > _LARGE


def acting_on(workspace: Workspace) -> Workspace:
    """The same workspace, of which the log says that the call has acted on it."""
    request.environ[ACTED_ON] = workspace
    return workspace


def making(scenario: object | None) -> None:
    """Leave the event loop before a large workspace is made, of the server's scenario or of another one."""
    if store().rows(scenario) > loop.LARGE_WORKSPACE:
        leave_loop()


def telling(sizes: Iterable[int]) -> None:
    """Leave the event loop before many things, or large ones, of so many bytes each, are put into words."""
    total = 0
    for count, size in enumerate(sizes, 1):
        total += size
        if count > loop.LARGE_LIST or total > _LARGE:
            leave_loop()


def leave_loop() -> None:
    """Run the call in a thread, from its beginning: what follows takes long, and nothing has come of it yet."""
    loop.leave(request.environ)


def made(make: Callable[[], Made]) -> Made:
    """What is made once and kept by its maker; the first time that takes long, and leaves the event loop."""
    if make not in _MADE:
        leave_loop()
    found = make()
    _MADE.add(make)
    return found


def account(of: Workspace, body: dict[str, Any]) -> Account:
    """The account that the body names, else the one behind the call's `api-key`, else the workspace's first one.

    Raises:
        Problem: 400; there is none of that name.
    """
    key = request.headers.get("api-key")
    found = named_account(of, body) or (of.account_of(key) if key else None)
    return found or of.first_account


def named_account(of: Workspace, body: dict[str, Any]) -> Account | None:
    """The account that the body names as `account`; None, if it names none.

    Raises:
        Problem: 400; there is none of that name.
    """
    if "account" not in body:
        return None
    name = body["account"]
    found = of.account_named(name) if isinstance(name, str) else None
    if found is None:
        raise of_one("account", f"is no account's name; those are {reasons.listed(of.names)}")
    return found


def named(name: str) -> Workspace:
    """The workspace of this name.

    Raises:
        Problem: 404.
    """
    found = store().get(name)
    if found is None:
        why = "; it was evicted, as newer ones took its place" if store().was_evicted(name) else ""
        raise Problem(404, f"there is no workspace {name!r}{why}")
    return acting_on(found)


def in_address() -> Workspace | None:
    """The workspace that the address names.

    Raises:
        Problem: 404.
    """
    name = request.environ.get(WORKSPACE)
    return None if name is None else named(name)


def addressed() -> Workspace | None:
    """The workspace that the address names, else the header.

    Raises:
        Problem: 404.
    """
    name = request.environ.get(WORKSPACE, request.headers.get(WORKSPACE_HEADER))
    return None if name is None else named(name)


def check_room() -> None:
    """Refuse a call that adds rows to a workspace that is full.

    Raises:
        Problem: 409.
    """
    if full := workspace().full():
        raise Problem(409, f"{full}; delete some, or reset the workspace")


def _behind_key() -> Workspace | None:
    key = request.headers.get("api-key")
    if not key:
        return None
    try:
        found = find(request.environ, key, store())
    except StoreFullError as error:
        raise Problem(409, str(error)) from error
    if found is None:
        raise Problem(404, "there is no workspace behind this api-key")
    return found[0]


def body(schema: Schema, *, in_workspace: bool = True) -> dict[str, Any]:
    """The call's body as its schema loads it, instants counted from the workspace's now; no body is an empty object.

    Raises:
        Problem: 400 with all mistakes.
    """
    now = (workspace() if in_workspace else store().default).clock.now()
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
        raise Problem(413, f"a body may have {request.max_content_length:,} bytes; --body-limit sets that") from error
    if not raw.strip():
        return MappingNode()
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


def _yaml(raw: bytes, bodies: Bodies) -> MappingNode:
    if len(raw) > bodies.yaml:
        told = f"a body of YAML may have {bodies.yaml:,} bytes; --yaml-limit sets that, and JSON may have more"
        raise Problem(413, told)
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
    return json_text.write(data, write_instant)


def listed(items: list[Any], count: int | None = None, **members: Any) -> Response:
    """The form of all lists; `count` is that of all, where only a part is given."""
    return answer({"items": items, "count": len(items) if count is None else count, **members})


def done() -> Response:
    """The answer where there is nothing to tell."""
    return Response(status=204)
