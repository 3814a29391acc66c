"""A certificate that somebody else has issued, from files."""

from __future__ import annotations

import os
import ssl
import warnings
from pathlib import Path
from time import time
from typing import NoReturn

from mockserver.settings import given_file
from mockserver.web.server.tls.context import server_context

StrPath = str | os.PathLike[str]


class OwnCertificate:
    """A certificate with its chain and its key, which is presented to all clients."""

    def __init__(self, certificate: StrPath, key: StrPath | None = None) -> None:
        """Read a certificate with its chain, and its key, in PEM; without `key`, it stands in the same file.

        Raises:
            ValueError: one of them cannot be read, or they do not belong together.
        """
        for called, file in (("--tls-cert", certificate), ("--tls-key", key)):
            if file is not None:
                _check(called, Path(file))
        self._context = server_context()
        try:
            self._context.load_cert_chain(certificate, key, password=_refuse_password)
        except ssl.SSLError as error:
            raise ValueError(_sentence(error, certificate, key)) from error
        #: When it runs out, in seconds since 1970.
        self._ends = _ends(Path(certificate))

    def context(self, _name: str | None, _address: str, *, expired: bool = False) -> ssl.SSLContext:
        """What every client gets; it cannot be made to run out."""
        return self._context

    @property
    def is_over(self) -> bool:
        """Whether the certificate has run out."""
        return self._ends < time()


def _check(called: str, file: Path) -> None:
    try:
        text = given_file.read_text(file, given_file.WRITTEN_BY_HAND, encoding="ascii", errors="replace")
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {called} {file}: {getattr(error, 'strerror', None) or error}") from error
    if "-----BEGIN " not in text:
        raise ValueError(f"{called} {file} is not in PEM: it has no line that begins with -----BEGIN")


def _refuse_password() -> NoReturn:
    raise ValueError("the key of --tls-cert is encrypted: openssl pkey -in FILE -out OTHER decrypts it")


def _sentence(error: ssl.SSLError, certificate: StrPath, key: StrPath | None) -> str:
    both = f"--tls-cert {os.fspath(certificate)}" + ("" if key is None else f" and --tls-key {os.fspath(key)}")
    if error.reason == "KEY_VALUES_MISMATCH":
        return f"{both} do not belong together: the key is that of another certificate"
    if key is None:
        return f"{both} has no certificate with its key, or a damaged one: give --tls-key, or both in one file"
    return f"{both} hold no certificate with its key, or a damaged one"


def _ends(file: Path) -> float:
    """When the first certificate of a file runs out, in seconds since 1970.

    Raises:
        ValueError: there is none, or clients refuse it for its serial number.
    """
    from cryptography.utils import CryptographyDeprecationWarning  # noqa: PLC0415  # large
    from cryptography.x509 import load_pem_x509_certificate  # noqa: PLC0415  # large

    content = given_file.read_bytes(file, given_file.WRITTEN_BY_HAND)
    with warnings.catch_warnings():
        # What the library warns of, a serial number below 1, is refused here.
        warnings.simplefilter("ignore", CryptographyDeprecationWarning)
        try:
            found = load_pem_x509_certificate(content)
        except ValueError as error:  # OpenSSL takes more than X.509, such as its own BEGIN TRUSTED CERTIFICATE
            told = "holds no certificate that begins with -----BEGIN CERTIFICATE"
            raise ValueError(f"--tls-cert {file} {told}") from error
        number = found.serial_number
    if number < 1:
        raise ValueError(f"--tls-cert {file} has a serial number below 1, which RFC 5280 forbids, and clients refuse")
    return found.not_valid_after_utc.timestamp()
