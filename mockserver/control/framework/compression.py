"""Compression of long answers."""

from __future__ import annotations

import gzip

from flask import Response, request

#: The shortest body to compress, in bytes. Shorter bodies fit into a packet.
_SHORTEST = 1_400
#: The fastest level: compressing 200 rows to an eighth takes half a millisecond.
_LEVEL = 1


def compressed(response: Response) -> Response:
    """Compress a long body if the client accepts gzip.

    A compressed page may contain a key beside text of its address (BREACH). The session cookie is `SameSite=Strict`, so
    no other site can request such a page.
    """
    response.headers["Vary"] = "Accept-Encoding"
    body = response.get_data()
    if len(body) >= _SHORTEST and request.accept_encodings["gzip"]:
        response.set_data(gzip.compress(body, _LEVEL, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response
