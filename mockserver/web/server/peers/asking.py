"""Asking peers for what is no request of a client, such as to take a mail, in a thread that waits for the answer."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Mapping
from time import monotonic, sleep
from typing import TypeVar
from urllib.parse import urlsplit

from mockserver.core.workspaces.keeping import HeldElsewhereError, KeepingError
from mockserver.web.server.peers.introduction import NOT_HELD, Introduction
from mockserver.web.server.peers.trust import unverified
from mockserver.web.server.wsgi import Scope

Found = TypeVar("Found")
#: Answers a call of a peer, in a thread, by what was sent; it may raise `HeldElsewhereError`.
Answer = Callable[[bytes], bytes]
#: The calls that peers may make, by their paths, at which no client finds anything.
Calls = Mapping[bytes, Answer]

#: For how many seconds a workspace is looked for that no server says to hold. Chosen: as for requests.
_PATIENCE_S = 5.0
#: How many seconds pass until it is looked for again, as a workspace changes hands.
_PAUSE_S = 0.1
#: How many seconds a peer may take to accept a connection, and then to answer. Chosen: far above what it does take.
_CONNECT_S, _ANSWER_S = 2.0, 30.0


class NotThereError(Exception):
    """Nothing was done: a peer is not to be reached, or does not hold the workspace."""


class Asking:
    """Makes calls of peers."""

    def __init__(self, introduction: Introduction) -> None:
        self._introduction = introduction

    def ask(self, elsewhere: HeldElsewhereError, path: str, body: bytes) -> bytes:
        """What the server answers that holds a workspace.

        Raises:
            KeepingError: nobody knows whether it was done, or it could not be kept.
            NotThereError: nothing was done.
        """
        connection = _connected(elsewhere.address)
        try:
            self._send(connection, path, body)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise KeepingError(f"the server that held the workspace {elsewhere.name} has not answered") from error
        finally:
            connection.close()
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.getheaders()]
        if self._introduction.word(answer.status, headers) == NOT_HELD:
            raise NotThereError
        if answer.status != http.HTTPStatus.OK:
            raise KeepingError(content.decode("utf-8", "replace"))
        return content

    def _send(self, connection: http.client.HTTPConnection, path: str, body: bytes) -> None:
        name, value = self._introduction.header(_NOBODY)
        connection.putrequest("POST", path, skip_host=True, skip_accept_encoding=True)
        connection.putheader(name.decode("ascii"), value)  # it has to be the first
        connection.putheader("Host", connection.host)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)


#: Who asks, where it is no client.
_NOBODY: Scope = {"scheme": "http", "client": None, "server": None}


def _connected(address: str) -> http.client.HTTPConnection:
    """A connection to the server at an address.

    Raises:
        NotThereError: it is not to be reached.
    """
    parts = urlsplit(address)
    if parts.scheme == "https":
        found: http.client.HTTPConnection = http.client.HTTPSConnection(
            parts.netloc, timeout=_CONNECT_S, context=unverified()
        )
    else:
        found = http.client.HTTPConnection(parts.netloc, timeout=_CONNECT_S)
    try:
        found.connect()
    except OSError as error:
        raise NotThereError from error
    found.sock.settimeout(_ANSWER_S)
    return found


def wherever_held(here: Callable[[], Found], there: Callable[[HeldElsewhereError], Found]) -> Found:
    """What is found here, or `there` where another server holds the workspace, as soon as one does.

    Raises:
        KeepingError: none does.
    """
    until = monotonic() + _PATIENCE_S
    while True:
        try:
            return here()
        except HeldElsewhereError as error:
            elsewhere = error.with_traceback(None)
        try:
            return there(elsewhere)
        except NotThereError:
            if monotonic() > until:
                raise KeepingError(
                    f"the server that holds the workspace {elsewhere.name} cannot be reached at {elsewhere.address}"
                ) from None
        sleep(_PAUSE_S)
