"""The endpoints that ask for no key: pages for people, and the addresses where apps get their tokens."""

from __future__ import annotations

from urllib.parse import parse_qsl

from flask import Request

from mockserver.core.contract import errors
from mockserver.core.contract.errors import ErrorCode, ServiceError
from mockserver.core.contract.operation import Audience
from mockserver.core.traffic.exchange import Exchange, Header, Reply
from mockserver.core.workspaces import reasons
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.web.pages import page
from mockserver.web.schemas import json_text
from mockserver.web.service.operation import Endpoint, check_room

#: Where an address is that asks for no key, known or not.
PREFIXES = ("/realms/", "/account/", "/shared/")
#: RFC 6749, 5.1: nobody keeps a token for others.
NO_STORE: tuple[Header, ...] = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))
#: Names and values, in their order.
Pairs = list[tuple[str, str]]
#: More members than any form has.
_MOST_MEMBERS = 50

#: The service's own refusals, which a fault can ask for, in OAuth's words; whatever else is a bad request.
_WORDS: dict[str, ErrorCode] = {
    errors.UNAUTHORIZED.code: errors.INVALID_CLIENT,
    errors.PERMISSION_DENIED.code: errors.ACCESS_DENIED,
    errors.ACCOUNT_UNDER_VALIDATION.code: errors.ACCESS_DENIED,
    errors.INTERNAL_ERROR.code: errors.SERVER_ERROR,
    errors.TOO_MANY_REQUESTS.code: errors.TEMPORARILY_UNAVAILABLE,
}


class PublicEndpoint(Endpoint):
    """An operation that a caller calls: with a form, if with anything."""

    def receive(self, caller: AnonymousCaller, request: Request, exchange: Exchange) -> Reply:
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

    def refuse(self, error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply:
        """What the caller is told instead."""
        own = self.operation.refuse
        found: Reply | None = None if own is None else own(error, caller, exchange)
        return found or refusal(error, self.operation.audience, caller, exchange)

    def _as_json(self, found: object) -> Reply:
        reply = self.reply(found)
        reply.headers = NO_STORE
        return reply


def audience_of(path: str) -> Audience:
    """Whom an address that leads nowhere speaks with."""
    if not path.startswith(PREFIXES):
        return Audience.API
    return Audience.OAUTH if path.startswith(PREFIXES[0]) else Audience.PAGE


def read_form(request: Request) -> dict[str, str]:
    """The members of a form (RFC 6749, appendix B); one without a value counts as absent (3.2).

    Raises:
        ServiceError: 400 `invalid_request`; it is none, or holds a member twice.
    """
    raw = request.get_data(cache=True)
    if raw and request.mimetype != "application/x-www-form-urlencoded":
        reason = f"the body is of type {reasons.shown(request.mimetype)}"
        raise errors.INVALID_REQUEST("The body must be of type application/x-www-form-urlencoded").because(reason)
    return once(_pairs(raw.decode("latin-1"), "body"))


def query_pairs(query: str) -> Pairs:
    """The members of a query, which is a form as well (RFC 6749, appendix B).

    Raises:
        ServiceError: 400 `invalid_request`; it is none.
    """
    return _pairs(query, "query")


def _pairs(text: str, called: str) -> Pairs:
    # What cannot be read for certain is not guessed at: an app's state has to come back as it was sent.
    try:
        if text.isascii():
            return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_MEMBERS)
    except ValueError:
        pass
    raise errors.INVALID_REQUEST(f"The {called} is not a well-formed form").because(
        f"a form is percent-encoded UTF-8 of at most {_MOST_MEMBERS} members, and the {called} is not"
    )


def once(pairs: Pairs) -> dict[str, str]:
    """Members by name, without those that have no value.

    Raises:
        ServiceError: 400 `invalid_request`; one comes twice (RFC 6749, 3.1 and 3.2).
    """
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise errors.INVALID_REQUEST(f"{reasons.shown(twice)} must not be given twice")
    return {name: value for name, value in pairs if value}


# ---------------------------------------------------------------------- refusals


def oauth_code(error: ServiceError) -> ErrorCode:
    """The code with which OAuth says it."""
    if error.code.code in errors.OAUTH_CODES:
        return error.code
    if error.status == 503:
        return errors.TEMPORARILY_UNAVAILABLE
    return _WORDS.get(error.code.code, errors.INVALID_REQUEST)


def in_words(error: ServiceError) -> ServiceError:
    """The same refusal, with the code with which OAuth says it."""
    code = oauth_code(error)
    return error if code == error.code else code(error.message, status=error.status).because(error.reason)


def description(error: ServiceError) -> str:
    """The message with the signs that RFC 6749, 5.2, allows in `error_description`."""
    return "".join(sign if " " <= sign <= "~" and sign not in '"\\' else "'" for sign in error.message)


def refusal(error: ServiceError, audience: Audience, caller: AnonymousCaller, exchange: Exchange) -> Reply:
    """A refusal, for apps in the words of RFC 6749, 5.2, for people as a page."""
    if audience is Audience.PAGE:
        return page.refusal(error, caller, exchange)
    said = in_words(error)
    body = {"error": said.code.code, "error_description": description(said)}
    return Reply(said.status, json_text.write(body), said, (*NO_STORE, *_challenge(said.code, said.status)))


def _challenge(code: ErrorCode, status: int) -> tuple[Header, ...]:
    """How to do better: RFC 6749, 5.2, and RFC 6750, 3."""
    if code in (errors.INVALID_TOKEN, errors.INSUFFICIENT_SCOPE):
        return (("WWW-Authenticate", f'Bearer error="{code.code}"'),)
    return (("WWW-Authenticate", 'Basic realm="oauth"'),) if status == 401 else ()
