"""Answers beyond the mock's operations; the app provides them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

from werkzeug.wrappers import Request

from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import Caller
from mockserver.web.routing.route import Recognised

#: The header that names the operation beyond that was called.
BEYOND_HEADER = "X-Mock-Beyond"
#: The header that says how a request was answered that no operation of the mock answers.
ANSWERED_HEADER = "X-Mock-Answered"


class Answered(StrEnum):
    """The origin of an answer beyond the mock's operations."""

    #: By the authentication, the rate limit or a fault, which come before.
    INTERCEPTED = "intercepted"
    REFUSED = "refused"
    #: With the documented status and the smallest valid body.
    SHAPED = "shaped"
    STUBBED = "stubbed"
    #: By a peer.
    FORWARDED = "forwarded"


#: How a call is answered that no stub answers, by what a scenario or a setting chooses.
CHOICES: Mapping[str, Answered] = MappingProxyType(
    {"refuse": Answered.REFUSED, "shape": Answered.SHAPED, "forward": Answered.FORWARDED}
)


class Beyond(Protocol):
    """Recognises and answers operations that only the real service has."""

    def recognise(self, method: str, path: str) -> Recognised | None:
        """Return the operation beyond with this method and decoded path, or None."""
        ...

    def stubbed(self, caller: Caller, request: Request, exchange: Exchange) -> Reply | None:
        """Return the answer of the workspace's first matching stub, or None.

        Raises:
            ServiceError: the stub cannot answer.
        """
        ...

    def answer(self, caller: Caller, request: Request, exchange: Exchange) -> Reply:
        """Answer a request without endpoint in its open workspace, perhaps by a `PendingReply`."""
        ...
