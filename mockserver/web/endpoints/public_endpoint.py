"""The endpoint of an operation that asks for no key: a form in, a page or OAuth's JSON out."""

from __future__ import annotations

from flask import Request

from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.web.endpoints.endpoint import Endpoint, check_room
from mockserver.web.endpoints.form import once, query_pairs, read_form
from mockserver.web.endpoints.oauth_error import NO_STORE


class PublicEndpoint(Endpoint):
    """An operation that an anonymous caller calls: with a form, if with anything."""

    def answer(self, caller: AnonymousCaller, request: Request, exchange: Exchange) -> Reply:
        """The answer to a caller.

        Raises:
            ServiceError: the request is refused.
        """
        if self.operation.query_schema is not None:
            once(query_pairs(exchange.query))
        arguments = self.address(request, exchange)
        if "query" in arguments:
            # RFC 6749, 3.1: without a value it counts as absent.
            arguments["query"] = {name: value for name, value in arguments["query"].items() if value != ""}
        if self.body_schema is not None:
            form = read_form(request)
            arguments["form"] = self.members(self.body_schema, form, exchange)
        if self.operation.adds:
            check_room(caller.workspace)
        found = self.operation.view(caller=caller, request=request, **arguments)
        return found if isinstance(found, Reply) else self._as_json(found)

    def _as_json(self, found: object) -> Reply:
        reply = self.reply(found)
        reply.headers = NO_STORE
        return reply
