"""Whom an address speaks with, as far as its first segments tell."""

from __future__ import annotations

from mockserver.core.contract.operation import Audience

#: Where the control API lives.
CONTROL_PREFIX = "/_mock"
#: Where the addresses are that apps get their tokens from, known or not.
_OAUTH_PREFIX = "/realms/"
#: Where the pages for people are, known or not.
_PAGE_PREFIXES = ("/account/", "/shared/")


def audience_of(path: str) -> Audience:
    """Whom an address of the service's speaks with that leads nowhere."""
    if path.startswith(_OAUTH_PREFIX):
        return Audience.OAUTH
    return Audience.PAGE if path.startswith(_PAGE_PREFIXES) else Audience.API
