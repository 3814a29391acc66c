"""Where the operations of an OpenAPI document stand: the path of its server, and their own."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from mockserver.beyond.openapi.document import LeftOutError, Node

#: Below it stands all that the service has.
ROOT = "/v3"


def address(base: str | None, path: str) -> str:
    """The path of an operation behind that of its server.

    Without a server (None) it stands below `/v3`, as if that were forgotten.

    Raises:
        LeftOutError: it is no path of which a stub can be made.
    """
    if not path.startswith("/"):
        raise LeftOutError("a path has to begin with a slash")
    if not set("?#").isdisjoint(path):
        raise LeftOutError("a stub tells calls by their query with match.query, and not by the path")
    found = f"{_default(path) if base is None else base}{path}"
    if not found.startswith(f"{ROOT}/"):
        raise LeftOutError(f"{found} is not below {ROOT}; --base says another beginning of all paths")
    for segment in found.split("/"):
        if "{" in segment and not _is_parameter(segment):
            raise LeftOutError(f"a parameter has to be a whole segment, and {segment!r:.60} is more")
    return found


def _default(path: str) -> str:
    return "" if path.startswith(f"{ROOT}/") else ROOT


def _is_parameter(segment: str) -> bool:
    return segment[0] == "{" and segment[-1] == "}" and segment.count("{") == segment.count("}") == 1


def base_of(*owners: Node) -> str | None:
    """The path of the first server that an operation, its path or its document names; None: there is none.

    Raises:
        DocumentError: the servers are not written as they have to be.
        LeftOutError: the address of the server is none.
    """
    for owner in owners:
        servers = owner.get("servers")
        for server in servers.items() if servers else ():
            return _path(server)
    return None


def _path(server: Node) -> str:
    """The path of a server's address, without a slash at its end; variables have their defaults."""
    url = server.get("url")
    text = "/" if url is None else url.text()
    variables = server.get("variables")
    for name, variable in variables.members() if variables else ():
        text = text.replace(f"{{{name}}}", _text(variable.mapping().get("default", "")))
    try:
        path = urlsplit(text).path.rstrip("/")
    except ValueError as error:
        raise LeftOutError(f"the server {text!r:.80} has no address") from error
    return path if not path or path.startswith("/") else f"/{path}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)
