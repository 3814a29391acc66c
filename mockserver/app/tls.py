"""TLS of a server: certificates by settings, and faults of handshakes."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mockserver.core.lazy import lazy
from mockserver.core.state.faults import Fault
from mockserver.core.text.addresses import PRIVATE_SUFFIXES
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import DEFAULT, Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.settings import Settings

if TYPE_CHECKING:
    from mockserver.web.server import certificates
else:
    # Few servers speak TLS.
    (certificates,) = lazy("mockserver.web.server", "certificates")

#: The host of the service, for clients whose base address is fixed and that are led here by a hosts file or by DNS.
_SERVICE = "api.brevo.com"
#: The names by which a server can always be reached from its own machine, and that of the service.
_ALWAYS = ("localhost", "127.0.0.1", "::1", _SERVICE)
#: The settings that say something about TLS, and nothing without it.
_OF_TLS = ("tls_port", "tls_name", "tls_ca_file", "tls_cert", "tls_key")
#: Those that say something about the authority, and nothing where the certificate is somebody else's.
_OF_AUTHORITY = ("tls_name", "tls_ca_file")


class TlsParts(NamedTuple):
    certificates: certificates.Authority | certificates.OwnCertificate
    #: The certificate of the authority, which clients have to trust, in PEM; None: somebody else has issued it.
    ca: str | None


def tls_of(settings: Settings) -> TlsParts | None:
    """Return the certificates for these settings, or None without TLS.

    Raises:
        ValueError: settings contradict each other, a file is inaccessible, or a name is invalid.
    """
    _check(settings)
    if not settings.tls:
        return None
    if settings.tls_cert is not None:
        own = certificates.OwnCertificate(settings.tls_cert, settings.tls_key)
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


def _made(settings: Settings) -> certificates.Authority:
    wanted = tuple(name.lower().removesuffix(".") for name in settings.tls_name)
    try:
        return certificates.Authority([*_ALWAYS, *wanted, *_certifiable(settings)])
    except ValueError as error:
        raise ValueError(f"--tls-name: {error}") from error


def _certifiable(settings: Settings) -> Iterator[str]:
    """Yield names of this machine and the settings that certificates may have."""
    for name in (settings.host, socket.gethostname(), *settings.allowed_names):
        found = f"*{name}" if name.startswith(".") else name
        try:
            yield certificates.checked(found.lower().removesuffix("."))
        except ValueError:
            continue


def _write(file: Path, pem: str) -> None:
    try:
        file.write_text(pem, encoding="ascii")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"cannot write the certificate of the authority to {file}: {reason}") from error


#: Does work that waits for a workspace in a thread.
Wait = Callable[[Callable[[], Fault | None]], Awaitable[Fault | None]]


class Handshakes:
    """Chooses handshake faults by the rules of the named or default workspace.

    Only the server name is known of a client. `onboarding.localhost`, or `onboarding` below any other private suffix,
    names the workspace `onboarding` if it exists.
    """

    def __init__(self, store: Store, wait: Wait) -> None:
        self._store = store
        self._wait = wait

    async def fault(self, name: str | None) -> Fault | None:
        """Return the fault of a handshake, or None, without blocking the event loop."""
        store, called = self._store, (name or "").partition(".")[0]
        is_named = name is not None and name.endswith(PRIVATE_SUFFIXES)
        if not is_named or not (store.storage.is_shared or called in store):
            called = DEFAULT
        workspace = None if store.storage.is_shared else store.peek(called)
        if workspace is not None and not workspace.state.faults.has_any_of_handshakes:
            return None
        return await self._wait(lambda: self._taken_in_step(called))

    def _taken_in_step(self, name: str) -> Fault | None:
        """Return the fault by a workspace, or None if it cannot be read: its requests tell the reason."""
        store = self._store
        if store.storage.failure is not None:
            return None  # the attempt may take long
        try:
            return store.storage.run(lambda: self._taken(store.look(name) or store.default))
        except StorageError:
            return None

    def _taken(self, workspace: Workspace) -> Fault | None:
        state = workspace.state
        found = state.faults.take_handshake(state.clock.now(), state.random)
        if found is not None:
            self._store.meter.add_handshake(found.kind)
            workspace.watchers.tell("control")
        return found
