"""Addresses: audiences, workspace names, and encoded slashes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlsplit

from werkzeug.wrappers import Request

from mockserver.core.contract.operation import Audience
from mockserver.core.text.host_names import host_url
from mockserver.core.workspaces.store import DEFAULT

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: The beginning of the paths of the API.
API_PREFIX = "/v3/"
#: The beginning of the control API's paths.
CONTROL_PREFIX = "/_mock"
#: The beginning of the paths of the dashboard's pages, within that.
DASHBOARD_PREFIX = "/_mock/ui"
#: The paths of the welcome, and of the icon for which browsers ask; only reading them is no request for the service.
_WELCOME = ("/", "/favicon.ico")
_READING = ("GET", "HEAD", "OPTIONS")
#: The beginning of the paths from which apps get their tokens.
_OAUTH_PREFIX = "/realms/"
#: The beginnings of the paths of pages for people.
_PAGE_PREFIXES = ("/account/", "/shared/")


def is_of_the_mock(method: str, path: str) -> bool:
    """Return whether a request is for the mock itself, not the service; leading slashes count as one."""
    path = f"/{path.lstrip('/')}"
    return path.startswith(CONTROL_PREFIX) or (path in _WELCOME and method in _READING)


def audience_of(path: str) -> Audience:
    """Return the audience of a service path without operation."""
    if path.startswith(_OAUTH_PREFIX):
        return Audience.OAUTH
    return Audience.PAGE if path.startswith(_PAGE_PREFIXES) else Audience.API


#: What precedes the name of a workspace in an address; any address of the mock may follow.
WORKSPACE_PREFIX = "/w/"
#: The key of a request's environment for the workspace's name in its address.
WORKSPACE = "mockserver.workspace"
#: The key of a request's environment for the public root address of the server, if the setting `public_url` has one.
PUBLIC_ROOT = "mockserver.public_root"
#: The header that names a workspace.
WORKSPACE_HEADER = "X-Mock-Workspace"
_IN_HEADER = "HTTP_X_MOCK_WORKSPACE"


class DisagreementError(ValueError):
    """Address and header name different workspaces."""


class WorkspaceName(NamedTuple):
    """A request's workspace name; without name, the key determines the workspace."""

    in_address: str | None
    in_header: str | None

    def agreed(self) -> str | None:
        """Return the name in address or header, or None.

        Raises:
            DisagreementError: the names differ.
        """
        if self.in_header is None or self.in_header == self.in_address:
            return self.in_address
        if self.in_address is None:
            return self.in_header
        message = f"the address names workspace {self.in_address}, but {WORKSPACE_HEADER} names {self.in_header}"
        raise DisagreementError(f"{message}; send one name only")


#: The name of a workspace that a request does not give.
NO_NAME = WorkspaceName(None, None)


def workspace_name(environ: WSGIEnvironment) -> WorkspaceName:
    """Return a request's workspace names, in address and header."""
    in_address, in_header = environ.get(WORKSPACE), environ.get(_IN_HEADER)
    return NO_NAME if in_address is in_header is None else WorkspaceName(in_address, in_header)


def split_workspace(path: str) -> tuple[str | None, str]:
    """Return the name in `/w/<name>`, or None, and the remaining path."""
    if not path.startswith(WORKSPACE_PREFIX):
        return None, path
    name, slash, rest = path.removeprefix(WORKSPACE_PREFIX).partition("/")
    return name, slash + rest


def take_prefix_off(environ: WSGIEnvironment, public_root: str) -> None:
    """Note the public root address, and remove its prefix from the path unless the proxy has, once per request."""
    if PUBLIC_ROOT in environ:
        return
    environ[PUBLIC_ROOT], prefix = public_root, urlsplit(public_root).path
    if f"{environ['PATH_INFO']}/".startswith(f"{prefix}/"):
        environ["PATH_INFO"] = environ["PATH_INFO"].removeprefix(prefix) or "/"
        if environ.get("REQUEST_URI", "").startswith(f"{prefix}/"):
            environ["REQUEST_URI"] = environ["REQUEST_URI"].removeprefix(prefix)


def server_url(environ: WSGIEnvironment) -> str:
    """Return the server's root address without final slash: the public one, or else the one that was called."""
    if PUBLIC_ROOT in environ:
        return str(environ[PUBLIC_ROOT])
    named = environ.get(WORKSPACE)
    mount = environ.get("SCRIPT_NAME", "").removesuffix("" if named is None else f"{WORKSPACE_PREFIX}{named}")
    return f"{host_url(environ)}{quote(mount.encode('latin-1')).strip('/')}".removesuffix("/")


def workspace_url(environ: WSGIEnvironment, workspace: str | None = None) -> str:
    """Return the root address of a workspace, by default of the one that the request's address names, if any.

    The address of `default` has its name only if the request's has it.
    """
    named = environ.get(WORKSPACE)
    name = named if workspace is None else None if workspace == DEFAULT != named else workspace
    return server_url(environ) + ("" if name is None else f"{WORKSPACE_PREFIX}{quote(name.encode('latin-1'))}")


#: The character for an encoded slash where paths are matched: a lone surrogate, to which no path is decoded.
SLASH = "\udc2f"
_ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)
#: The key of a request's environment for its path with `SLASH` for encoded slashes; absent if the path has none.
SEGMENTED = "mockserver.segmented"


def segmented(environ: WSGIEnvironment) -> str | None:
    """Return PATH_INFO with `SLASH` for encoded slashes, or None without (visible) encoded slashes."""
    if "%2" not in environ.get("REQUEST_URI", ""):
        return None
    raw = environ["REQUEST_URI"].partition("?")[0]
    pieces = [unquote_to_bytes(piece.encode("latin-1")).decode("latin-1") for piece in _ENCODED_SLASH.split(raw)]
    return SLASH.join(pieces) if len(pieces) > 1 and "/".join(pieces) == environ["PATH_INFO"] else None


def match_as(environ: WSGIEnvironment, path: str) -> None:
    """Set a request's path for matching: WSGI-decoded, with `SLASH` for `%2F`."""
    environ[SEGMENTED] = SLASH.join(piece.encode("latin-1").decode("utf-8", "replace") for piece in path.split(SLASH))


def matched_path(request: Request) -> str:
    """Return a request's path for matching, with `SLASH` for encoded slashes."""
    path: str = request.environ.get(SEGMENTED, request.path)
    return path


def shown_path(request: Request) -> str:
    """Return a request's path for people, with `%2F` for encoded slashes."""
    return matched_path(request).replace(SLASH, "%2F")


def unsegmented(values: Mapping[str, str], request: Request) -> Mapping[str, str]:
    """Return path parameters for the service, with slashes for `SLASH`."""
    if SEGMENTED not in request.environ:
        return values
    return {name: value.replace(SLASH, "/") for name, value in values.items()}
