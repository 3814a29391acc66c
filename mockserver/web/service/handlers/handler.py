"""What a handler does for the service."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

from flask import Request

from mockserver.core.contract.errors import ServiceError
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller, Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.routing.route import Route
from mockserver.web.service.answer import HeaderList

CallerT = TypeVar("CallerT", Caller, AnonymousCaller)


class NotYetError(Exception):
    """A request waits for something before it is answered, and is run again: nobody sees what is answered now."""


@dataclass(slots=True, eq=False)
class Identified(Generic[CallerT]):
    """A request of which it is known where it leads, and who calls."""

    request: Request
    route: Route
    workspace: Workspace
    #: None: who calls was refused, or the request is a preflight, for which that does not matter.
    caller: CallerT | None
    #: What is said to a caller who was refused.
    refusal: Reply | None

    def refresh(self) -> None:
        """See the account as it stands now: another thread may have put a new state in its place."""
        if self.caller is not None:
            self.caller = self.caller.now()

    @property
    def is_preflight(self) -> bool:
        """Whether nobody has to say who calls."""
        return self.caller is None and self.refusal is None


class Handler(ABC, Generic[CallerT]):
    """Identifies, answers and refuses the callers of one audience."""

    @abstractmethod
    def missing(self, workspace: str, request: Request) -> ServiceError:
        """What is wrong with a request that names a workspace which is not there."""

    @abstractmethod
    def identify(self, request: Request, route: Route, within: Workspace | None) -> CallerT:
        """Who calls, perhaps in the workspace that the request names.

        Raises:
            ServiceError: nobody who may call.
            LeaveLoop: to answer takes long, and the request runs on the event loop.
            NotYetError: the request waits for something first.
        """

    @abstractmethod
    def admit(self, found: Identified[CallerT], exchange: Exchange, headers: HeaderList) -> None:
        """Note who calls in the exchange, and count the request.

        Raises:
            ServiceError: the caller has sent too many.
        """

    def answer(self, found: Identified[CallerT], exchange: Exchange) -> Reply:
        """The answer that the service gives.

        Raises:
            ServiceError: the request is refused.
        """
        endpoint = found.route.endpoint
        return self.nowhere(found) if endpoint is None else endpoint.answer(found.caller, found.request, exchange)

    @abstractmethod
    def nowhere(self, found: Identified[CallerT]) -> Reply:
        """The answer at an address that leads nowhere, or not with this method."""

    @abstractmethod
    def refuse(self, reply: Reply, error: ServiceError, found: Identified[CallerT], exchange: Exchange) -> Reply:
        """A refusal in words."""
