"""Which servers are taken for those of the store, where they speak TLS."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable
from functools import cached_property

from mockserver.core.workspaces.keeping import KeepingError


class Trust:
    """The authorities by which the certificates of peers are verified, beside those that OpenSSL trusts."""

    def __init__(
        self, authority: Callable[[], str | None] = lambda: None, certificates: str | os.PathLike[str] | None = None
    ) -> None:
        """Prepare it.

        Args:
            authority: gives the certificate of an authority, in PEM; asked when a peer is first met that speaks TLS, as
                that one may have made it. It may raise `KeepingError`.
            certificates: a file of certificates that are trusted themselves.
        """
        self._authority, self._certificates = authority, certificates

    @cached_property
    def context(self) -> ssl.SSLContext:
        """What no fault of handshakes is for.

        Raises:
            OSError: the authority or the file cannot be read.
        """
        from mockserver.web.server.tls.front import OF_THE_MOCK  # noqa: PLC0415  # few servers speak TLS

        try:
            authority = self._authority()
        except KeepingError as error:
            raise ConnectionError(str(error)) from error
        found = ssl.create_default_context(cadata=authority)
        # Servers that present the same certificate know it, whoever has issued it.
        found.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        found.load_default_certs()  # which are left out where others are given
        if self._certificates is not None:
            found.load_verify_locations(self._certificates)
        found.set_alpn_protocols(["http/1.1", OF_THE_MOCK.decode("ascii")])
        return found


def told(error: OSError) -> str:
    """What a sentence that a peer cannot be reached goes on with; empty where there is nothing to say but that."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f", as its certificate is not trusted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return ", as it does not speak TLS as this server does"
    return ""
