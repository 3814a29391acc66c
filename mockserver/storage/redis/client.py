"""A client of Redis that gives up commands which take too long, and never repeats one by itself."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from mockserver.storage.engine import EngineError
from mockserver.storage.redis.address import place_of
from mockserver.storage.redis.sentences import translated

#: What a script takes as an argument.
Argument = bytes | str | int | float
#: How many seconds a command may take, connecting included. Chosen: clients that wait for an answer have not given up.
ANSWER_S = 1.0
#: How often a listener looks whether it has to end, in seconds; chosen.
_LISTEN_S = 0.5
#: What is perhaps wrong where a connection says nothing, by whether it should speak TLS.
_HINTS = {
    True: "; a port that speaks no TLS has an address with redis://",
    False: "; a port that speaks TLS has an address with rediss://",
}
_FOLDER = resources.files(__package__) / "scripts"
_SCRIPTS = ("begin", "call", "commit", "read", "value")


class _Connection(redis.Connection):
    """A connection with one time limit for connecting and the command."""

    def connect(self) -> None:
        """Start the time limit, and connect if necessary; the pool calls this before each command."""
        self._end = time.monotonic() + ANSWER_S
        super().connect()  # type: ignore[no-untyped-call]  # of redis-py

    def read_response(self, *arguments: Any, **options: Any) -> Any:
        options.setdefault("timeout", max(0.0, self._end - time.monotonic()))
        return super().read_response(*arguments, **options)


class _TlsConnection(_Connection, redis.SSLConnection):
    """The same by TLS."""


class Client:
    """A client of one server of Redis, for all threads of the process that has made it."""

    def __init__(self, url: str) -> None:
        """Prepare a client, which connects when it is used.

        Raises:
            EngineError: the URL is not one of a store.
        """
        self.place = place_of(url)
        self._process, self._is_closed = os.getpid(), False
        is_secure = self.place.startswith("rediss:")
        self._hint = _HINTS[is_secure]  # until Redis has answered
        self._redis = redis.Redis.from_url(
            url,
            connection_class=_TlsConnection if is_secure else _Connection,
            max_connections=2**31,  # each thread uses one, and never waits for another thread
            socket_timeout=ANSWER_S,
            socket_connect_timeout=ANSWER_S / 2,
            retry=Retry(NoBackoff(), 0),  # a commit whose answer was lost may be done
            protocol=2,  # replies are bytes, numbers and lists
            driver_info=None,
            encoding_errors="surrogatepass",
        )
        self._pool = self._redis.connection_pool
        head, *texts = ((_FOLDER / f"{name}.lua").read_bytes() for name in ("keys", *_SCRIPTS))
        self._scripts = {
            name: self._redis.register_script(head + text) for name, text in zip(_SCRIPTS, texts, strict=True)
        }

    def run(self, script: str, *arguments: Argument) -> list[Any]:
        """Return the reply of a script; raises `EngineError` if it has failed, or if that is unknown."""
        with self._usable():
            reply: list[Any] = self._scripts[script](args=arguments)
            return reply

    def info(self) -> Mapping[str, Any]:
        """Return what the server says about itself, by name; raises `EngineError`."""
        with self._usable():
            found: dict[str, Any] = self._redis.info()
            return found

    def messages(self, channel: str, is_over: Callable[[], bool]) -> Iterator[bytes]:
        """Yield what is published on a channel, until `is_over` returns True; raises `EngineError`."""
        with self._usable(), self._redis.pubsub() as listening:  # type: ignore[no-untyped-call]  # of redis-py
            listening.subscribe(channel)
            while not is_over():
                found = listening.get_message(ignore_subscribe_messages=True, timeout=_LISTEN_S)
                if found is not None:
                    yield found["data"]

    @contextmanager
    def _usable(self) -> Iterator[None]:
        if self._is_closed:
            raise EngineError(f"{self.place} is closed")
        if os.getpid() != self._process:
            raise EngineError(f"{self.place} is used by the process that has opened it, and not by one that was forked")
        try:
            with translated(self.place, self._hint):
                yield
        except EngineError:
            self._pool.disconnect(inuse_connections=False)  # a network that has lost one may have lost all
            raise
        self._hint = ""

    def close(self) -> None:
        """Close all connections, but leave those of a process that was forked off to the process that has made them."""
        self._is_closed = True
        if os.getpid() == self._process:
            self._pool.disconnect(inuse_connections=False)  # those in use end with what uses them
