"""The handler of requests of apps that want tokens: forms in, JSON out, errors of RFC 6749."""

from __future__ import annotations

from mockserver.core.contract.errors import ServiceError
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.web.endpoints import oauth_error
from mockserver.web.service.handlers.anonymous import AnonymousHandler


class OAuthHandler(AnonymousHandler):
    """Refuses with the errors of RFC 6749, 5.2; it is the operation that identifies the app, by its form."""

    def refusal(self, error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply:
        return oauth_error.refusal(error)
