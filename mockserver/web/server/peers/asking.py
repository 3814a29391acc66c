"""Asking peers for what is no request of a client, such as to take a mail, in a thread that waits for the answer."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from time import sleep
from typing import TypeVar
from urllib.parse import urlsplit

from mockserver.core.workspaces.keeping import HeldElsewhereError, KeepingError
from mockserver.web.server.peers.blocking_departure import connected
from mockserver.web.server.peers.handing_on import pauses
from mockserver.web.server.peers.introduction import NOT_HELD, Introduction
from mockserver.web.server.peers.trust import Trust, told
from mockserver.web.server.wsgi import Scope

Found = TypeVar("Found")
#: How many seconds a peer may take to answer. Chosen: far above what it does take.
_ANSWER_S = 30.0


class NotThereError(Exception):
    """Nothing was done: a peer is not to be reached, or does not hold the workspace."""


class Asking:
    """Makes calls of peers."""

    def __init__(self, introduction: Introduction, trust: Trust) -> None:
        self._introduction, self._trust = introduction, trust

    def ask(self, elsewhere: HeldElsewhereError, path: str, body: bytes) -> bytes:
        """What the server answers that holds a workspace.

        Raises:
            KeepingError: nobody knows whether it was done, or it could not be kept.
            NotThereError: nothing was done.
        """
        connection = _connected(elsewhere.address, self._trust)
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


def _connected(address: str, trust: Trust) -> http.client.HTTPConnection:
    """A connection to the server at an address.

    Raises:
        NotThereError: it is not to be reached.
    """
    found = http.client.HTTPConnection(urlsplit(address).netloc)
    try:
        found.sock = connected(address, trust)
    except OSError as error:
        raise NotThereError(told(error)) from error
    found.sock.settimeout(_ANSWER_S)
    return found


def wherever_held(here: Callable[[], Found], there: Callable[[HeldElsewhereError], Found]) -> Found:
    """What is found here, or `there` where another server holds the workspace, as soon as one does.

    Raises:
        KeepingError: none does.
    """
    tries = pauses()
    while True:
        try:
            return here()
        except HeldElsewhereError as error:
            elsewhere = error.with_traceback(None)
        try:
            return there(elsewhere)
        except NotThereError as error:
            why, pause = str(error), next(tries, None)
        if pause is None:
            raise KeepingError(
                f"the server that holds the workspace {elsewhere.name} cannot be reached at {elsewhere.address}{why}"
            )
        sleep(pause)
