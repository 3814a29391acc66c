"""TLS certificates: issued by an own authority, or loaded from files."""

from __future__ import annotations

import os
import ssl
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import NamedTuple, NoReturn

import idna
import trustme

from mockserver.core.text import addresses
from mockserver.settings import files


def server_context() -> ssl.SSLContext:
    """Return a server context without certificate: TLS 1.2 or later, HTTP/1.1."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    # The first message is answered at once; another handshake within a connection is of no use to anybody.
    context.options |= ssl.OP_NO_RENEGOTIATION
    return context


#: For how long a certificate is valid, and when the next one is issued. Chosen: systems of Apple take no certificate of
#: more than 398 days, and a container that runs for years never presents one that has run out.
_VALID = timedelta(days=397)
_RENEWED = timedelta(days=30)
#: How long before it was issued a certificate begins, for clients whose clocks are slow. Chosen: time zones included.
_EARLIER = timedelta(days=1)
#: How many contexts are kept for names that are not known from the start. Chosen: some services, 100 KB each.
_MOST = 50
#: Where a process finds its open files, so that keys need not be written to a disk.
_DESCRIPTORS = Path("/proc/self/fd")


class _Kept(NamedTuple):
    context: ssl.SSLContext
    until: datetime


def checked(name: str) -> str:
    """Return a host name (perhaps with `*.`) or IP address in the form of certificates.

    Raises:
        ValueError: it is neither.
    """
    if addresses.is_ip_address(name) and "%" not in name:
        return name
    try:
        found = idna.encode(name.removeprefix("*."), uts46=True).decode("ascii")
    except UnicodeError as error:
        raise ValueError(f"{name!r} is no name or address of a server: {error}") from error
    return f"*.{found}" if name.startswith("*.") else found


class Authority:
    """Issues certificates for the names of the server, and for unknown private names."""

    def __init__(self, names: Iterable[str]) -> None:
        """Make an authority with a new key."""
        self._ca = trustme.CA(organization_name="mockserver", organization_unit_name="CA of a mock server, for tests")
        #: Its certificate, which clients have to trust, in PEM.
        self.pem = self._ca.cert_pem.bytes().decode("ascii")
        self._names = tuple(dict.fromkeys(map(checked, names)))
        self._kept: OrderedDict[tuple[str | None, bool], _Kept] = OrderedDict()

    def context(self, name: str | None, address: str, *, expired: bool = False) -> ssl.SSLContext:
        """Return the TLS context for a server name, or for the address if the client sends no name."""
        other = self._other(name or address)
        now = datetime.now(UTC)
        kept = self._kept.get((other, expired))
        if kept is None or now > kept.until:
            kept = self._kept[other, expired] = self._made(other, now, expired=expired)
        self._kept.move_to_end((other, expired))
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)
        return kept.context

    def _other(self, name: str) -> str | None:
        parent = name.partition(".")[2]
        # Clients take no certificate for all names below a single label, such as *.localhost.
        is_below = "." in parent and f"*.{parent}" in self._names
        if name in self._names or is_below or not addresses.is_private_host(name):
            return None
        try:
            return checked(name)
        except ValueError:  # the client will see that it calls another name
            return None

    def _made(self, other: str | None, now: datetime, *, expired: bool) -> _Kept:
        leaf = self._issue(other, now - _VALID - _EARLIER if expired else now)
        context = server_context()
        with _as_file(leaf.private_key_and_cert_chain_pem.bytes()) as file:
            context.load_cert_chain(file)
        if expired:
            context.num_tickets = 0  # who comes again with a ticket would not look at the certificate
        return _Kept(context, now + _VALID - _RENEWED)

    def _issue(self, other: str | None, now: datetime) -> trustme.LeafCert:
        return self._ca.issue_cert(
            *self._names,
            *(() if other is None else (other,)),
            organization_name="mockserver",
            organization_unit_name="A mock server",
            # The library takes moments without a zone, which are in UTC.
            not_before=(now - _EARLIER).replace(tzinfo=None),
            not_after=(now + _VALID).replace(tzinfo=None),
        )


def _as_file(content: bytes) -> AbstractContextManager[str]:
    """Return the path of a file with this content, in memory if possible: OpenSSL reads keys from files only."""
    return _in_memory(content) if hasattr(os, "memfd_create") and _DESCRIPTORS.is_dir() else _on_disk(content)


@contextmanager
def _in_memory(content: bytes) -> Iterator[str]:
    with os.fdopen(os.memfd_create("key"), "wb", buffering=0) as file:
        file.write(content)
        yield str(_DESCRIPTORS / str(file.fileno()))


@contextmanager
def _on_disk(content: bytes) -> Iterator[str]:
    with TemporaryDirectory() as folder:  # which nobody else may enter
        file = Path(folder, "key.pem")
        file.write_bytes(content)
        yield str(file)


StrPath = str | os.PathLike[str]


class OwnCertificate:
    def __init__(self, certificate: StrPath, key: StrPath | None = None) -> None:
        """Load certificate, chain and key from PEM files; without `key`, the certificate file has the key."""
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
        """Return the TLS context; a file's certificate cannot be made to expire."""
        return self._context

    @property
    def is_over(self) -> bool:
        return self._ends < time()


def _check(called: str, file: Path) -> None:
    try:
        text = files.read_text(file, files.WRITTEN_BY_HAND, encoding="ascii", errors="replace")
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
    from cryptography.utils import CryptographyDeprecationWarning  # noqa: PLC0415  # large
    from cryptography.x509 import load_pem_x509_certificate  # noqa: PLC0415  # large

    content = files.read_bytes(file, files.WRITTEN_BY_HAND)
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
