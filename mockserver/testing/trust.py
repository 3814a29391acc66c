"""Which servers the handles and the commands of the mock trust, where these speak TLS."""

from __future__ import annotations

import os
import ssl

#: The variable for a file of certificates, in PEM, of authorities that are trusted beside those of the system.
VARIABLE = "MOCKSERVER_CA"
#: What is offered to speak: HTTP/1.1, and before it the name by which a server knows that it is no client under test,
#: which no fault of TLS handshakes hits (`mockserver.web.server.tls_front`).
_PROTOCOLS = ["mockserver-control", "http/1.1"]


def trusting(ca: str | os.PathLike[str] | None = None) -> ssl.SSLContext:
    """A context that trusts the authorities of the system, and those whose certificates a file holds.

    Without `ca`, the file is that of the variable MOCKSERVER_CA, if it is set.

    Raises:
        ValueError: the file cannot be read, or holds no certificates.
    """
    found = _offering(ssl.create_default_context())
    called, file = ("ca", os.fspath(ca)) if ca is not None else (VARIABLE, os.environ.get(VARIABLE))
    if file:
        try:
            found.load_verify_locations(cafile=file)
        except ssl.SSLError as error:
            raise ValueError(f"{called}: {file} holds no certificate in PEM") from error
        except (OSError, ValueError) as error:
            raise ValueError(f"{called}: cannot read {file}: {getattr(error, 'strerror', None) or error}") from error
    return found


def trusting_only(pem: str) -> ssl.SSLContext:
    """A context that trusts one authority, whose certificate is this."""
    return _offering(ssl.create_default_context(cadata=pem))


def unchecked() -> ssl.SSLContext:
    """A context that takes every certificate: for a server that is known to be the one that is meant."""
    found = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    found.check_hostname, found.verify_mode = False, ssl.CERT_NONE
    return _offering(found)


def advice(error: BaseException) -> str:
    """How a server is trusted, as the end of a message, if an error is that it is not."""
    reason = getattr(error, "reason", error)  # that of urllib's error, or of one of TLS, where it is a text
    if isinstance(error, ssl.SSLCertVerificationError) or isinstance(reason, ssl.SSLCertVerificationError):
        return f"; `mockserver ca` prints what is to be trusted, and {VARIABLE} names the file that holds it"
    return ""


def _offering(context: ssl.SSLContext) -> ssl.SSLContext:
    context.set_alpn_protocols(_PROTOCOLS)
    return context
