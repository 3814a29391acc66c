"""From where a request came, and at which address it found its workspace."""

from __future__ import annotations

from functools import lru_cache

from flask import Request

from mockserver.core.workspaces.caller import Visit
from mockserver.core.workspaces.store import DEFAULT
from mockserver.web.routing.route import Route
from mockserver.web.routing.workspace_name import WORKSPACE_PREFIX

#: Longer addresses are not remembered: they would fill the memory.
_LONGEST = 255
#: How many are: about as many as there are workspaces, with some hundred bytes each.
_REMEMBERED = 1_024


def visit_of(request: Request, route: Route, workspace: str) -> Visit:
    """From where a request came, and where it found the workspace of this name."""
    told = request.environ.get
    host, prefix = told("HTTP_HOST", ""), told("SCRIPT_NAME", "")
    server = (told("SERVER_NAME", ""), told("SERVER_PORT", ""))
    make = _remembered_root if len(host) + len(prefix) <= _LONGEST else _root
    root = make(told("wsgi.url_scheme", ""), host, server, prefix, route.workspace.in_address, workspace)
    return Visit(root, told("REMOTE_ADDR") or "", told("HTTP_USER_AGENT", ""))


def _root(scheme: str, host: str, server: tuple[str, str], prefix: str, named: str | None, workspace: str) -> str:
    """Where the workspace is found without a key: as the request's address named it, or by its name."""
    root = _url_root(scheme, host, server, prefix)
    if named == workspace:
        return root
    if named is not None:
        root = root.removesuffix(f"{WORKSPACE_PREFIX}{named}")
    return root if workspace == DEFAULT else f"{root}{WORKSPACE_PREFIX}{workspace}"


def _url_root(scheme: str, host: str, server: tuple[str, str], prefix: str) -> str:
    """The root address as the request names it, without a slash at its end."""
    parts = {
        "wsgi.url_scheme": scheme,
        "HTTP_HOST": host,
        "SERVER_NAME": server[0],
        "SERVER_PORT": server[1],
        "SCRIPT_NAME": prefix,
    }
    named = {name: part for name, part in parts.items() if part}
    return Request({"REQUEST_METHOD": "GET", "PATH_INFO": "/", "QUERY_STRING": "", **named}).url_root.rstrip("/")


#: Clients ask at the same address again and again, and werkzeug makes it of its parts each time.
_remembered_root = lru_cache(maxsize=_REMEMBERED)(_root)
