"""Commands of curl that a page shows as examples, as short as they can be; they call the workspace of the page."""

from __future__ import annotations

from shlex import quote

from mockserver.control.framework import target
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.addresses import absolute_root
from mockserver.dashboard.snippets.shell import AUTHORIZATION, TRUSTING
from mockserver.web.service.handlers import ANY_KEY


def example_key(workspace: Workspace) -> str:
    """A key of the first account of a workspace, whose lock the caller holds; where it has none, the one for all."""
    return next(iter(workspace.state.first_account.api_keys), ANY_KEY)


def curl(path: str, *arguments: str, method: str = "", body: str = "") -> str:
    """A command that calls a path as nobody in particular; `body` is JSON.

    Further arguments, which come last, stand as they are given. `method` is for what curl would not take by itself.
    """
    address = f"{absolute_root()}{path}"
    options = [TRUSTING] if address.startswith("https:") else []
    options += [f"-X {method}"] if method else []
    sent = [f"-H 'Content-Type: application/json' -d {quote(body)}"] if body else []
    return " ".join(["curl", *options, quote(address), *sent, *arguments])


def service_curl(key: str, path: str, *arguments: str, method: str = "", body: str = "") -> str:
    """The same for a call of the service with an API key."""
    return curl(path, f"-H {quote(f'api-key: {key}')}", *arguments, method=method, body=body)


def control_curl(path: str, *arguments: str, method: str = "", body: str = "") -> str:
    """The same for a control call, with the token where the server asks for one."""
    token = [AUTHORIZATION] if target.current().wants_token else []
    return curl(path, *token, *arguments, method=method, body=body)
