"""What is known of a workspace that is not loaded."""

from __future__ import annotations

from mockserver.core.workspaces.keeping import Outline
from mockserver.core.workspaces.workspace import Workspace


def outline(workspace: Workspace) -> Outline:
    """The outline of a workspace, whose lock the caller holds."""
    raise NotImplementedError
