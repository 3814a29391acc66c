"""An answer of the service: its bytes, and the headers that stand on all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from flask import Response
from werkzeug.datastructures import Headers

from mockserver.core.contract.errors import OBSERVED_CODES, ServiceError
from mockserver.web.schemas import json_text

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

HeaderList = list[tuple[str, str]]

CONTENT_TYPE = "Content-Type"
#: Seen on captured answers, contract/transport; a preflight gets the same.
CORS_HEADERS = [
    ("access-control-allow-origin", "*"),
    ("access-control-allow-headers", "*"),
    ("access-control-allow-credentials", "true"),
    ("access-control-allow-methods", "PUT, POST, GET, DELETE, PATCH, OPTIONS"),
]


class ApiResponse(Response):
    """An answer of the service, whose headers are complete when it is made.

    Werkzeug checks each header when it is added, and reads them all again when they are sent: a quarter of the time of
    a small answer. Ours are constants, numbers and UUIDs. So this sets what the bases' own `__init__` would set.
    """

    def __init__(self, body: bytes, status: int, headers: HeaderList) -> None:
        self.headers = Headers()
        self.headers._list = headers  # noqa: SLF001  # see above
        self.status_code = status
        self.response = [body]
        self.direct_passthrough = True
        self._on_close = []

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        return self.headers


def answer(body: bytes, status: int, headers: HeaderList) -> Response:
    """An answer with these headers, and those of all answers."""
    return ApiResponse(body, status, complete(body, status, headers))


def complete(body: bytes, status: int, headers: Sequence[tuple[str, str]]) -> HeaderList:
    """The headers of an answer with those that stand on all answers."""
    # RFC 9110, 8.6: a 204 has no Content-Length.
    length = [("Content-Length", str(len(body)))] if status != 204 else []
    if CONTENT_TYPE in dict(headers):
        # A page, or the way to another one: nothing for scripts of other origins.
        return [*length, *headers]
    kind = [(CONTENT_TYPE, "application/json")] if body else []
    return [*kind, *length, *headers, *CORS_HEADERS]


def override(headers: HeaderList, own: Iterable[tuple[str, str]]) -> None:
    """Put headers in the place of those of the same name."""
    names = {name for name, _ in own}
    headers[:] = [*(row for row in headers if row[0] not in names), *own]


def told(error: ServiceError, codes: str = "specification") -> bytes:
    """A refusal in the service's words; with `observed` codes as recorded answers have them."""
    code = OBSERVED_CODES.get(error.code.code, error.code) if codes == "observed" else error.code
    return json_text.write({"code": code.code, "message": error.message})


def spoilt(body: bytes) -> bytes:
    """Half of a body with a byte that no JSON has."""
    return body[: len(body) // 2] + b"\x00\n"
