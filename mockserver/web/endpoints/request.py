"""A request as the service reads it."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from werkzeug.datastructures import EnvironHeaders
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.utils import cached_property
from werkzeug.wrappers import Request

from mockserver.core.contract import errors
from mockserver.core.contract.errors import BAD_REQUEST, NOT_ACCEPTABLE
from mockserver.core.state import reasons
from mockserver.core.text.messages import counted
from mockserver.web.schemas import json_text

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


class ServiceRequest(Request):
    """Werkzeug's request, reading its environment lazily.

    `__init__` sets the attributes of its base that the API needs, in a fourth of the time.
    """

    def __init__(self, environ: WSGIEnvironment, body_limit: int) -> None:
        self.environ = environ
        self.shallow = False
        self.method = environ["REQUEST_METHOD"].upper()
        path = environ["PATH_INFO"]
        self.path = f"/{(path if path.isascii() else _decoded(path)).lstrip('/')}"
        self.query_string = environ["QUERY_STRING"].encode("latin-1")
        self.remote_addr = environ.get("REMOTE_ADDR")
        self.max_content_length = self._body_limit = body_limit

    @cached_property
    def headers(self) -> EnvironHeaders:  # type: ignore[override]  # made when it is first asked for
        return EnvironHeaders(self.environ)

    @property
    def body(self) -> bytes:
        """The body.

        Raises:
            RequestEntityTooLarge: the body exceeds the limit.
        """
        content = self.environ["wsgi.input"]
        if isinstance(content, BytesIO):
            found = content.getvalue()  # not copied
            if str(len(found)) == self.environ.get("CONTENT_LENGTH") and len(found) <= self._body_limit:
                return found
        return self.get_data()


def _decoded(text: str) -> str:
    """Decode a WSGI text, whose characters are bytes, as UTF-8."""
    return text.encode("latin-1").decode(errors="replace")


def body_of(request: Request) -> bytes:
    """Return a request's body."""
    return request.body if isinstance(request, ServiceRequest) else request.get_data()


#: The result of reading a body that is not there; a body may be `null`, which is None.
NO_BODY: Any = object()
#: How many characters of the parser's message a reason shows. Chosen: all of an ordinary message.
_LONGEST_MESSAGE = 200


#: The key of the environment of a body that was read ahead.
_VALUE = "mockserver.body_value"


def read_ahead(request: Request) -> None:
    """Read a large body while the request has no workspace, so that others need not wait; errors are left to later."""
    with suppress(json_text.JsonError, RequestEntityTooLarge):
        request.environ[_VALUE] = json_text.read(body_of(request))


def read_body(request: Request, deepest: int = json_text.DEEPEST) -> Any:
    """Return the JSON value of a body with at most `deepest` levels, or `NO_BODY`.

    Any Content-Type is accepted, as `curl -d` sends that of a form.

    Raises:
        ServiceError: 400 `bad_request`, or 406 `not_acceptable` for another Content-Type; invalid JSON.
        RequestEntityTooLarge: the body exceeds the limit.
    """
    if deepest == json_text.DEEPEST and _VALUE in request.environ:
        return request.environ.pop(_VALUE)
    raw = body_of(request)
    if not raw.strip():
        return NO_BODY
    try:
        return json_text.read(raw, deepest)
    except json_text.JsonError as error:
        message = reasons.shown(error, _LONGEST_MESSAGE)
        reason = f"the body is not valid JSON: {message} ({counted(len(raw), 'byte')}, {declared(request)})"
        if request.mimetype and "json" not in request.mimetype:
            refused = NOT_ACCEPTABLE(f"The request body must be JSON, not {request.mimetype}: {error}")
        else:
            refused = BAD_REQUEST(f"The request body is not valid JSON: {error}")
        raise refused.because(reason) from error


def declared(request: Request) -> str:
    """Return the type of a body and its encoding, as its request declares them, for a reason."""
    kind = f"Content-Type {reasons.shown(request.mimetype)}" if request.mimetype else "no Content-Type"
    charset, encoding = request.mimetype_params.get("charset", ""), request.headers.get("Content-Encoding", "")
    if charset and charset.lower() not in ("utf-8", "utf8"):
        kind += f", charset {reasons.shown(charset)}: send UTF-8"
    return f"{kind}, Content-Encoding {reasons.shown(encoding)}: send it uncompressed" if encoding else kind


#: Names and values, in the order in which they were sent.
Pairs = list[tuple[str, str]]
#: The most members of a form. Chosen: more than any form of OAuth or of our pages has.
_MOST_MEMBERS = 50


def read_form(request: Request) -> dict[str, str]:
    """Return form members of a body by name, without empty values (RFC 6749, 3.2).

    Raises:
        ServiceError: 400 `invalid_request`; not a form, or a duplicate member.
    """
    raw = request.get_data(cache=True)
    if raw and request.mimetype != "application/x-www-form-urlencoded":
        reason = f"the Content-Type of the body is {reasons.shown(request.mimetype)}"
        raise errors.INVALID_REQUEST("The body must be of type application/x-www-form-urlencoded").because(reason)
    return once(_pairs(raw.decode("latin-1"), "body", f" ({declared(request)})"))


def query_pairs(query: str) -> Pairs:
    """Return the members of a query, parsed as form (RFC 6749, appendix B)."""
    return _pairs(query, "query")


def _pairs(text: str, noun: str, sent_as: str = "") -> Pairs:
    # What cannot be read for certain is refused: an app's `state` has to come back as it was sent.
    try:
        if text.isascii():
            return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_MEMBERS)
    except ValueError:
        pass
    raise errors.INVALID_REQUEST(f"The {noun} is not a well-formed form").because(
        f"the {noun} is not a form: expected percent-encoded UTF-8 with at most {_MOST_MEMBERS} fields{sent_as}"
    )


def once(pairs: Pairs) -> dict[str, str]:
    """Return members by name, without empty values.

    Raises:
        ServiceError: 400 `invalid_request`; a duplicate member (RFC 6749, 3.1 and 3.2).
    """
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise errors.INVALID_REQUEST(f"{reasons.shown(twice)} must not be given twice")
    return {name: value for name, value in pairs if value}
