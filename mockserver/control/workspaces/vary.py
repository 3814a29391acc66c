"""`/_mock/vary`: legal differences that a seed draws."""

from __future__ import annotations

from typing import Annotated, Any

from mockserver.control.framework.call import ControlResource, listed
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item, about
from mockserver.scenario.vary import seed_field, undo, vary
from mockserver.views.record import listing
from mockserver.views.workspace_records import Draw

VARY = ControlResource("vary", "/_mock/vary")
_DRAWS = listing("Draws", Draw, seed=Annotated[int | None, "null if nothing was drawn"])


class Seed(Item):
    seed = seed_field(required=True, **about("the same seed draws the same differences"))


@VARY.call("POST", body=Seed, answer=_DRAWS)
def draw(workspace: Workspace, body: dict[str, Any]) -> Any:
    """Let a seed draw legal differences, in the place of those drawn before."""
    vary(workspace, body["seed"])
    return _shown(workspace)


@VARY.call("GET", answer=_DRAWS)
def index(workspace: Workspace) -> Any:
    """List what the seed has drawn: options of behaviour, and faults."""
    return _shown(workspace)


@VARY.call("DELETE", status=204)
def remove(workspace: Workspace) -> None:
    """Remove what was drawn."""
    undo(workspace)


def _shown(workspace: Workspace) -> Any:
    varied = workspace.state.varied
    rows = () if varied is None else varied.draws
    return listed([Draw(*row) for row in rows], len(rows), seed=None if varied is None else varied.seed)
