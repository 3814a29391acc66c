"""Requests that a fault holds: their answers wait, until their time is up or somebody lets them go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence


def _nobody() -> None:
    """Nobody waits for the answer to be let go."""


class Held:
    """What holds the answer of one exchange; an exchange that leaves the journal is not let go any more.

    It refers neither to the exchange nor to the workspace, so that it keeps nothing of what is gone.
    """

    def __init__(self, exchange: str, headers: Sequence[tuple[str, str]] = (), *, refuses: bool = False) -> None:
        #: The id of the exchange.
        self.exchange = exchange
        #: The headers of the answer, as far as they were known when it was held.
        self.headers = list(headers)
        #: Whether the fault lets no answer through: the request has done nothing yet, and is run again if it is let go.
        self.refuses = refuses
        #: Whether the server can run a request again.
        self.runs_again = True
        #: Whether the request's body was too large to be kept.
        self.is_without_body = False
        #: Whether it was let go.
        self.is_let_go = False
        #: Whether nobody waits for the answer any more.
        self.is_over = False
        #: The body with which the request is run again.
        self.body = b""
        #: Called when it is let go.
        self._wake: Callable[[], object] = _nobody

    @property
    def hindrance(self) -> str | None:
        """Why it cannot be let go, as the request would have to be run again; None if it can."""
        if not self.refuses:
            return None
        if not self.runs_again:
            return "a WSGI server cannot run a request a second time"
        return "its body was too large to keep" if self.is_without_body else None

    def let_go(self, body: bytes) -> None:
        """Send the answer at once; a request that has done nothing yet is run with this body."""
        self.body, self.is_let_go = body, True
        self._wake()

    def watch(self, wake: Callable[[], object]) -> None:
        """Call `wake` when the answer is let go, possibly before this returns."""
        self._wake = wake
        if self.is_let_go:
            wake()

    def unwatch(self) -> None:
        """Call nobody any more: the journal keeps this longer than the connection is to be kept."""
        self._wake = _nobody

    def wait(self, seconds: float) -> None:
        """Wait in this thread until the answer is let go, or so many seconds have passed."""
        free = threading.Event()
        self.watch(free.set)
        free.wait(seconds)
        self.unwatch()
