"""How a server speaks TLS: its certificates by its settings, and where the certificate of its authority is written."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mockserver.core.lazy import lazy
from mockserver.settings import Settings

if TYPE_CHECKING:
    from mockserver.web.server.tls import authority, own_certificate
else:
    # Few servers speak TLS.
    authority, own_certificate = lazy("mockserver.web.server.tls", "authority", "own_certificate")

#: The host of the service, for clients whose base address is fixed and that are led here by a hosts file or by DNS.
_SERVICE = "api.brevo.com"
#: The names by which a server can always be reached from its own machine, and that of the service.
_ALWAYS = ("localhost", "127.0.0.1", "::1", _SERVICE)
#: The settings that say something about TLS, and nothing without it.
_OF_TLS = ("tls_port", "tls_name", "tls_ca_file", "tls_cert", "tls_key")
#: Those that say something about the authority, and nothing where the certificate is somebody else's.
_OF_AUTHORITY = ("tls_name", "tls_ca_file")


class TlsParts(NamedTuple):
    """The certificates of a server that speaks TLS."""

    certificates: authority.Authority | own_certificate.OwnCertificate
    #: The certificate of the authority, which clients have to trust, in PEM; None: somebody else has issued it.
    ca: str | None


def tls_of(settings: Settings) -> TlsParts | None:
    """The certificates of a server with these settings; None: it does not speak TLS.

    Raises:
        ValueError: settings contradict each other, a file cannot be read or written, or a name is none.
    """
    _check(settings)
    if not settings.tls:
        return None
    if settings.tls_cert is not None:
        own = own_certificate.OwnCertificate(settings.tls_cert, settings.tls_key)
        if own.is_over:
            logging.getLogger(__name__).warning("the certificate %s has run out", os.fspath(settings.tls_cert))
        return TlsParts(own, None)
    made = _made(settings)
    if settings.tls_ca_file is not None:
        _write(Path(settings.tls_ca_file), made.pem)
    return TlsParts(made, made.pem)


def _check(settings: Settings) -> None:
    given = [name for name in _OF_TLS if getattr(settings, name) not in (None, (), [])]
    if given and not settings.tls:
        raise ValueError(f"{_flag(given[0])} is for a server that speaks TLS: give --tls, too")
    if settings.tls_key is not None and settings.tls_cert is None:
        raise ValueError("--tls-key is the key of a certificate: give --tls-cert, too")
    for name in given:
        if settings.tls_cert is not None and name in _OF_AUTHORITY:
            raise ValueError(f"{_flag(name)} is for a certificate that is made here, and --tls-cert gives another one")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _made(settings: Settings) -> authority.Authority:
    wanted = tuple(name.lower().removesuffix(".") for name in settings.tls_name)
    try:
        return authority.Authority([*_ALWAYS, *wanted, *_certifiable(settings)])
    except ValueError as error:
        raise ValueError(f"--tls-name: {error}") from error


def _certifiable(settings: Settings) -> Iterator[str]:
    """The names by which this machine and the settings know the server, as far as a certificate can have them."""
    for name in (settings.host, socket.gethostname(), *settings.allowed_host):
        found = f"*{name}" if name.startswith(".") else name
        try:
            yield authority.checked(found.lower().removesuffix("."))
        except ValueError:
            continue


def _write(file: Path, pem: str) -> None:
    try:
        file.write_text(pem, encoding="ascii")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"cannot write the certificate of the authority to {file}: {reason}") from error
