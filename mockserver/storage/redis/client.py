"""A client of Redis that gives up commands which take too long, and never repeats one by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from mockserver.storage.engine import EngineError
from mockserver.storage.redis.sentences import translated

#: What a script takes as an argument.
Argument = bytes | str | int | float
#: How many seconds a command may take, connecting included. Chosen: clients that wait for an answer have not given up.
ANSWER_S = 1.0
#: How often a listener looks whether it has to end, in seconds; chosen.
_LISTEN_S = 0.5
#: What is perhaps wrong where Redis has never answered.
_HINT = "; redis:// is for ports without TLS, rediss:// for ports with TLS"
#: The options that may follow the question mark of an address, as redis-py names them: files for TLS.
_FILES = {"ssl_ca_certs", "ssl_certfile", "ssl_keyfile"}
_FORM = "the address of the store is not of the form redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]"
_FOLDER = resources.files(__package__) / "scripts"
_SCRIPTS = ("begin", "call", "commit", "read")


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
    """A client of one server of Redis, for all threads. Every method may raise `EngineError`."""

    def __init__(self, url: str) -> None:
        """Prepare a client, which connects when it is used; an invalid URL is an error."""
        self.place = _place(url)
        self._hint = _HINT
        self._redis = redis.Redis.from_url(
            url,
            connection_class=_TlsConnection if self.place.startswith("rediss:") else _Connection,
            max_connections=2**31,  # each thread uses one, and never waits for another thread
            socket_timeout=ANSWER_S,
            socket_connect_timeout=ANSWER_S / 2,
            retry=Retry(NoBackoff(), 0),  # a commit whose answer was lost may be done
            protocol=2,  # replies are bytes, numbers and lists
            driver_info=None,
            encoding_errors="surrogatepass",
        )
        head = (_FOLDER / "keys.lua").read_text()
        self._scripts = {
            name: self._redis.register_script(head + (_FOLDER / f"{name}.lua").read_text()) for name in _SCRIPTS
        }

    def run(self, script: str, *arguments: Argument) -> list[Any]:
        """Return the reply of a script; after an error it is unknown whether the script has run."""
        with self._usable():
            reply: list[Any] = self._scripts[script](args=arguments)
            return reply

    def info(self) -> Mapping[str, Any]:
        """Return what the server says about itself, by name."""
        with self._usable():
            found: dict[str, Any] = self._redis.info()
            return found

    def messages(self, channel: str, is_over: Callable[[], bool]) -> Iterator[bytes]:
        """Yield what is published on a channel, until `is_over` returns True."""
        with self._usable(), self._redis.pubsub() as listening:  # type: ignore[no-untyped-call]  # of redis-py
            listening.subscribe(channel)
            while not is_over():
                found = listening.get_message(ignore_subscribe_messages=True, timeout=_LISTEN_S)
                if found is not None:
                    yield found["data"]

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            with translated(self.place, self._hint):
                yield
        except EngineError:
            self.close()  # a network that has lost one connection may have lost all
            raise
        self._hint = ""

    def close(self) -> None:
        """Close all connections that are not in use."""
        self._redis.connection_pool.disconnect(inuse_connections=False)


def _place(url: str) -> str:
    """Return the address of a store without its secrets, or raise `EngineError` without any part of a wrong address."""
    try:
        parts = urlsplit(url)
        port, database = parts.port or 6379, int(parts.path.removeprefix("/") or 0)
    except ValueError:
        raise EngineError(_FORM) from None
    if parts.scheme not in ("redis", "rediss") or not parts.hostname or parts.fragment:
        raise EngineError(_FORM)
    options = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if not options <= (_FILES if parts.scheme == "rediss" else set()):
        raise EngineError(f"the address of the store takes nothing after the ? but, with rediss://, {sorted(_FILES)}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port}/{database}"
