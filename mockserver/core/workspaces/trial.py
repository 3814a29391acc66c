"""A workspace to try something in: it stands on another one, and nothing that happens in it reaches that."""

from __future__ import annotations

from mockserver.core.state.trial import above
from mockserver.core.workspaces.workspace import Workspace


def trial_of(workspace: Workspace) -> Workspace:
    """A copy that looks the same, made and used under the workspace's lock; it costs what is looked at in it.

    It has neither timers nor jobs, and nothing leaves it.
    """
    origin, keyring = workspace.origin, workspace.origin.keyring
    if keyring is not None:
        origin = origin._replace(keyring=keyring.copy())
    return Workspace(
        workspace.name, above(workspace.state), parts=workspace.parts, limits=workspace.limits, origin=origin
    )
