"""Where a request came from, and the address at which it found its workspace."""

from __future__ import annotations

from functools import lru_cache

from werkzeug.wrappers import Request

from mockserver.core.workspaces.caller import Visit
from mockserver.core.workspaces.store import DEFAULT
from mockserver.web.routing.route import Route
from mockserver.web.routing.workspace_name import WORKSPACE_PREFIX

#: The longest host with a prefix, in characters, whose root address is remembered. Chosen: the names of hosts are no
#: longer, and those of a hostile client would fill the memory.
_LONGEST = 255
#: How many root addresses are remembered. Chosen: about as many as there are workspaces, with some hundred bytes each.
_REMEMBERED = 1_024


def visit_of(request: Request, route: Route, workspace: str) -> Visit:
    """Where a request came from, and the root address of the workspace of this name, as the client can reach it."""
    value_of = request.environ.get
    host, prefix = value_of("HTTP_HOST", ""), value_of("SCRIPT_NAME", "")
    server = (value_of("SERVER_NAME", ""), value_of("SERVER_PORT", ""))
    make = _remembered_root if len(host) + len(prefix) <= _LONGEST else _root
    root = make(value_of("wsgi.url_scheme", ""), host, server, prefix, route.workspace.in_address, workspace)
    return Visit(root, value_of("REMOTE_ADDR") or "", value_of("HTTP_USER_AGENT", ""))


def _root(scheme: str, host: str, server: tuple[str, str], prefix: str, named: str | None, workspace: str) -> str:
    """The root address at which a workspace is found without a key: that of the request, or one with its name."""
    root = _url_root(scheme, host, server, prefix)
    if named == workspace:
        return root
    if named is not None:
        root = root.removesuffix(f"{WORKSPACE_PREFIX}{named}")
    return root if workspace == DEFAULT else f"{root}{WORKSPACE_PREFIX}{workspace}"


def _url_root(scheme: str, host: str, server: tuple[str, str], prefix: str) -> str:
    """The root address of a request, without a slash at its end."""
    environ = {
        "wsgi.url_scheme": scheme,
        "HTTP_HOST": host,
        "SERVER_NAME": server[0],
        "SERVER_PORT": server[1],
        "SCRIPT_NAME": prefix,
    }
    given = {name: value for name, value in environ.items() if value}
    return Request({"REQUEST_METHOD": "GET", "PATH_INFO": "/", "QUERY_STRING": "", **given}).url_root.rstrip("/")


#: Clients use the same address again and again, and werkzeug takes long to put it together.
_remembered_root = lru_cache(maxsize=_REMEMBERED)(_root)
