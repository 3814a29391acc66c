"""`/_mock/ca`: what clients have to trust to call the server over TLS."""

from __future__ import annotations

from flask import Response

from mockserver.control.framework import dependencies
from mockserver.control.framework.problem import Problem
from mockserver.control.framework.resource import ControlResource

CA = ControlResource("ca", "/_mock", in_workspace=False)
#: RFC 8555, 9.1: certificates in PEM.
_PEM = "application/pem-certificate-chain"


@CA.call("GET", "/ca", media=(_PEM,), is_open=True, problems=(404,))
def ca() -> Response:
    """The certificate of the authority that has issued the server's, in PEM; it is no secret, and needs no token."""
    tls = dependencies.current().tls
    if tls is None:
        raise Problem(404, "this server has no TLS; start it with --tls")
    if tls.ca is None:
        raise Problem(404, "this server did not issue its certificate (--tls-cert), so it has no authority to show")
    return Response(tls.ca, content_type=_PEM)
