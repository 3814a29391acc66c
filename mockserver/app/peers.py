"""A server among those of its store: where they reach it, and what it forwards to them."""

from __future__ import annotations

import secrets
import socket
from functools import partial
from typing import TYPE_CHECKING, cast

from mockserver.app.refusal import refusal
from mockserver.core.workspaces.keeping import HeldElsewhereError, Keeping, KeepingError
from mockserver.core.workspaces.store import Store
from mockserver.settings import Settings

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from mockserver.core.workspaces.shared_store import SharedStore
    from mockserver.web.server.peers.calls import Calls
    from mockserver.web.server.peers.forwarding import Forwarding
    from mockserver.web.server.peers.introduction import Introduction
    from mockserver.web.server.peers.trust import Trust

#: How the addresses of stores begin that several servers share.
_SHARED = ("redis:", "rediss:")
#: The hosts that stand for all addresses of a machine.
_ALL = ("", "0.0.0.0", "::")  # noqa: S104  # compared, and not listened on
#: The name of the secret by which the servers of a store know each other, and how many bytes it has.
_NAME, _LENGTH = "peers", 16


def shares(settings: Settings) -> bool:
    """Whether a server of these settings shares its store with others."""
    return settings.store.startswith(_SHARED)


def own_address(settings: Settings, port: int | None = None) -> str:
    """The root address at which the other servers of a store reach one that listens on `port`.

    Raises:
        ValueError: the server listens on all addresses of its machine, whose name leads to none.
    """
    if settings.peer_address is not None:
        return settings.peer_address.rstrip("/")
    host = _address_of_machine() if settings.host in _ALL else settings.host
    scheme = "https" if settings.tls and settings.tls_port is None else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{settings.port if port is None else port}"


def _address_of_machine() -> str:
    """The address to which the name of this machine leads."""
    name = socket.gethostname()
    try:
        return str(socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)[0][4][0])
    except OSError as error:
        raise ValueError(
            f"the other servers of the store cannot be told where this one is, as its name {name} leads to no address: "
            "give --peer-address"
        ) from error


def check(settings: Settings) -> None:
    """Refuse settings that say something about peers of a server that has none.

    Raises:
        ValueError: they do.
    """
    if settings.peer_address is not None and not shares(settings):
        raise ValueError("--peer-address is for a server that shares its store with others: give --store redis://, too")


def check_wsgi(settings: Settings) -> None:
    """Refuse settings of an application that another WSGI server runs, of which it does not know the address.

    Raises:
        ValueError: the other servers of its store cannot be told where it is.
    """
    if shares(settings) and settings.peer_address is None:
        raise ValueError(
            "the other servers of the store cannot be told where this application is, as only the WSGI server that "
            'runs it knows: give an address, as Settings(peer_address="http://10.0.0.5:8003")'
        )


def introduction_of(store: Store) -> Introduction:
    """How the servers of a store introduce themselves to each other.

    Raises:
        KeepingError: the secret that they share cannot be read.
    """
    from mockserver.web.server.peers.introduction import Introduction  # noqa: PLC0415  # few servers share a store

    return Introduction(store.keeping.secret(_NAME, partial(secrets.token_bytes, _LENGTH)))


def trust_of(settings: Settings, keeping: Keeping) -> Trust:
    """Which servers are taken for those of a store, where they speak TLS."""
    from mockserver.app.tls import shared_ca  # noqa: PLC0415  # few servers share a store
    from mockserver.web.server.peers.trust import Trust  # noqa: PLC0415  # as above

    return Trust(partial(shared_ca, keeping), settings.tls_cert)


def forwarding_of(store: Store, settings: Settings) -> Forwarding | None:
    """What forwards requests to the servers that hold their workspaces; None: nobody shares the store.

    Raises:
        KeepingError: the secret that the servers share cannot be read.
    """
    if not store.keeping.is_shared:
        return None
    from mockserver.web.server.peers.forwarding import Forwarding  # noqa: PLC0415  # few servers share a store

    return Forwarding(
        introduction_of(store), trust_of(settings, store.keeping), _Holders(store), refusal, _calls(store)
    )


def wsgi_forwarding_of(app: WSGIApplication, store: Store, settings: Settings) -> WSGIApplication:
    """An application around another one that shares its store: under an ordinary WSGI server it forwards requests.

    Raises:
        KeepingError: the secret that the servers share cannot be read.
    """
    from mockserver.web.server.peers.wsgi_forwarding import WsgiForwarding  # noqa: PLC0415  # few servers share a store

    return WsgiForwarding(
        app,
        settings.body_limit,
        introduction_of(store),
        trust_of(settings, store.keeping),
        _Holders(store),
        refusal,
        _calls(store),
    )


def _calls(store: Store) -> Calls:
    """The calls that the other servers of a store may make."""
    from mockserver.app.effects import peer_mails  # noqa: PLC0415  # few servers share a store

    return {peer_mails.PATH.encode("ascii"): partial(peer_mails.answer, store)}


class _Holders:
    """What a store knows of the servers that hold its other workspaces."""

    def __init__(self, store: Store) -> None:
        self._store = shared = cast("SharedStore", store)  # or there would be no peers
        self.confirm, self.doubt = shared.confirm, shared.doubt

    def is_held(self, elsewhere: HeldElsewhereError) -> bool:
        """Whether a workspace is still held there, as far as anybody can tell."""
        self.doubt(elsewhere)
        try:
            self._store.look(elsewhere.name)
        except HeldElsewhereError as found:
            return found.address == elsewhere.address
        except KeepingError:
            return True
        return False
