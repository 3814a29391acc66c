"""The calls that the servers of a store make of each other, beside the requests of clients that they forward."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockserver.core.workspaces.keeping import HeldElsewhereError, KeepingError
from mockserver.web.server.peers.introduction import NOT_HELD, Introduction
from mockserver.web.server.wsgi import WsgiAnswer

#: Answers a call of a peer, in a thread, by what was sent; it may raise `HeldElsewhereError`.
Answer = Callable[[bytes], bytes]
#: The calls that peers may make, by their paths, at which no client finds anything.
Calls = Mapping[bytes, Answer]


def answered(introduction: Introduction, call: Answer, body: bytes) -> WsgiAnswer:
    """The answer to a call of a peer."""
    try:
        status, content = 200, call(body)
    except HeldElsewhereError:
        return introduction.answer(NOT_HELD)
    except KeepingError as error:
        status, content = 503, str(error).encode()
    return WsgiAnswer(status, [("Content-Length", str(len(content)))], content)
