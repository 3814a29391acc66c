"""An engine in Redis, shared by several servers."""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

from mockserver.core.workspaces.storage import Outline
from mockserver.core.workspaces.store import NAME
from mockserver.storage.engine import Batch, ConflictError, DamagedError, EngineError, Header, Newer, NoWorkspaceError
from mockserver.storage.packing import seal, unseal
from mockserver.storage.redis_client import Argument, Client, refuse_reply, refuse_server, shown, translated

#: The heartbeat interval in seconds, and the milliseconds until a silent server counts as dead. Chosen: calls of dead
#: servers are repeated after seconds, and busy machines repeat none.
_BEAT_S, _LIFE_MS = 0.4, 5000
#: For how many milliseconds the lock of `order` holds at most; chosen: almost all requests take less.
_ORDER_MS = 2000


class Engine:
    """A store in Redis for several servers; each write changes a workspace's version."""

    kind = "redis"
    is_alone = was_interrupted = False

    def __init__(self, url: str, *, layout: str = "", writer: str = "", is_server: bool = True) -> None:
        """Open a store; an empty `layout` accepts any layout.

        A server, unlike a command, sends heartbeats, and creates a missing store.
        """
        self._client = Client(url)
        self.place = self._client.place
        self.server = uuid4().hex
        self.failure: str | None = None
        #: When Redis was back after a failure, by `time.monotonic`.
        self._back_at = -math.inf
        self._layout, self._writer, self._is_server = layout, writer, is_server
        self._is_closed = threading.Event()
        self._beating = threading.Thread(target=self._beat, name="mockserver store", daemon=True)
        self._check()
        if is_server:
            self._beating.start()

    def _check(self) -> None:
        info = self._client.info()
        refuse_server(self.place, info)
        self.size = int(info.get("used_memory", 0))
        if self._is_server:
            self._begin()

    def _begin(self) -> None:
        """Send a heartbeat, and create a missing store, for example after Redis was emptied."""
        refuse_reply(self.place, self._client.run("begin", self._layout, self._writer, self.server, _LIFE_MS))

    def _beat(self) -> None:
        while not self._is_closed.wait(_BEAT_S):
            try:
                self._check()
            except EngineError as error:
                self.failure = str(error)
            else:
                if self.failure is not None:
                    self._back_at = time.monotonic()
                self.failure = None

    def _run(self, script: str, *arguments: Argument) -> list[Any]:
        """Run a script and return its reply; after an error, all calls fail until Redis is usable again."""
        if self.failure is not None:
            raise EngineError(self.failure)
        try:
            reply = self._client.run(script, self._layout, *arguments)
            if reply[0] == b"empty" and self._is_server:
                self._begin()
                reply = self._client.run(script, self._layout, *arguments)
            refuse_reply(self.place, reply)
        except EngineError as error:
            if not isinstance(error, DamagedError):  # of one workspace
                self.failure = str(error)
            raise
        return reply

    def _ask(self, command: str, key: str, *arguments: Argument) -> Any:
        return self._run("call", command, f"mockserver:{key}", *arguments)[1]

    def close(self) -> None:
        self._is_closed.set()
        if self._is_server:
            self._beating.join()
            with suppress(EngineError):
                self._ask("DEL", f"server:{self.server}")
        self.failure = f"{self.place} is closed"
        self._client.close()

    def write(self, *batches: Batch) -> None:
        (batch,) = batches  # what other servers have changed refuses a step, and not those beside it
        expected = {row.name: row.base for row in batch.rows} | dict(batch.removed)
        arguments = [*_flat(expected), *_flat(batch.counts), len(batch.removed), *batch.removed, len(batch.rows)]
        for row in batch.rows:
            arguments += [row.name, "" if row.due_at is None else row.due_at]
            arguments += [len(row.changes.gone), *row.changes.gone, *_flat(row.changes.fields)]
        word, *names = self._run("commit", batch.nonce or secrets.token_hex(8), self.server, *arguments)
        if word == b"conflict":
            raise ConflictError([name.decode() for name in names])

    def read(self, name: str, version: str = "") -> Newer | None:
        word, *found = self._run("read", name, version)
        if word == b"missing":
            raise NoWorkspaceError(f"{self.place} holds no workspace {name}")
        if word == b"same":
            return None
        current, flat, marks = found
        with translated(self.place):
            fields = {_text(field): content for field, content in _pairs(flat)}
            fields.pop("version", None)
            deleted = (_text(mark[2:]) for mark in marks if mark.startswith(b"g:"))
            gone = [field for field in deleted if field not in fields]  # some were written again
            return Newer(_text(current), fields, gone, is_whole=word == b"all")

    def field(self, names: Collection[str], field: str) -> Mapping[str, bytes]:
        found = {name: self._ask("HGET", f"data:{name}", field) for name in names}
        return {name: content for name, content in found.items() if content is not None}

    def sizes(self) -> Mapping[str, int]:
        return {name: sum(map(len, self._ask("HVALS", f"data:{name}"))) for name in self.names()}

    def outlines(self) -> Sequence[Outline]:
        keys: dict[str, list[str]] = {}
        for key, names in _pairs(self._ask("HGETALL", "keys")):
            for name in self._names(names.split()):
                keys.setdefault(name, []).append(_text(key))
        found = self._ask("ZRANGE", "due", 0, -1, "WITHSCORES")
        due = dict(zip(self._names(found[::2]), map(float, found[1::2]), strict=True))
        return [Outline(name, sorted(keys.get(name, ())), due.get(name)) for name in self.names()]

    def names(self) -> Sequence[str]:
        return self._names(self._ask("ZRANGE", "used", 0, -1))

    def homes(self, key: str) -> Sequence[str]:
        """Return the workspaces of an API key, the oldest first."""
        return self._names((self._ask("HGET", "keys", key) or b"").split())

    def due(self, most: int) -> Sequence[str]:
        """Return workspaces with due timers or expired leases, the oldest first."""
        return self._names(self._ask("ZRANGEBYSCORE", "due", "-inf", time.time(), "LIMIT", 0, most))

    def _names(self, found: Sequence[bytes]) -> list[str]:
        names = [name.decode("utf-8", "replace") for name in found]
        for name in names:
            if not NAME.fullmatch(name):  # commands make file names of them
                raise DamagedError(f"{self.place} is damaged: {name!r} is not a name that a workspace can have")
        return names

    @property
    def header(self) -> Header:
        layout, writer = self._ask("HMGET", "header", "layout", "writer")
        return Header(shown(layout or b""), shown(writer or b""))

    def value(self, name: str, draw: bytes | None = None) -> bytes | None:
        found = self._ask("HGET", "values", name)
        if found is None and draw is not None:
            self._ask("HSETNX", "values", name, seal(draw))
            return self.value(name, draw)  # another server may have been faster
        with translated(self.place):
            return None if found is None else unseal(found)

    def counts(self) -> Mapping[str, int]:
        return {_text(name): int(number) for name, number in _pairs(self._ask("HGETALL", "counts"))}

    def clear_counts(self) -> None:
        self._ask("DEL", "counts")

    def remember(self, name: str, seconds: int) -> None:
        self._ask("SET", f"known:{name}", "", "EX", seconds)

    def remembers(self, name: str) -> bool:
        return bool(self._ask("EXISTS", f"known:{name}"))

    def forget(self, name: str) -> None:
        self._ask("DEL", f"known:{name}")

    def living(self, servers: Collection[str]) -> Collection[str]:
        """Return the servers with a recent heartbeat, or all servers if Redis was away when it was due."""
        was_away = time.monotonic() < self._back_at + _LIFE_MS / 1000
        return {server for server in servers if was_away or self._ask("EXISTS", f"server:{server}")}

    def order(self, name: str) -> bool:
        """Take a short lock that orders conflicting servers. Return False if another server has it."""
        return self._ask("SET", f"turn:{name}", self.server, "NX", "PX", _ORDER_MS) is not None

    def let_go(self, name: str) -> None:
        self._ask("DEL", f"turn:{name}")

    def changes(self) -> Iterator[tuple[str, str]]:
        """Yield name and version of written workspaces, until `close`; some writes may be missing."""
        while not self._is_closed.is_set():
            with suppress(EngineError):
                for message in self._client.messages("mockserver:changed", lambda: self.failure is not None):
                    name, _, version = message.decode("utf-8", "replace").partition(" ")
                    yield name, version
            self._is_closed.wait(_BEAT_S)


def _flat(pairs: Mapping[str, Argument]) -> list[Argument]:
    """Return a mapping as script arguments: the number of names, then each name and value."""
    return [len(pairs), *(argument for pair in pairs.items() for argument in pair)]


def _pairs(flat: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    return zip(flat[::2], flat[1::2], strict=True)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
