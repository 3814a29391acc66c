"""Forwarding: a call that is handed on to a peer, another mock or the service, and what the peer has answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol


class ForwardedCall(NamedTuple):
    """A call for the peer."""

    method: str
    #: The request target below the peer's root, percent-encoded: `/v3/contacts?limit=2`.
    target: str
    headers: Sequence[tuple[str, str]]
    body: bytes


class PeerAnswer(NamedTuple):
    """What the peer has answered, or why there is no answer that could be handed on."""

    status: int = 0
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    #: Why there is no answer, as a sentence without an end; None: there is one.
    error: str | None = None


class Forwarder(Protocol):
    """What hands calls on to the peer of a server; the app supplies one."""

    #: How the peer is shown to people: its root address.
    peer: str
    #: Whether calls that may change something are handed on.
    writes: bool
    #: How long the peer may take to answer, in seconds.
    timeout_s: float
    #: The name of this server among those that hand a call on (the `Via` header, RFC 9110, 7.6.3).
    name: str

    def send(self, call: ForwardedCall, done: Callable[[PeerAnswer], None]) -> None:
        """Hand a call on in the background.

        `done` is called once, from any thread, perhaps before this returns; not at all if the server stops meanwhile.
        """
        ...
