"""Encoded slashes (`%2F`) of a path: they end no segment, and are part of a parameter's value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from werkzeug.exceptions import NotFound
from werkzeug.routing import MapAdapter
from werkzeug.wrappers import Request

from mockserver.web.routing.audience import CONTROL_PREFIX

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: The character for an encoded slash where paths are matched: a lone surrogate, to which no path is decoded.
SLASH = "\udc2f"
#: The parameters of the control API's addresses that may hold an encoded slash: the keys of instances, some of which
#: are message ids. All other names are of the mock's own making, or of files, and have none.
_MAY_HOLD_SLASHES = frozenset({"key"})
_ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)
#: The key of a request's environment for its path with `SLASH` for encoded slashes; absent if the path has none.
_SEGMENTED = "mockserver.segmented"


def segmented(environ: WSGIEnvironment) -> str | None:
    """PATH_INFO with `SLASH` for its encoded slashes, or None if it has none or the server does not show them."""
    if "%2" not in environ.get("REQUEST_URI", ""):
        return None
    raw = environ["REQUEST_URI"].partition("?")[0]
    pieces = [unquote_to_bytes(piece.encode("latin-1")).decode("latin-1") for piece in _ENCODED_SLASH.split(raw)]
    return SLASH.join(pieces) if len(pieces) > 1 and "/".join(pieces) == environ["PATH_INFO"] else None


def match_as(environ: WSGIEnvironment, path: str) -> None:
    """Let a request be matched by this path, which is decoded as in a WSGI environment, with `SLASH` for `%2F`."""
    environ[_SEGMENTED] = SLASH.join(piece.encode("latin-1").decode("utf-8", "replace") for piece in path.split(SLASH))


def matched_path(request: Request) -> str:
    """The path by which a request is matched, with `SLASH` for its encoded slashes."""
    path: str = request.environ.get(_SEGMENTED, request.path)
    return path


def shown_path(request: Request) -> str:
    """The path of a request for people to read, with `%2F` for its encoded slashes."""
    return matched_path(request).replace(SLASH, "%2F")


def unsegmented(values: Mapping[str, str], request: Request) -> Mapping[str, str]:
    """The values of a request's path as the service takes them, with slashes for `SLASH`."""
    if _SEGMENTED not in request.environ:
        return values
    return {name: value.replace(SLASH, "/") for name, value in values.items()}


def adapter_of(request: Request) -> type[MapAdapter]:
    """The class of URL adapters that matches the path of a request."""
    return _SegmentedAdapter if _SEGMENTED in request.environ else MapAdapter


class _SegmentedAdapter(MapAdapter):
    """Matches a path with encoded slashes, which in the control API only the keys of instances may have."""

    def match(self, *args: Any, **options: Any) -> tuple[Any, Mapping[str, Any]]:
        try:
            rule, values = super().match(*args, **options)
        except UnicodeEncodeError:  # Werkzeug redirects to a path with a final slash, and cannot write `SLASH`
            raise NotFound from None
        if rule.rule.startswith(CONTROL_PREFIX) and not all(map(_may_be, values.items())):
            raise NotFound
        return rule, {name: value.replace(SLASH, "/") for name, value in values.items()}


def _may_be(parameter: tuple[str, str]) -> bool:
    name, value = parameter
    return name in _MAY_HOLD_SLASHES or SLASH not in value
