"""How connections to peers are secured, where those speak TLS."""

from __future__ import annotations

import ssl
from functools import cache


@cache
def unverified() -> ssl.SSLContext:
    """What no fault of handshakes is for, and what verifies no certificate.

    Each server makes one of its own at its start, so that there is nothing to verify it by. Nobody may stand between
    the servers of a store, as nobody may between them and the store.
    """
    from mockserver.web.server.tls.front import OF_THE_MOCK  # noqa: PLC0415  # few servers speak TLS

    found = ssl.create_default_context()
    found.check_hostname, found.verify_mode = False, ssl.CERT_NONE
    found.set_alpn_protocols(["http/1.1", OF_THE_MOCK.decode("ascii")])
    return found
