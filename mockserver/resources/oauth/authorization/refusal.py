"""The refusal of an app's request: its user is redirected to it with an error (RFC 6749, 4.1.2.1)."""

from __future__ import annotations

from mockserver.core.contract import errors
from mockserver.core.contract.errors import ServiceError
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.resources.oauth.authorization.request import redirection
from mockserver.web.endpoints import form, oauth_error
from mockserver.web.pages.page import redirect

#: The errors with which a user is redirected to the app; others are shown on a page.
_SENT_BACK = frozenset(
    error.code
    for error in (
        errors.INVALID_REQUEST, errors.INVALID_SCOPE, errors.UNAUTHORIZED_CLIENT, errors.UNSUPPORTED_RESPONSE_TYPE,
        errors.ACCESS_DENIED, errors.SERVER_ERROR, errors.TEMPORARILY_UNAVAILABLE,
    )
)  # fmt: skip


def send_back(error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply | None:
    """The redirection to the app with an error, or None if a page shows the error.

    A page does so if the app or its redirect_uri is unknown (RFC 6749, 4.1.2.1).
    """
    said = oauth_error.translated(error)
    if said.code.code not in _SENT_BACK or (error.code != said.code and error.status < 500):
        return None
    try:
        pairs = form.query_pairs(exchange.query)
        if _twice(pairs) & {"client_id", "redirect_uri"}:
            return None
        found = redirection(caller.workspace, {name: value for name, value in pairs if value})
    except ServiceError:
        return None
    back = redirect(found.with_answer(error=said.code.code, error_description=oauth_error.description(said)))
    back.error = said
    return back


def _twice(pairs: form.Pairs) -> set[str]:
    names = [name for name, _ in pairs]
    return {name for name in names if names.count(name) > 1}
