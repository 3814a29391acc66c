"""The base of handlers, and what they know of a request."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import ServiceError
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller, Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.routing.route import Route
from mockserver.web.service.answer import HeaderList

CallerT = TypeVar("CallerT", Caller, AnonymousCaller)


class NotYetError(Exception):
    """A request waits for something before it is answered: it is run again, and its present answer is not sent."""


@dataclass(slots=True, eq=False)
class Identified(Generic[CallerT]):
    """A request whose route, workspace and caller are known."""

    request: Request
    route: Route
    workspace: Workspace
    #: Who calls, or None if the caller was refused or the request is a preflight.
    caller: CallerT | None
    #: The answer to a caller that was refused, or None.
    refusal: Reply | None

    def refresh(self) -> None:
        """Take the account of the present state: another thread may have replaced the state meanwhile."""
        if self.caller is not None:
            self.caller = self.caller.now()

    @property
    def is_preflight(self) -> bool:
        """Whether the request is a preflight, which needs no caller."""
        return self.caller is None and self.refusal is None


class Handler(ABC, Generic[CallerT]):
    """Identifies, answers and refuses the callers of one audience."""

    @abstractmethod
    def missing(self, workspace: str, request: Request) -> ServiceError:
        """The error of a request that names a workspace that does not exist."""

    @abstractmethod
    def identify(self, request: Request, route: Route, within: Workspace | None) -> CallerT:
        """The caller of a request; `within` is the workspace that the request names, or None if it names none.

        Raises:
            ServiceError: the caller is unknown, or may not call.
            LeaveLoop: to answer takes long, and the request runs on the event loop.
            NotYetError: the request waits for something before it is answered.
        """

    @abstractmethod
    def admit(self, found: Identified[CallerT], exchange: Exchange, headers: HeaderList) -> None:
        """Note the caller in the exchange, count the request, and add the headers that tell how many may follow.

        Raises:
            ServiceError: 429; the caller has sent too many.
        """

    def answer(self, found: Identified[CallerT], exchange: Exchange) -> Reply:
        """The answer of the service, without regard to faults.

        Raises:
            ServiceError: the service refuses the request.
        """
        endpoint = found.route.endpoint
        if endpoint is None:
            return self.nowhere(found, exchange)
        return endpoint.answer(found.caller, found.request, exchange)

    @abstractmethod
    def nowhere(self, found: Identified[CallerT], exchange: Exchange) -> Reply:
        """The answer at an address that no operation of the mock has, or none with this method.

        Raises:
            ServiceError: the request is refused.
        """

    @abstractmethod
    def refuse(self, reply: Reply, error: ServiceError, found: Identified[CallerT], exchange: Exchange) -> Reply:
        """The answer that shows an error in the format of the audience; `reply` has the error, and perhaps headers."""
