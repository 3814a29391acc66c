"""Certificates that the server issues itself, by an authority that it makes when it starts."""

from __future__ import annotations

import os
import ssl
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import idna
import trustme

from mockserver.core.text import addresses
from mockserver.web.server.tls.context import server_context

#: For how long a certificate is valid, and when the next one is issued. Chosen: systems of Apple take no certificate of
#: more than 398 days, and a container that runs for years never presents one that has run out.
_VALID = timedelta(days=397)
_RENEWED = timedelta(days=30)
#: How long before it was issued a certificate begins, for clients whose clocks are slow. Chosen: time zones included.
_EARLIER = timedelta(days=1)
#: How many contexts are kept for names that are not known from the start. Chosen: the services of a compose file; each
#: takes some 100 KB.
_MOST = 50
#: Where a process finds its open files, so that keys need not be written to a disk.
_DESCRIPTORS = Path("/proc/self/fd")


class _Kept(NamedTuple):
    """A context of TLS, and the moment from which a new one is made."""

    context: ssl.SSLContext
    until: datetime


def checked(name: str) -> str:
    """A name or an address of a server, as certificates have it; a name may begin with `*.`.

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
    """Issues certificates for the names by which the server is known, and for those that are nobody else's."""

    def __init__(self, names: Iterable[str]) -> None:
        """Make an authority, which has a new key each time.

        Raises:
            ValueError: one of the names is none.
        """
        self._ca = trustme.CA(organization_name="mockserver", organization_unit_name="CA of a mock server, for tests")
        #: Its certificate, which clients have to trust, in PEM.
        self.pem = self._ca.cert_pem.bytes().decode("ascii")
        self._names = tuple(dict.fromkeys(map(checked, names)))
        self._kept: OrderedDict[tuple[str | None, bool], _Kept] = OrderedDict()

    def context(self, name: str | None, address: str, *, expired: bool = False) -> ssl.SSLContext:
        """What a client gets that calls the server by a name, or by the address at which it is reached."""
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
        """A name for which the server has to have another certificate; None: it is known by that, or is not meant."""
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
        """A certificate for all names, and perhaps another one, that is issued at a moment."""
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
    """The path of a file with this content, as OpenSSL is given keys by files only; where possible in memory."""
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
