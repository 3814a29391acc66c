"""OAuth errors, and translation of service errors (RFC 6749, 5.2)."""

from __future__ import annotations

from mockserver.core.contract import errors
from mockserver.core.contract.errors import ErrorCode, ServiceError
from mockserver.core.traffic.exchange import Header, Reply
from mockserver.web.schemas import json_text

#: The headers of an answer that no cache may keep, as it may hold a token (RFC 6749, 5.1).
NO_STORE: tuple[Header, ...] = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))
#: The codes of OAuth for those of the service's API, which a fault can choose; any other is `invalid_request`.
_CODES: dict[str, ErrorCode] = {
    errors.UNAUTHORIZED.code: errors.INVALID_CLIENT,
    errors.PERMISSION_DENIED.code: errors.ACCESS_DENIED,
    errors.ACCOUNT_UNDER_VALIDATION.code: errors.ACCESS_DENIED,
    errors.INTERNAL_ERROR.code: errors.SERVER_ERROR,
    errors.TOO_MANY_REQUESTS.code: errors.TEMPORARILY_UNAVAILABLE,
}


def oauth_code(error: ServiceError) -> ErrorCode:
    if error.code.code in errors.OAUTH_CODES:
        return error.code
    if error.status == 503:
        return errors.TEMPORARILY_UNAVAILABLE
    return _CODES.get(error.code.code, errors.INVALID_REQUEST)


def translated(error: ServiceError) -> ServiceError:
    """Return an error with OAuth code, and the same message, status and reason."""
    code = oauth_code(error)
    return error if code == error.code else code(error.message, status=error.status).because(error.reason)


def description(error: ServiceError) -> str:
    """Return an error's message, with `'` for characters forbidden by RFC 6749, 5.2."""
    return "".join(char if " " <= char <= "~" and char not in '"\\' else "'" for char in error.message)


def refusal(error: ServiceError) -> Reply:
    """Return the refusal of an app's request (RFC 6749, 5.2)."""
    error = translated(error)
    body = {"error": error.code.code, "error_description": description(error)}
    return Reply(error.status, json_text.write(body), error, (*NO_STORE, *_challenge(error.code, error.status)))


def _challenge(code: ErrorCode, status: int) -> tuple[Header, ...]:
    """Return the `WWW-Authenticate` header of authentication errors (RFC 6749, 5.2, and RFC 6750, 3)."""
    if code in (errors.INVALID_TOKEN, errors.INSUFFICIENT_SCOPE):
        return (("WWW-Authenticate", f'Bearer error="{code.code}"'),)
    return (("WWW-Authenticate", 'Basic realm="oauth"'),) if status == 401 else ()
