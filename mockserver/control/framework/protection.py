"""Security headers of the mock's own answers: no caching, no framing by other sites, no guessing of types."""

from __future__ import annotations

from flask import request
from werkzeug.wrappers import Response

from mockserver.web.routing.address import is_of_the_mock

_POLICY = "Content-Security-Policy"
_FRAMES = "frame-ancestors"


def protect(response: Response) -> Response:
    """Add the headers that an answer lacks, and return it.

    Only HTML needs `frame-ancestors`. An answer with another `Cache-Control` or `frame-ancestors` keeps its own.
    """
    headers = response.headers
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("Cache-Control", "no-store")
    policy = headers.get(_POLICY, "")
    if response.mimetype == "text/html" and _FRAMES not in policy:
        headers[_POLICY] = "; ".join(filter(None, (policy, f"{_FRAMES} 'none'")))
    return response


def protect_own(response: Response) -> Response:
    """Protect the answer to the current request, unless a program answers it with a function that it has added."""
    return protect(response) if is_of_the_mock(request.method, request.path) else response
