"""A Redis client with time limits and without retries, and its error messages."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from mockserver.storage.engine import UPGRADE, DamagedError, EngineError
from mockserver.storage.packing import UnreadableError

#: What follows the place in a sentence, by a word of the error's text: an error of a script names that of its command
#: somewhere in the text. Other texts are shown; none of them has a secret.
_ERRORS = {
    "NOAUTH": "wants a password: give it as redis://:PASSWORD@HOST",
    "WRONGPASS": "does not take this user with this password",
    "OOM command not allowed": "is full: its maxmemory is reached",
    "unknown command": "does not know a command that a store needs",  # the text may show the password
    "WRONGTYPE": "holds foreign data under keys that begin with mockserver:",
}
#: Messages by the first word of a refusing script's reply.
_REFUSALS = {
    b"empty": "holds no store: it was emptied, or none was ever made",
    b"foreign": "holds keys that begin with mockserver:, and no store",
    b"format": f"is of format {{}}, written by {{}}: {UPGRADE}",
    b"layout": f"was written by {{}}, in another layout: {UPGRADE}",
}


@contextmanager
def translated(place: str, hint: str = "") -> Iterator[None]:
    """Translate errors within a `with` block to `EngineError` or `DamagedError`; `hint` follows a missing answer."""
    try:
        yield
    except (UnreadableError, UnicodeDecodeError) as error:
        raise DamagedError(f"{place} is damaged: {error}") from error
    except (exceptions.RedisError, OSError, ValueError) as error:
        kind = DamagedError if "WRONGTYPE" in str(error) else EngineError
        raise kind(f"{place} {_sentence(error, hint)}") from error


def refuse_reply(place: str, reply: Sequence[Any]) -> None:
    """Raise `EngineError` if a script refused to run: no store, another format or layout."""
    if (sentence := _REFUSALS.get(reply[0])) is not None:
        raise EngineError(f"{place} {sentence.format(*map(shown, reply[1:]))}")


def refuse_server(place: str, info: Mapping[str, Any]) -> None:
    """Raise `EngineError` if a server, by its INFO, is unsuitable for a store."""
    version, policy = str(info.get("redis_version", "of no version")), str(info.get("maxmemory_policy", ""))
    if not re.match(r"6\.[2-9]|([7-9]|[1-9][0-9])\.", version):
        raise EngineError(f"{place} is Redis {version}: a store needs 6.2 or newer, or Valkey")
    if info.get("cluster_enabled"):
        raise EngineError(f"{place} is part of a cluster, and a store is kept by one server")
    if info.get("role") == "slave":
        raise EngineError(f"{place} is a replica, which cannot be written: name the primary")
    if info.get("maxmemory") and policy.startswith("allkeys"):
        raise EngineError(f"{place} drops keys when it is full: set its maxmemory-policy to noeviction, not {policy}")


def shown(text: bytes) -> str:
    """Return a stored text for messages; foreign programs may have written it."""
    return repr(text.decode("utf-8", "backslashreplace"))[1:-1] or "another program"


def _sentence(error: Exception, hint: str) -> str:
    text = f"{getattr(error, 'status_code', None) or ''} {error}".strip().rstrip(".")
    for word, sentence in _ERRORS.items():
        if word in text:
            return sentence
    if isinstance(error, exceptions.TimeoutError):
        return f"has not answered in time{hint}"
    if isinstance(error, exceptions.InvalidResponse | ValueError):
        return "does not speak the protocol of Redis"
    if isinstance(error, exceptions.ConnectionError | OSError):
        return f"cannot be reached: {text}{hint if 'closed' in text or 'reset' in text else ''}"
    return f"fails: {text}"


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
_FOLDER = resources.files(__package__) / "redis_scripts"
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
    pass


class Client:
    """A thread-safe client of one Redis server. Every method may raise `EngineError`."""

    def __init__(self, url: str) -> None:
        """Prepare a lazy client; an invalid URL is an error."""
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
        """Run a script and return its reply; after an error, its effect is unknown."""
        with self._usable():
            reply: list[Any] = self._scripts[script](args=arguments)
            return reply

    def info(self) -> Mapping[str, Any]:
        with self._usable():
            found: dict[str, Any] = self._redis.info()
            return found

    def messages(self, channel: str, is_over: Callable[[], bool]) -> Iterator[bytes]:
        """Yield the messages of a channel until `is_over` returns True."""
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
        self._redis.connection_pool.disconnect(inuse_connections=False)


def _place(url: str) -> str:
    """Return the store's address without secrets, or raise `EngineError` without quoting a wrong address."""
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
