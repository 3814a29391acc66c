"""What a browser or an app sends that asks for no key: forms in bodies and queries (RFC 6749, appendix B)."""

from __future__ import annotations

from urllib.parse import parse_qsl

from flask import Request

from mockserver.core.contract import errors
from mockserver.core.state import reasons

#: Names and values, in their order.
Pairs = list[tuple[str, str]]
#: More members than any form has.
_MOST_MEMBERS = 50


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
