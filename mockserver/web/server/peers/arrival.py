"""The connections of a server to which peers forward requests, beside those of its clients."""

from __future__ import annotations

from time import monotonic
from typing import Any

from mockserver.web.server.connections.settling import SettlingConnection
from mockserver.web.server.peers.introduction import FORWARDED, Introduction

#: How many seconds a connection over which a peer has forwarded a request is kept for the next one, even where there
#: are too many. Chosen: longer than the peer keeps it, so that no request meets a connection that is being closed.
_KEPT_S = 60.0


class Arrival(SettlingConnection):
    """A connection whose requests may have come to a peer first; they are answered as if they had come here."""

    def __init__(self, *arguments: Any, introduction: Introduction, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._introduction = introduction
        self._is_of_peer = False

    def on_headers_complete(self) -> None:
        self._take_introduction_off()
        super().on_headers_complete()

    def _measure(self) -> None:
        self._take_introduction_off()
        super()._measure()

    def _take_introduction_off(self) -> None:
        """Take off what the peer has added, which counts for no limit."""
        size = self._introduction.take_off(self.headers, self.scope)
        self._came -= size
        self._is_of_peer = self._is_of_peer or size > 0

    def _is_plain(self) -> bool:
        """Whether the request may be answered at once: what a head means does not depend on its bytes here."""
        return FORWARDED not in self.scope and super()._is_plain()

    @property
    def is_idle(self) -> bool:
        return super().is_idle and not (self._is_of_peer and monotonic() - self.idle_since < _KEPT_S)
