"""Refusals in the words of OAuth (RFC 6749, 5.2)."""

from __future__ import annotations

from mockserver.core.contract import errors
from mockserver.core.contract.errors import ErrorCode, ServiceError
from mockserver.core.traffic.exchange import Header, Reply
from mockserver.web.schemas import json_text

#: RFC 6749, 5.1: nobody keeps a token for others.
NO_STORE: tuple[Header, ...] = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))
#: The service's own refusals, which a fault can ask for, in OAuth's words; whatever else is a bad request.
_CODES: dict[str, ErrorCode] = {
    errors.UNAUTHORIZED.code: errors.INVALID_CLIENT,
    errors.PERMISSION_DENIED.code: errors.ACCESS_DENIED,
    errors.ACCOUNT_UNDER_VALIDATION.code: errors.ACCESS_DENIED,
    errors.INTERNAL_ERROR.code: errors.SERVER_ERROR,
    errors.TOO_MANY_REQUESTS.code: errors.TEMPORARILY_UNAVAILABLE,
}


def oauth_code(error: ServiceError) -> ErrorCode:
    """The code with which OAuth says it."""
    if error.code.code in errors.OAUTH_CODES:
        return error.code
    if error.status == 503:
        return errors.TEMPORARILY_UNAVAILABLE
    return _CODES.get(error.code.code, errors.INVALID_REQUEST)


def translated(error: ServiceError) -> ServiceError:
    """The same refusal, with the code with which OAuth says it."""
    code = oauth_code(error)
    return error if code == error.code else code(error.message, status=error.status).because(error.reason)


def description(error: ServiceError) -> str:
    """The message with the signs that RFC 6749, 5.2, allows in `error_description`."""
    return "".join(sign if " " <= sign <= "~" and sign not in '"\\' else "'" for sign in error.message)


def refusal(error: ServiceError) -> Reply:
    """A refusal as apps are told it."""
    said = translated(error)
    body = {"error": said.code.code, "error_description": description(said)}
    return Reply(said.status, json_text.write(body), said, (*NO_STORE, *_challenge(said.code, said.status)))


def _challenge(code: ErrorCode, status: int) -> tuple[Header, ...]:
    """How to do better: RFC 6749, 5.2, and RFC 6750, 3."""
    if code in (errors.INVALID_TOKEN, errors.INSUFFICIENT_SCOPE):
        return (("WWW-Authenticate", f'Bearer error="{code.code}"'),)
    return (("WWW-Authenticate", 'Basic realm="oauth"'),) if status == 401 else ()
