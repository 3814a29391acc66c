"""The endpoint of an operation for anonymous callers: a form in, a page or OAuth's JSON out."""

from __future__ import annotations

from werkzeug.wrappers import Request

from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.web.endpoints.endpoint import Endpoint, check_room
from mockserver.web.endpoints.form import once, query_pairs, read_form
from mockserver.web.endpoints.oauth_error import NO_STORE


class PublicEndpoint(Endpoint):
    """The endpoint of an operation for anonymous callers, whose body is a form if it has one."""

    def answer(self, caller: AnonymousCaller, request: Request, exchange: Exchange) -> Reply:
        """The answer of the service.

        The exchange notes which optional members were sent, and warns of what is ignored.

        Raises:
            ServiceError: the service refuses the request.
        """
        if self.operation.query_schema is not None:
            once(query_pairs(exchange.query))
        arguments = self.address(request, exchange)
        if "query" in arguments:
            # A parameter without a value counts as absent (RFC 6749, 3.1).
            arguments["query"] = {name: value for name, value in arguments["query"].items() if value != ""}
        if self.body is not None:
            form = read_form(request)
            arguments["form"] = self.members(self.body, form, exchange)
        if self.operation.adds:
            check_room(caller.workspace)
        result = self.operation.view(caller=caller, request=request, **arguments)
        return result if isinstance(result, Reply) else self._as_json(result)

    def _as_json(self, result: object) -> Reply:
        reply = self.reply(result)
        reply.headers = NO_STORE
        return reply
