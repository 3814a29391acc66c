"""What the application hands to the calls of its control API."""

from __future__ import annotations

from flask import current_app

from mockserver.core.workspaces.store import Store
from mockserver.scenario.documents.library import Library

#: Where the application's configuration says whether the control API asks for a token.
TOKEN_WANTED = "MOCKSERVER_TOKEN_WANTED"  # noqa: S105  # a name, not the token


def store() -> Store:
    """The workspaces of the server."""
    found: Store = current_app.extensions["mockserver.store"]
    return found


def library() -> Library:
    """The scenarios that can be loaded by their names."""
    found: Library = current_app.extensions["mockserver.library"]
    return found
