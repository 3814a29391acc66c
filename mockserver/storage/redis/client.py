"""A client of Redis: scripts, each called in one round trip and never again by itself."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha1
from importlib import resources
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError
from redis.retry import Retry

from mockserver.storage.errors import EngineError
from mockserver.storage.redis.address import Address
from mockserver.storage.redis.sentences import told

#: What Redis takes as an argument.
Argument = bytes | str | int
#: How long a connection may take, in seconds; chosen: whoever waits for an answer has not given up.
_CONNECT_S = 1.0
#: What is perhaps wrong where a connection says nothing, by whether it should speak TLS.
_HINTS = {
    True: "; a port that speaks no TLS has an address with redis://",
    False: "; a port that speaks TLS has an address with rediss://",
}
_FOLDER = resources.files(__package__) / "scripts"


class Script:
    """A script in Lua."""

    def __init__(self, name: str, *, checks: bool = True) -> None:
        """The script of a file; `checks`, whether it does nothing in a store of another layout."""
        names = ("keys", "layout", name) if checks else ("keys", name)
        self.text = b"\n".join((_FOLDER / f"{name}.lua").read_bytes() for name in names)
        self.digest = sha1(self.text, usedforsecurity=False).hexdigest()


class Client:
    """A client of one server of Redis, for all threads of the process that has made it."""

    def __init__(self, address: Address, *, timeout_s: float) -> None:
        """A client that connects when it is used; `timeout_s` is how long an answer may take."""
        self.place = address.place
        self._process = os.getpid()
        self.is_closed = False
        #: What is said of a connection that fails, until one has not.
        self._hint = _HINTS[address.is_secure]
        files = dict(address.files)
        # No retries: a commit whose answer was lost may be done.
        self._redis = redis.Redis(
            host=address.host,
            port=address.port,
            db=address.database,
            username=address.user,
            password=address.password,
            ssl=address.is_secure,
            socket_timeout=timeout_s,
            socket_connect_timeout=min(_CONNECT_S, timeout_s),
            retry=Retry(NoBackoff(), 0),
            protocol=2,  # in which all that is read is bytes, numbers and lists
            driver_info=None,
            ssl_ca_certs=files.get("ssl_ca_certs"),
            ssl_certfile=files.get("ssl_certfile"),
            ssl_keyfile=files.get("ssl_keyfile"),
        )

    def run(self, script: Script, *arguments: Argument) -> Sequence[Any]:
        """Run a script; returns what it gives.

        Raises:
            EngineError: it has failed, or nobody knows whether it has run.
        """
        with told(self._usable(), self._hint):
            try:
                return self._call("EVALSHA", script.digest, 0, *arguments)
            except NoScriptError:  # Redis has started anew, and nothing has run
                return self._call("EVAL", script.text, 0, *arguments)

    def _call(self, *arguments: Argument) -> Sequence[Any]:
        found: Sequence[Any] = self._redis.execute_command(*arguments)  # type: ignore[no-untyped-call]  # of redis-py
        self._hint = ""
        return found

    def about(self) -> Mapping[str, Any]:
        """What the server tells of itself, by name.

        Raises:
            EngineError: it tells nothing.
        """
        with told(self._usable(), self._hint):
            found: dict[str, Any] = self._redis.info()
            self._hint = ""
            return found

    def has_keys(self, prefix: str, but: str) -> bool:
        """Whether there are keys with a prefix, but not a certain one; all keys are looked through if need be.

        Raises:
            EngineError: nobody can tell.
        """
        with told(self._usable()):
            if self._redis.exists(but):
                return False
            has_some = any(True for _ in self._redis.scan_iter(match=f"{prefix}*", count=1000))
            return has_some and not self._redis.exists(but)  # it may have been made meanwhile

    def _usable(self) -> str:
        """The place, for sentences.

        Raises:
            EngineError: the client is closed, or this process was forked off.
        """
        if self.is_closed:
            raise EngineError(f"{self.place} is closed")
        if not self.is_own:
            raise EngineError(f"{self.place} is used by the process that has opened it, and not by one that was forked")
        return self.place

    @property
    def is_own(self) -> bool:
        """Whether this process has made the client."""
        return os.getpid() == self._process

    def close(self) -> None:
        """Close all connections."""
        self.is_closed = True
        self._redis.close()
