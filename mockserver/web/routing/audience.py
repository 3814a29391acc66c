"""The audience of an address, as far as its first segments tell."""

from __future__ import annotations

from mockserver.core.contract.operation import Audience

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
    """Whether a request is for the mock itself rather than for the service; slashes before the first count as one."""
    path = f"/{path.lstrip('/')}"
    return path.startswith(CONTROL_PREFIX) or (path in _WELCOME and method in _READING)


def audience_of(path: str) -> Audience:
    """The audience of a path of the service that leads to no operation."""
    if path.startswith(_OAUTH_PREFIX):
        return Audience.OAUTH
    return Audience.PAGE if path.startswith(_PAGE_PREFIXES) else Audience.API
