"""The API key with which the pages that are open to all show how the service is called."""

from __future__ import annotations

from mockserver.control.framework import dependencies, target
from mockserver.core.workspaces.store import KeyMode
from mockserver.web.service.auth import ANY_KEY


def example_key() -> str | None:
    """An API key of the workspace that is asked, or None.

    The pages need no token, so they give none of the keys of a server whose control API needs one.
    """
    if dependencies.store().keys is KeyMode.ANY:
        return ANY_KEY
    keys = (target.addressed() or dependencies.store().default).state.first_account.api_keys
    return None if dependencies.current().wants_token else next(iter(keys), None)
