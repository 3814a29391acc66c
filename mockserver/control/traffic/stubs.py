"""`/_mock/stubs`: answers for operations that the mock does not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response

from mockserver.beyond.stubs.schema import StubItem, add_stubs, stubs_field, taken
from mockserver.control.framework import answers, off_loop, target
from mockserver.control.framework.problem import of_mistakes, unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.core.state.stubs import Stub as StubRow
from mockserver.core.text.messages import shown
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.scenario.documents.mistakes import Mistake, Path, ordered
from mockserver.views.base.view import Listing
from mockserver.views.traffic.stubs import AddedStubs, Stub, Stubs, stubbed

STUBS = ControlResource("stubs", "/_mock/stubs")


class StubList(Item):
    items = stubs_field(required=True)


class OneOrManyStubs(StubItem):
    """A stub, or several as `items`; loaded as a stub, or as a mapping with `items`."""

    alternatives = (StubItem, StubList)

    items = stubs_field()

    def load(self, data: Any, **options: Any) -> Any:
        return (StubList() if "items" in data else StubItem()).load(data, **options)


@STUBS.call("POST", body=OneOrManyStubs, answer=AddedStubs, status=201, problems=(409,), heavy=True)
def add(body: StubRow | dict[str, Any]) -> Response:
    """Add a stub, or several as `items`, which are asked before those that are there."""
    workspace = target.workspace()
    with workspace.lock:
        if isinstance(body, StubRow):
            _add(workspace, [body], ())
            return answers.answer(stubbed(body))
        _add(workspace, body["items"], ("items",))
        return answers.answer(Listing.row([stubbed(stub) for stub in body["items"]]))


@STUBS.call("PUT", body=StubList, answer=Stubs, problems=(409,), heavy=True)
def replace(body: dict[str, Any]) -> Response:
    """Let these stubs answer, and no others."""
    workspace = target.workspace()
    with workspace.lock:
        for index in taken(body["items"]):
            raise of_mistakes(
                [Mistake(("items", index, "id"), f"duplicate stub id {shown(body['items'][index].id)}")], 409
            )
        workspace.state.stubs.clear()
        _add(workspace, body["items"], ("items",))
        return _listed(workspace)


@STUBS.call("GET", answer=Stubs)
def index() -> Response:
    """The stubs in the order in which they are asked, with their hits; one that is spent stays."""
    workspace = target.workspace()
    with workspace.lock:
        off_loop.before_showing(weight(stub.written) for stub in workspace.state.stubs)
        return _listed(workspace)


@STUBS.call("DELETE", status=204)
def clear() -> Response:
    """Remove all stubs; what they have stored stays."""
    workspace = target.workspace()
    with workspace.lock:
        workspace.state.stubs.clear()
    return answers.done()


@STUBS.call("GET", "/<identifier>", answer=Stub)
def show(identifier: str) -> Response:
    """One stub with its hits."""
    workspace = target.workspace()
    with workspace.lock:
        return answers.answer(stubbed(_found(workspace, identifier)))


@STUBS.call("PUT", "/<identifier>", body=StubItem, answer=Stub, heavy=True)
def change(identifier: str, body: StubRow) -> Response:
    """Put another stub in the place of one, under its id; hits and sequence begin anew."""
    workspace = target.workspace()
    with workspace.lock:
        found = _found(workspace, identifier)
        if body.id not in ("", found.id):
            raise of_mistakes(
                [Mistake(("id",), f"not the id of this stub: got {shown(body.id)}, expected {shown(found.id)}")]
            )
        body.id = found.id
        workspace.state.stubs.replace(body)
        return answers.answer(stubbed(body))


@STUBS.call("DELETE", "/<identifier>", status=204)
def remove(identifier: str) -> Response:
    """Remove a stub; what it has stored stays."""
    workspace = target.workspace()
    with workspace.lock:
        workspace.state.stubs.remove(_found(workspace, identifier).id)
    return answers.done()


def _found(workspace: Workspace, identifier: str) -> StubRow:
    found = workspace.state.stubs.get(identifier)
    if found is None:
        raise unknown("stub", identifier, "GET /_mock/stubs lists all")
    return found


def _add(workspace: Workspace, stubs: Sequence[StubRow], place: Path) -> None:
    """Add stubs that stand at a place of the body: in a list there, or alone.

    Raises:
        Problem: 409, there is one of such an id, or there are too many.
    """
    found = [
        Mistake((*place, *error.path[1:]) if place else error.path[2:], error.message)
        for error in add_stubs(workspace, stubs)
    ]
    if found:
        raise of_mistakes(ordered(found), 409)


def _listed(workspace: Workspace) -> Response:
    return answers.listed([stubbed(stub) for stub in workspace.state.stubs])
