"""The HTTP responses of the service, and the headers that all of them have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from werkzeug.datastructures import Headers
from werkzeug.utils import cached_property
from werkzeug.wrappers import Response

from mockserver.core.contract.errors import ServiceError
from mockserver.web.schemas import json_text
from mockserver.web.server.wsgi import WsgiAnswer

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

HeaderList = list[tuple[str, str]]

CONTENT_TYPE = "Content-Type"
_JSON = ((CONTENT_TYPE, "application/json"),)
#: The headers for scripts of other origins, as recorded answers have them (contract/transport), and so preflights.
CORS_HEADERS = [
    ("access-control-allow-origin", "*"),
    ("access-control-allow-headers", "*"),
    ("access-control-allow-credentials", "true"),
    ("access-control-allow-methods", "PUT, POST, GET, DELETE, PATCH, OPTIONS"),
]
#: The statuses of answers that never have a body (RFC 9110, 6.4.1).
_WITHOUT_BODY = frozenset((*range(100, 200), 204, 304))


class ApiResponse(Response):
    """A response whose headers are complete when it is made, and are not checked.

    Werkzeug checks each header when it is added, and reads all of them again when they are sent: a quarter of the time
    of a small answer. Ours are constants, numbers and UUIDs. `__init__` sets what that of the base would set.
    """

    def __init__(self, body: bytes, status: int, headers: HeaderList) -> None:
        self._header_list = headers
        self._status, self._status_code = _status_line(status), status
        self.response = [body]
        self.direct_passthrough = True
        self._on_close = []

    @cached_property
    def headers(self) -> Headers:  # made where somebody asks for it
        found = Headers()
        found._list = self._header_list  # noqa: SLF001  # unchecked, for speed
        return found

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        return self.headers

    def whole(self, environ: WSGIEnvironment) -> WsgiAnswer | None:
        """The answer to the request of this environment, unless its body is still being made."""
        body = self.response
        if not isinstance(body, list):
            return None
        has_body = environ["REQUEST_METHOD"] != "HEAD" and self._status_code not in _WITHOUT_BODY
        return WsgiAnswer(self._status_code, self._header_list, body[0] if has_body else b"")


@cache
def _status_line(status: int) -> str:
    """A status with its name, as WSGI wants it: `200 OK`."""
    return Response(status=status).status


def answer(body: bytes, status: int, headers: HeaderList) -> Response:
    """A response with these headers, and those that all responses have."""
    return ApiResponse(body, status, complete(body, status, headers))


def complete(body: bytes, status: int, headers: Sequence[tuple[str, str]]) -> HeaderList:
    """The headers of a response, with those that all responses have."""
    # A 204 has no Content-Length (RFC 9110, 8.6).
    length = () if status == 204 else (("Content-Length", str(len(body))),)
    if CONTENT_TYPE in dict(headers):
        # A page or a redirect is not for scripts of other origins.
        return [*length, *headers]
    return [*(_JSON if body else ()), *length, *headers, *CORS_HEADERS]


def override(headers: HeaderList, own: Iterable[tuple[str, str]]) -> None:
    """Replace the headers that have the names of `own` by these."""
    names = {name for name, _ in own}
    headers[:] = [*(row for row in headers if row[0] not in names), *own]


def error_body(error: ServiceError, codes: str = "specification") -> bytes:
    """The JSON of an error of the API, with its code by `behaviour.sentence_codes`."""
    return json_text.write({"code": error.code_by(codes), "message": error.message, **error.members})


def spoilt(body: bytes) -> bytes:
    """The first half of a body, and a byte that JSON never has: what is no JSON any more."""
    return body[: len(body) // 2] + b"\x00\n"
