"""The API key in commands that a page shows as examples."""

from __future__ import annotations

from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.service.auth import ANY_KEY


def example_key(workspace: Workspace) -> str:
    """A key of the first account of a workspace, whose lock the caller holds; where it has none, the one for all."""
    return next(iter(workspace.state.first_account.api_keys), ANY_KEY)
