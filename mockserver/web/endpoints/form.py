"""Forms, as browsers and apps send them in bodies and queries (RFC 6749, appendix B)."""

from __future__ import annotations

from urllib.parse import parse_qsl

from werkzeug.wrappers import Request

from mockserver.core.contract import errors
from mockserver.core.state import reasons

#: Names and values, in the order in which they were sent.
Pairs = list[tuple[str, str]]
#: The most members of a form. Chosen: more than any form of OAuth or of our pages has.
_MOST_MEMBERS = 50


def read_form(request: Request) -> dict[str, str]:
    """The members of the form in a request's body, by name; a member without a value is left out (RFC 6749, 3.2).

    Raises:
        ServiceError: 400 `invalid_request`; the body is no form, or has a member twice.
    """
    raw = request.get_data(cache=True)
    if raw and request.mimetype != "application/x-www-form-urlencoded":
        reason = f"the Content-Type of the body is {reasons.shown(request.mimetype)}"
        raise errors.INVALID_REQUEST("The body must be of type application/x-www-form-urlencoded").because(reason)
    return once(_pairs(raw.decode("latin-1"), "body"))


def query_pairs(query: str) -> Pairs:
    """The members of a query, which is a form, too (RFC 6749, appendix B).

    Raises:
        ServiceError: 400 `invalid_request`; the query is no form.
    """
    return _pairs(query, "query")


def _pairs(text: str, noun: str) -> Pairs:
    # What cannot be read for certain is refused: an app's `state` has to come back as it was sent.
    try:
        if text.isascii():
            return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_MEMBERS)
    except ValueError:
        pass
    raise errors.INVALID_REQUEST(f"The {noun} is not a well-formed form").because(
        f"the {noun} is not a form: expected percent-encoded UTF-8 with at most {_MOST_MEMBERS} fields"
    )


def once(pairs: Pairs) -> dict[str, str]:
    """Members by name, without those that have no value.

    Raises:
        ServiceError: 400 `invalid_request`; a member comes twice (RFC 6749, 3.1 and 3.2).
    """
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise errors.INVALID_REQUEST(f"{reasons.shown(twice)} must not be given twice")
    return {name: value for name, value in pairs if value}
