"""Encoded slashes (`%2F`) of a path: they end no segment, and are part of what a parameter says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from flask import Request
from werkzeug.exceptions import NotFound
from werkzeug.routing import MapAdapter

from mockserver.web.routing.audience import CONTROL_PREFIX

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: Stands for an encoded slash where addresses are matched, and in no address otherwise: nothing is decoded to it.
SLASH = "\udc2f"
_ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)
#: Where the path stands in a request's environment in which encoded slashes are told from others, if there are any.
_SEGMENTED = "mockserver.segmented"


def segmented(environ: WSGIEnvironment) -> str | None:
    """PATH_INFO with `SLASH` for its encoded slashes; None without any, or if the server does not tell."""
    if "%2" not in environ.get("REQUEST_URI", ""):
        return None
    raw = environ["REQUEST_URI"].partition("?")[0]
    pieces = [unquote_to_bytes(piece.encode("latin-1")).decode("latin-1") for piece in _ENCODED_SLASH.split(raw)]
    return SLASH.join(pieces) if len(pieces) > 1 and "/".join(pieces) == environ["PATH_INFO"] else None


def match_as(environ: WSGIEnvironment, path: str) -> None:
    """Let a request be matched by a path of the environment (PEP 3333) with `SLASH` for its encoded slashes."""
    environ[_SEGMENTED] = SLASH.join(piece.encode("latin-1").decode("utf-8", "replace") for piece in path.split(SLASH))


def matched_path(request: Request) -> str:
    """The path of a request as addresses are matched, where an encoded slash ends no segment."""
    found: str = request.environ.get(_SEGMENTED, request.path)
    return found


def shown_path(request: Request) -> str:
    """The path of a request in words, with its encoded slashes."""
    return matched_path(request).replace(SLASH, "%2F")


def adapter_of(request: Request) -> type[MapAdapter]:
    """What matches a request's path."""
    return _SegmentedAdapter if _SEGMENTED in request.environ else MapAdapter


class _SegmentedAdapter(MapAdapter):
    """Matches a path with encoded slashes: they are part of what a parameter says, for the service only."""

    def match(self, *args: Any, **options: Any) -> tuple[Any, Mapping[str, Any]]:
        rule, values = super().match(*args, **options)
        if rule.rule.startswith(CONTROL_PREFIX):
            raise NotFound
        return rule, {name: value.replace(SLASH, "/") for name, value in values.items()}
