"""What all secured connections have in common, whatever certificate is presented."""

from __future__ import annotations

import ssl


def server_context() -> ssl.SSLContext:
    """A context for the server's side, without a certificate: TLS 1.2 and later, and HTTP/1.1."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    # The first message is answered at once; another handshake within a connection is of no use to anybody.
    context.options |= ssl.OP_NO_RENEGOTIATION
    return context
