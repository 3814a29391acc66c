"""What is known of a workspace that is not loaded."""

from __future__ import annotations

from mockserver.core.state.state import State
from mockserver.core.workspaces.keeping import Outline
from mockserver.core.workspaces.workspace import Workspace


def outline(workspace: Workspace) -> Outline:
    """The outline of a workspace, whose lock the caller holds."""
    state = workspace.state
    return Outline(
        workspace.name,
        [*state.keys, *state.revoked_keys],
        _due_at(state),
        workspace.is_busy,
        workspace.counted,
    )


def _due_at(state: State) -> float | None:
    """When the next timer is due in real time, in seconds since 1970, or None."""
    timer, setting = state.timers.next(), state.clock.setting
    if timer is None or setting.frozen_at is not None:
        return None
    return (timer.moment - setting.offset).timestamp()
