"""`/_mock/stubs`: answers for operations missing in the mock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mockserver.beyond.stubs.schema import StubItem, add_stubs, stubs_field
from mockserver.control.framework.call import ControlResource, listed
from mockserver.control.framework.problem import existing, of_mistakes, of_one
from mockserver.core.state.identifiers import repeated
from mockserver.core.state.stubs import Stub as StubRow
from mockserver.core.text.messages import shown
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.scenario.documents.mistakes import Mistake, Path, ordered
from mockserver.views.record import listing
from mockserver.views.traffic import Stub, show_stub
from mockserver.web.server import loop

STUBS = ControlResource("stubs", "/_mock/stubs")
_STUBS = listing("Stubs", Stub)


class StubList(Item):
    items = stubs_field(required=True)


class OneOrManyStubs(StubItem):
    """A single stub, or several stubs as `items`; loaded as stub or mapping."""

    alternatives = (StubItem, StubList)

    items = stubs_field()

    def load(self, data: Any, **options: Any) -> Any:
        return (StubList() if "items" in data else StubItem()).load(data, **options)


@STUBS.call("POST", body=OneOrManyStubs, answer=(Stub, _STUBS), status=201, problems=(409,), heavy=True)
def add(workspace: Workspace, body: StubRow | dict[str, Any]) -> Any:
    """Add a stub, or several stubs as `items`, in front of the existing ones."""
    if isinstance(body, StubRow):
        _add(workspace, [body], ())
        return show_stub(body)
    _add(workspace, body["items"], ("items",))
    return listed(list(map(show_stub, body["items"])))


@STUBS.call("PUT", body=StubList, answer=_STUBS, problems=(409,), heavy=True)
def replace(workspace: Workspace, body: dict[str, Any]) -> Any:
    """Replace all stubs."""
    for index in repeated(stub.id for stub in body["items"]):
        message = f"duplicate stub id {shown(body['items'][index].id)}"
        raise of_mistakes([Mistake(("items", index, "id"), message)], 409)
    workspace.state.stubs.clear()
    _add(workspace, body["items"], ("items",))
    return _listed(workspace)


@STUBS.call("GET", answer=_STUBS)
def index(workspace: Workspace) -> Any:
    """List the stubs in matching order with their hits, used-up stubs included."""
    loop.leave_if_long(weight(stub.written) for stub in workspace.state.stubs)
    return _listed(workspace)


@STUBS.call("DELETE", status=204)
def clear(workspace: Workspace) -> None:
    """Remove all stubs, and keep their stored values."""
    workspace.state.stubs.clear()


@STUBS.call("GET", "/<identifier>", answer=Stub)
def show(workspace: Workspace, identifier: str) -> Any:
    """One stub with its hits."""
    return show_stub(_found(workspace, identifier))


@STUBS.call("PUT", "/<identifier>", body=StubItem, answer=Stub, heavy=True)
def change(workspace: Workspace, identifier: str, body: StubRow) -> Any:
    """Replace a stub, keeping its id; hits and sequence restart."""
    found = _found(workspace, identifier)
    if body.id not in ("", found.id):
        raise of_one("id", f"not the id of this stub: got {shown(body.id)}, expected {shown(found.id)}")
    body.id = found.id
    workspace.state.stubs.replace(body)
    return show_stub(body)


@STUBS.call("DELETE", "/<identifier>", status=204)
def remove(workspace: Workspace, identifier: str) -> None:
    """Remove a stub; what it has stored stays."""
    workspace.state.stubs.remove(_found(workspace, identifier).id)


def _found(workspace: Workspace, identifier: str) -> StubRow:
    return existing(workspace.state.stubs.get(identifier), "stub", identifier, "GET /_mock/stubs lists all")


def _add(workspace: Workspace, stubs: Sequence[StubRow], place: Path) -> None:
    """Add the stubs at a place of the body: a list, or a single stub."""
    found = [
        Mistake((*place, *error.path[1:]) if place else error.path[2:], error.message)
        for error in add_stubs(workspace, stubs)
    ]
    if found:
        raise of_mistakes(ordered(found), 409)


def _listed(workspace: Workspace) -> Any:
    return listed(list(map(show_stub, workspace.state.stubs)))
