"""Calls forwarded to a peer: another mock, or the service."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from mockserver.core.effects import ForwardedCall, OutgoingRequest, PeerAnswer
from mockserver.core.state.identifiers import is_key
from mockserver.effects.dispatcher import Dispatcher, Task
from mockserver.effects.egress import Egress, EgressRefusedError
from mockserver.settings import Settings, without_version
from mockserver.settings.files import secret_of

#: The key for a peer of which the settings name none: another mock takes it, unless it was started to take known keys.
_ANY_KEY = "any"
#: How many calls are under way at once; chosen for what the workers of a large test run send at the same time.
_THREADS = 32
#: How many calls may wait for a thread; chosen so that the last of them has a chance of its turn in time.
_WAITING = 256
#: What stands for the key where the peer repeats it in its answer.
_HIDDEN = b"***"
#: The fewest characters of a key that is hidden there. Chosen: those of the service have 89, and a word that somebody
#: has made up for another mock may stand in any text.
_SECRET = 16


class Forwards:
    """Forwards calls in the background to the peer of the settings: a `Forwarder` of `core.effects`.

    Threads and HTTP libraries wait for the first call.
    """

    def __init__(self, settings: Settings, url: str) -> None:
        """Prepare calls to a peer at a root address."""
        self.peer = _root(url)
        self.writes = settings.forward_writes
        self.timeout_s = settings.forward_timeout
        self.name = f"mockserver-{os.urandom(8).hex()}"
        self._most = settings.forward_answer_limit
        self._key = key_of(settings)
        self._egress = self._reach(Egress(settings.egress))
        self._dispatcher = Dispatcher(threads=_THREADS, concurrency=_THREADS, waiting=_WAITING)

    def close(self) -> None:
        self._dispatcher.close()

    def _reach(self, egress: Egress) -> Egress:
        """Return the egress of calls: without own key or TLS, at most private addresses."""
        is_for_the_service = self._key is not None and self.peer.startswith("https:")
        return Egress.PRIVATE if egress is Egress.ANY and not is_for_the_service else egress

    def send(self, call: ForwardedCall, done: Callable[[PeerAnswer], None]) -> None:
        """Queue a call, starting its time limit; `done` gets the answer, in any thread."""
        deadline = time.monotonic() + self.timeout_s
        if not self._dispatcher.submit(Task(lambda: self._answer(call, deadline), done)):
            self._dispatcher.refuse(done, PeerAnswer(error="the queue of forwarded calls is full"))

    def _answer(self, call: ForwardedCall, deadline: float) -> PeerAnswer:
        from mockserver.effects.http import (  # noqa: PLC0415  # not needed before the first call
            UnansweredError,
            UnsendableError,
            fetch,
        )

        headers = [*call.headers, ("api-key", self._key or _ANY_KEY)]
        left = deadline - time.monotonic()  # none, if it has waited too long for its turn
        request = OutgoingRequest(f"{self.peer}{call.target}", headers, call.body, left, call.method)
        try:
            return self._without_key(PeerAnswer(*fetch(request, self._egress, self._most)))
        except EgressRefusedError as error:
            return PeerAnswer(error=f"{error}; {_WIDER}")
        except TimeoutError:
            return PeerAnswer(error=f"no answer within {self.timeout_s:g} seconds")
        except (UnansweredError, UnsendableError) as error:
            return PeerAnswer(error=str(error))
        except Exception as error:  # a bug of the mock
            logging.getLogger(__name__).exception("a forwarded call has failed with an unexpected error")
            return PeerAnswer(error=f"the mock has failed: {type(error).__name__}")

    def _without_key(self, answer: PeerAnswer) -> PeerAnswer:
        if self._key is None or len(self._key) < _SECRET:
            return answer
        key, hidden = self._key, _HIDDEN.decode()
        headers = [(name, value.replace(key, hidden)) for name, value in answer.headers]
        return answer._replace(headers=headers, body=answer.body.replace(key.encode(), _HIDDEN))


def forwards_of(settings: Settings) -> Forwards | None:
    """Return the forwarder of the settings, or None without peer.

    Raises:
        ValueError: address or key are invalid or missing.
    """
    if settings.forward_to is not None:
        return Forwards(settings, settings.forward_to)
    if settings.beyond == "forward":
        raise ValueError("--beyond forward needs --forward-to, the address to which calls go")
    if key_of(settings) is not None:
        raise ValueError("there is a key for forwarded calls, and no --forward-to that says to whom they go")
    return None


def key_of(settings: Settings) -> str | None:
    """Return the key of forwarded calls, or None."""
    called = "the key of forwarded calls"
    key = secret_of(settings.forward_key, settings.forward_key_file, called, if_empty="leave it out if that is meant")
    if key is not None and not is_key(key):
        raise ValueError(f"{called} is none: keys are printable ASCII characters without blanks")
    return key


#: What lets calls reach the service.
_WIDER = "the service itself is called only by https, with --egress any and a key of its own (--forward-key)"


def _root(url: str) -> str:
    """Return a peer's root address without trailing slash and `/v3`."""
    parts = _parts(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError(f"calls cannot be forwarded to {_shown(parts)}: it must be the URL of a server")
    if parts.username is not None or parts.password is not None:
        raise ValueError(f"calls cannot be forwarded to {_shown(parts)}: it has a user or a password")
    if parts.query or parts.fragment or not url.isprintable() or " " in url:
        raise ValueError(f"calls cannot be forwarded to {_shown(parts)}: it must be a root address, and nothing more")
    return without_version(url)


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # it is read only now
    except ValueError as error:
        raise ValueError(f"calls cannot be forwarded: --forward-to is no URL ({error})") from None
    return parts


def _shown(parts: SplitResult) -> str:
    return repr(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}")
