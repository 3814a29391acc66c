"""Answers to requests without an operation of the mock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from werkzeug.wrappers import Request

from mockserver.beyond.catalogue import OperationBeyond, catalogue, is_meant, nearest, tree
from mockserver.core.contract.errors import NOT_FOUND
from mockserver.core.contract.operation import Operation
from mockserver.core.lazy import lazy
from mockserver.core.state import reasons
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.web.routing.address import matched_path
from mockserver.web.routing.path_tree import PathTree
from mockserver.web.routing.route import Recognised
from mockserver.web.service.beyond import Answered
from mockserver.web.service.public_handlers import why_nowhere

if TYPE_CHECKING:
    from mockserver.beyond import forward as forwarding
    from mockserver.beyond.stubs import answering as stubs
else:
    (forwarding,) = lazy("mockserver.beyond", "forward")
    (stubs,) = lazy("mockserver.beyond", "stubs.answering")

#: The methods of operations, in the order in which they are told.
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class Answering:
    """Answers requests outside of the mock's operations, and recognises operations of the service."""

    def __init__(self, default: str) -> None:
        """Set the `Behaviour.beyond` of workspaces whose scenario leaves it open."""
        self._default = default
        self._own = PathTree(ALL_OPERATIONS.values())

    def recognise(self, method: str, path: str) -> Recognised | None:
        """Return the catalogue's operation at a method and decoded path, or None."""
        found = tree().find(method, path)
        return None if found is None else Recognised(found.operations[0].id, found.params)

    def stubbed(self, caller: Caller, request: Request, exchange: Exchange) -> Reply | None:
        """Return the answer of the first matching stub, or None."""
        if not caller.workspace.state.stubs:
            return None
        try:
            return stubs.answer(caller, request, exchange)
        finally:
            if exchange.stub is not None:
                exchange.beyond = Answered.STUBBED

    def answer(self, caller: Caller, request: Request, exchange: Exchange) -> Reply:
        """Answer a request without an endpoint. The workspace is open."""
        reply = self.stubbed(caller, request, exchange)
        if reply is not None:
            return reply
        chosen = caller.workspace.state.behaviour.beyond or self._default
        if chosen == "forward":
            exchange.beyond = None if exchange.operation is None else Answered.REFUSED
            reply = forwarding.forward(caller, request, exchange)
            exchange.beyond = Answered.FORWARDED
            return reply
        operation = catalogue().get(exchange.operation or "")
        if operation is None:
            # The API says the same of a wrong address and of a wrong method (contract/errors#statuses).
            raise NOT_FOUND().because(self._why_unknown(request))
        if chosen == "shape":
            exchange.beyond = Answered.SHAPED
            exchange.warn(f"{operation.id} was not carried out: the answer is a placeholder of the documented form")
            return Reply(operation.status, f"{operation.body}\n".encode() if operation.body else b"")
        exchange.beyond = Answered.REFUSED
        known = f"{operation.id} is not implemented: the service has this operation, the mock does not"
        there = caller.workspace.state.stubs.at(request.method, matched_path(request))
        own = [stub.id for stub, _ in there if is_meant(stub.method, stub.path, operation.id)]
        used_up = f"the stubs with its path ({reasons.listed(own)}) are used up or match other requests"
        raise NOT_FOUND().because(f"{known}; {used_up if own else 'add a stub, or start the server with --beyond'}")

    def _why_unknown(self, request: Request) -> str:
        path = matched_path(request)
        operations = list(self._at(path))
        why = why_nowhere(request, operations)
        near = None if operations else nearest(request.method, path)
        return why if near is None else f"{why}; did you mean {near.method} {near.path} ({near.id})?"

    def _at(self, path: str) -> Iterator[Operation | OperationBeyond]:
        for operations in (self._own, tree()):
            for method in _METHODS:
                found = operations.find(method, path)
                if found is not None:
                    yield from found.operations
