"""Flask with the service's own way for the service's paths: where an address leads, and in which workspace."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from flask import Request, Response, request
from werkzeug.exceptions import NotFound
from werkzeug.routing import BaseConverter, Map, MapAdapter, Rule

from mockserver.core.contract.operation import Operation
from mockserver.web.service.components import ComponentFlask

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from mockserver.web.service.service import Service

#: Where the control API lives.
CONTROL_PREFIX = "/_mock"
#: Before the name of a workspace, under which every address works.
WORKSPACE_PREFIX = "/w/"
#: Where that name stands in a request's environment.
WORKSPACE = "mockserver.workspace"


#: The header that names a workspace.
WORKSPACE_HEADER = "X-Mock-Workspace"
_IN_HEADER = "HTTP_X_MOCK_WORKSPACE"


class DisagreementError(ValueError):
    """The address and the header name different workspaces."""


def named_workspace(environ: WSGIEnvironment) -> str | None:
    """The name of the workspace that a request's address or its header gives, if one of them does.

    Raises:
        DisagreementError: both do, and differ.
    """
    in_address: str | None = environ.get(WORKSPACE)
    in_header: str | None = environ.get(_IN_HEADER)
    if in_header is None or in_header == in_address:
        return in_address
    if in_address is None:
        return in_header
    raise DisagreementError(f"the address names the workspace {in_address}, and {WORKSPACE_HEADER} {in_header}")


def path_within(path: str) -> str:
    """A path without the workspace that it may begin with."""
    if not path.startswith(WORKSPACE_PREFIX):
        return path
    _, slash, rest = path.removeprefix(WORKSPACE_PREFIX).partition("/")
    return slash + rest


#: Stands for an encoded slash where addresses are matched, and in no address otherwise: nothing is decoded to it.
SLASH = "\udc2f"
_ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)
#: Where the path stands in a request's environment in which encoded slashes are told from others, if there are any.
_SEGMENTED = "mockserver.segmented"


def _segmented(environ: WSGIEnvironment) -> str | None:
    """PATH_INFO with `SLASH` for its encoded slashes; None without any, or if the server does not tell."""
    raw = environ["REQUEST_URI"].partition("?")[0]
    pieces = [unquote_to_bytes(piece.encode("latin-1")).decode("latin-1") for piece in _ENCODED_SLASH.split(raw)]
    return SLASH.join(pieces) if len(pieces) > 1 and "/".join(pieces) == environ["PATH_INFO"] else None


def _decoded(path: str) -> str:
    """A path of the environment, PEP 3333, as text."""
    return SLASH.join(piece.encode("latin-1").decode("utf-8", "replace") for piece in path.split(SLASH))


def routed(request: Request) -> str:
    """The path of a request as addresses are matched, where an encoded slash ends no segment."""
    found: str = request.environ.get(_SEGMENTED, request.path)
    return found


def shown_path(request: Request) -> str:
    """The path of a request in words, with its encoded slashes."""
    return routed(request).replace(SLASH, "%2F")


class _SegmentedAdapter(MapAdapter):
    """Matches a path with encoded slashes: they are part of what a parameter says, for the service only."""

    def match(self, *args: Any, **options: Any) -> tuple[Any, Mapping[str, Any]]:
        rule, values = super().match(*args, **options)
        if rule.rule.startswith(CONTROL_PREFIX):
            raise NotFound
        return rule, {name: value.replace(SLASH, "/") for name, value in values.items()}


class Segment(BaseConverter):
    """One segment of a path that is not one of its fixed siblings.

    `/v3/senders/ips` is no sender's address, whatever the method (ledger 2.6).
    """

    def __init__(self, url_map: Map, *siblings: str) -> None:
        super().__init__(url_map)
        if siblings:
            self.regex = f"(?!(?:{'|'.join(siblings)})(?:/|$))[^/]+"


class Address(Rule):
    """A rule that is only matched: no address is ever built from it, and preparing for that is most of its cost."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return lambda *_, **__: ("", "")


class ServiceFlask(ComponentFlask):
    """Flask, with the service's own way for the service's paths, and without what it does for many hosts."""

    service: Service
    url_rule_class = Address

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Take the workspace's name off an address that begins with `/w/<name>`."""
        path: str = environ["PATH_INFO"]
        segmented = _segmented(environ) if "%2" in environ.get("REQUEST_URI", "") else None
        if segmented is not None:
            path = segmented
        if path.startswith(WORKSPACE_PREFIX):
            name, slash, path = path.removeprefix(WORKSPACE_PREFIX).partition("/")
            name, path = name.replace(SLASH, "/"), slash + path
            environ["SCRIPT_NAME"] += f"{WORKSPACE_PREFIX}{name}"
            environ["PATH_INFO"] = path.replace(SLASH, "/")
            environ[WORKSPACE] = name
        if segmented is not None:
            environ[_SEGMENTED] = _decoded(path)
        return super().wsgi_app(environ, start_response)

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        if request is None:
            return super().create_url_adapter(request)
        # The map knows neither hosts nor subdomains, so nothing of the environment but these matters.
        adapter = _SegmentedAdapter if _SEGMENTED in request.environ else MapAdapter
        return adapter(
            self.url_map, request.host, request.root_path, "", request.scheme, routed(request), request.method, ""
        )

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func  # no view is a coroutine, and asking costs more than calling

    def handle_exception(self, e: Exception) -> Response:
        """Let the server see that a fault wants no answer (`web.wire.block`)."""
        if isinstance(e, ConnectionResetError):
            raise e
        found: Response = super().handle_exception(e)
        return found

    def full_dispatch_request(self) -> Response:
        """Answer the service's paths by the service, which authenticates before it looks where a path leads."""
        found: Request = request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001  # once, not often
        return self.service.answer(found) if self.service.owns(found) else super().full_dispatch_request()


def rule_of(operation: Operation, operations: list[Operation]) -> str:
    """Flask's form of a path: every parameter is one segment, other than its fixed siblings in other paths."""
    parts = operation.path.split("/")
    for index, part in enumerate(parts):
        if part.startswith("{"):
            siblings = {other.path.split("/")[index] for other in operations if _beside(other, parts, index)}
            parts[index] = f"<segment({', '.join(map(repr, sorted(siblings)))}):{part[1:-1]}>"
    return "/".join(parts)


def _beside(other: Operation, parts: list[str], index: int) -> bool:
    segments = other.path.split("/")
    return len(segments) > index and segments[:index] == parts[:index] and not segments[index].startswith("{")
