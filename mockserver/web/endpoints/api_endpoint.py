"""The endpoint of an operation of the API: JSON in and out, for callers with a key or a token."""

from __future__ import annotations

from typing import Any

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import BAD_REQUEST
from mockserver.core.state import reasons
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.endpoint import Endpoint, Taken, check_room
from mockserver.web.endpoints.json_body import NO_BODY, read_body
from mockserver.web.endpoints.permission import check_role, check_scope
from mockserver.web.schemas.refusal import summary


class ApiEndpoint(Endpoint):
    """The endpoint of an operation that an account calls."""

    def answer(self, caller: Caller, request: Request, exchange: Exchange) -> Reply:
        """The answer of the service; without a body if the operation's answer has none.

        The exchange notes which optional members were sent, and warns of what is ignored.

        Raises:
            ServiceError: the service refuses the request; nothing has changed.
        """
        if self.operation.roles is not None:
            check_role(caller, self.operation, self.operation.roles)
        if caller.scopes is not None:
            check_scope(caller, self.operation, caller.scopes)
        arguments = self.address(request, exchange)
        if self.body is not None:
            arguments["body"] = self._body(self.body, caller, request, exchange)
        elif exchange.body:
            exchange.warn(f"{self.operation.id} takes no body and ignored the one that was sent")
        if self.operation.adds:
            check_room(caller.workspace)
        return self.reply(self.operation.view(caller=caller, **arguments))

    def _body(self, body: Taken, caller: Caller, request: Request, exchange: Exchange) -> dict[str, Any]:
        data = read_body(request)
        if data is NO_BODY:
            if self.operation.body_required:
                raise BAD_REQUEST("The request body is missing").because(
                    f"missing body: {self.operation.id} requires a JSON object"
                )
            data = {}
        exchange.take_json(data)
        self._warn_of_type(request, exchange)
        if not isinstance(data, dict):
            refused = BAD_REQUEST("The request body must be a JSON object")
            given = summary(data, secret=True)
            raise refused.because(f"the body of {self.operation.id} must be a JSON object (got {given})")
        return self.members(body, data, exchange, strict=caller.workspace.state.strict)

    def _warn_of_type(self, request: Request, exchange: Exchange) -> None:
        """Warn in the journal of JSON that was sent as another type; the service takes it all the same.

        The type of a form is no mistake of a product: `curl -d` sends it by default.
        """
        sent_as = request.environ.get("CONTENT_TYPE", "")
        is_usual = "json" in sent_as.lower() or request.mimetype == "application/x-www-form-urlencoded"
        if exchange.body and not is_usual:
            shown = f"its Content-Type is {reasons.shown(sent_as)}" if sent_as else "it has no Content-Type"
            exchange.warn(f"{self.operation.id} read the body as JSON although {shown}; send application/json")
