"""The path of an operation: that of its server, and its own."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from mockserver.beyond.openapi.document import Document, LeftOutError

#: All paths of the service begin with it.
ROOT = "/v3"


def address(base: str | None, path: str) -> str:
    """Return the path of a stub: the path of an operation behind that of its server, or below `/v3` without a server.

    Raises:
        LeftOutError: a stub cannot have this path.
    """
    if not path.startswith("/"):
        raise LeftOutError("a path has to begin with a slash")
    if "?" in path or "#" in path:
        raise LeftOutError("a path has no query: a stub matches it with match.query")
    if base is None:
        base = "" if path.startswith(f"{ROOT}/") else ROOT
    if not f"{base}{path}".startswith(f"{ROOT}/"):
        raise LeftOutError(f"{base}{path} is not below {ROOT}; --base sets another beginning of all paths")
    return f"{base}{path}"


def base_of(document: Document, *owners: Any) -> str | None:
    """Return the path of the first server of an operation, its path or its document; None if none has servers.

    Raises:
        LeftOutError: the server has no address.
    """
    for owner in owners:
        for server in document.get(owner, "servers", list)[:1]:
            url = document.get(server, "url") or "/"
            variables = document.get(server, "variables", dict)
            try:
                for name, variable in variables.items():
                    url = url.replace(f"{{{name}}}", str(document.plain(document.get(variable, "default"))))
                path = urlsplit(url).path.strip("/")
            except (AttributeError, TypeError, ValueError) as error:
                raise LeftOutError("its server has no address") from error
            return f"/{path}" if path else ""
    return None
