"""What answers where the mock has no operation; the app provides it."""

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
    """How a request was answered that no operation of the mock answers."""

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
    """Knows which operations the service has and the mock has not, and answers at every address of neither's."""

    def recognise(self, method: str, path: str) -> Recognised | None:
        """The operation beyond that has a method and a decoded path, or None if the service has none there."""
        ...

    def stubbed(self, caller: Caller, request: Request, exchange: Exchange) -> Reply | None:
        """Return the answer of the workspace's first stub for a request, or None if no stub matches.

        Raises:
            ServiceError: the stub cannot answer.
        """
        ...

    def answer(self, caller: Caller, request: Request, exchange: Exchange) -> Reply:
        """The answer to a request without an endpoint, under the lock of its workspace; perhaps one that comes later.

        Raises:
            ServiceError: the request is refused.
        """
        ...
