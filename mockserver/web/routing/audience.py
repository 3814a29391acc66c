"""The audience of an address, as far as its first segments tell."""

from __future__ import annotations

from mockserver.core.contract.operation import Audience

#: The beginning of the control API's paths.
CONTROL_PREFIX = "/_mock"
#: The beginning of the paths from which apps get their tokens.
_OAUTH_PREFIX = "/realms/"
#: The beginnings of the paths of pages for people.
_PAGE_PREFIXES = ("/account/", "/shared/")


def audience_of(path: str) -> Audience:
    """The audience of a path of the service that leads to no operation."""
    if path.startswith(_OAUTH_PREFIX):
        return Audience.OAUTH
    return Audience.PAGE if path.startswith(_PAGE_PREFIXES) else Audience.API
