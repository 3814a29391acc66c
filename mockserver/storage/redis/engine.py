"""A store in Redis, as one server of several uses it."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from uuid import uuid4

from mockserver.core.workspaces.keeping import Departed, HeldElsewhereError, Known, News, Outline
from mockserver.storage.batch import Batch
from mockserver.storage.errors import EngineError
from mockserver.storage.outlines import encode
from mockserver.storage.records.changes import Stored
from mockserver.storage.records.packing import seal, unseal
from mockserver.storage.redis import replies
from mockserver.storage.redis.address import Address
from mockserver.storage.redis.batches import arguments, neutral
from mockserver.storage.redis.client import Client, Script
from mockserver.storage.redis.heartbeat import LEASE_MS, Heartbeat
from mockserver.storage.redis.holdings import Holdings
from mockserver.storage.redis.opening import check
from mockserver.storage.redis.reader import Reader, refuse
from mockserver.storage.redis.sentences import told

#: Counts the changes of the keys and what they hold.
FORMAT = 1
_BEAT = Script("beat", checks=False)
_LEAVE, _COMMIT, _TAKE, _CLAIM, _LET_GO, _EVICT, _NEWS, _VALUE, _CLEAR_COUNTS = (
    Script(name) for name in ("leave", "commit", "take", "claim", "let_go", "evict", "news", "value", "clear_counts")
)
#: How long an answer may take, in seconds: of a heart that has to be heard in time, and of all else. Chosen.
_BEAT_S, _ANSWER_S = 1.0, 3.0


class Engine(Reader):
    """A store in Redis: a `SharedEngine`, for all threads of the process that has opened it."""

    def __init__(self, url: str, *, layout: str, writer: str, address: str) -> None:
        """Open a store, and make it where there is none.

        Args:
            url: where it is, as `redis://:PASSWORD@HOST:PORT/DATABASE`; `rediss` for TLS.
            layout: of the bytes that are written, so that a store of another layout is refused.
            writer: who writes, as `mockserver 0.1.0`, which is told to whoever cannot read the store.
            address: where other servers reach this one; they are told it when it holds what they ask for.

        Raises:
            EngineError: the server cannot be reached or used, or what it holds is no store of this layout.
        """
        where = Address.of(url)
        super().__init__(Client(where, timeout_s=_ANSWER_S), layout=layout, server=uuid4().hex)
        self._heart = Client(where, timeout_s=_BEAT_S)
        self._writer, self._address = writer, address
        self._held = Holdings(self.server)
        #: Taken while news are read.
        self._reading_news = threading.Lock()
        #: Taken while a name is claimed: of two threads that claim one, the second has to know the token of the first.
        self._claiming = threading.Lock()
        #: The number of the last event that is known here, and the names of workspaces that were told.
        self._seen, self._names = 0, set[str]()
        self._lost = set[str]()
        #: How many bytes the server of Redis takes, as it told last.
        self.size = 0
        try:
            self._open()
        except BaseException:
            self._client.close()
            self._heart.close()
            raise

    def _open(self) -> None:
        about = self._client.about()
        check(self.place, about)
        self.size = int(about.get("used_memory", 0))
        if self._client.has_keys("mockserver:", but="mockserver:header"):
            raise EngineError(f"{self.place} holds keys that begin with mockserver:, and no store")
        self.beat(is_opening=True)
        self._heartbeat = Heartbeat(self.beat)

    @property
    def failure(self) -> str | None:
        """Why other servers do not hear of this one at present, as a sentence for users, or None."""
        return self._heartbeat.failure

    # ------------------------------------------------------------------ being heard of

    def beat(self, *, is_opening: bool = False) -> None:
        """Let other servers hear that this one lives, and hear which workspaces it has lost, if it was not heard of."""
        held = self._held.rows()
        facts = FORMAT, self._writer, self._address, LEASE_MS, int(is_opening)
        reply = self._heart.run(_BEAT, self._layout, self.server, *facts)
        refuse(self.place, reply)
        if not reply[1]:
            still = {name.decode() for name in reply[2]}
            gone = self._held.drop((name, row.token) for name, row in held.items() if name not in still)
            self._lost.update(gone)

    def lost(self) -> Collection[str]:
        """The names of the workspaces that this server has lost since the last call because it was not heard of."""
        found, self._lost = self._lost, set()
        return found

    # ------------------------------------------------------------------ writing

    def write(self, batch: Batch) -> Collection[str]:
        """Write a batch, but for the workspaces that this server does not hold any more, whose names are returned.

        Raises:
            EngineError: nothing was written, or nobody knows whether all was; this server holds none of them any more.
        """
        held = self._held.rows()
        written = {outline.name: outline for outline, _ in batch.workspaces}
        touched = [(name, held[name].token) for name in {*batch.removed, *written} if name in held]
        try:
            _, refused = self._run(_COMMIT, *arguments(batch, held))
        except EngineError:
            # Under other tokens, so that a write that arrives late finds that it is not wanted any more.
            self._held.drop(touched)
            raise
        lost = {name.decode() for name in refused}
        self._held.drop((name, token) for name, token in touched if name in lost or name not in written)
        for name in written.keys() - lost:
            self._held.tell(name, encode(neutral(written[name])), held[name].token)
        return lost

    def value(self, name: str, draw: bytes) -> bytes:
        """A value of all servers: the one that is there, else `draw`, which is there from now on.

        Raises:
            DamagedError: it is not what was written.
            EngineError: nobody can tell.
        """
        _, (found,) = self._run(_VALUE, name, seal(draw))
        with told(self.place):
            return unseal(found)

    def clear_counts(self) -> None:
        """Drop all counts, which is told to other servers as `Cleared`.

        Raises:
            EngineError: nobody knows whether they were dropped.
        """
        self._run(_CLEAR_COUNTS)

    # ------------------------------------------------------------------ holding

    def take(self, name: str) -> Stored:
        """Hold a workspace from now on; all that is held of it.

        Raises:
            HeldElsewhereError: another server holds it, or has claimed its name.
            NoWorkspaceError: there is none.
            EngineError: it cannot be read.
        """
        token = self._held.draw()
        word, found = self._run(_TAKE, name, token, self._held.token(name))
        if word == "elsewhere":
            raise HeldElsewhereError(name, found[0].decode())
        if word == "missing":
            raise self._missing(name)
        with told(self.place):
            outline = replies.outline(name.encode(), found[0])
        self._held.set(name, token, encode(neutral(outline)))
        return replies.stored(found[1])

    def claim(self, name: str) -> bool:
        """Hold a name of which there is no workspace; False: there is one, or another server holds the name.

        Raises:
            EngineError: nobody can tell.
        """
        with self._claiming:
            before = self._held.token(name)
            _, tokens = self._run(_CLAIM, name, self._held.draw(), before)
            if tokens and tokens[0].decode() != before:
                self._held.set(name, tokens[0].decode(), None)
            return bool(tokens)

    def let_go(self, outline: Outline) -> None:
        """Hold a workspace no longer, which is then known to all by this outline.

        Raises:
            EngineError: nobody knows whether it is held.
        """
        token = self._held.token(outline.name)
        if token:
            self._held.drop([(outline.name, token)])
            self._run(_LET_GO, outline.name, token, seal(encode(outline)))

    def evict(self, name: str) -> bool:
        """Remove a workspace, whoever holds it, which is told to all as `evicted`; False: there was none.

        Raises:
            EngineError: nobody knows whether it was removed.
        """
        token = self._held.token(name)
        _, (was_there,) = self._run(_EVICT, name)
        self._held.drop([(name, token)])
        return bool(was_there)

    # ------------------------------------------------------------------ news

    def outlines(self) -> Sequence[Outline]:
        with self._reading_news:
            return self._all_outlines()

    def _all_outlines(self) -> list[Outline]:
        self._seen, rows = self._outlines()
        self._names = {outline.name for outline, _ in rows}
        return [outline for outline, _ in rows]

    def news(self) -> Sequence[News]:
        """What other servers have done since the last call, in that order; what `outlines` told counts as known.

        Raises:
            EngineError: nobody can tell.
        """
        with self._reading_news:
            word, found = self._run(_NEWS, self._seen)
            if word == "behind":
                return self._all_news()
            with told(self.place):
                news = replies.news(found[1])
            self._seen = found[0]
            for row in news:
                self._note(row)
            return news

    def _note(self, news: News) -> None:
        if isinstance(news, Known):
            self._names.add(news.outline.name)
        elif isinstance(news, Departed):
            self._names.discard(news.name)

    def _all_news(self) -> list[News]:
        """What is known of all workspaces of others, and those that have gone, after more than is remembered."""
        before = self._names
        outlines = self._all_outlines()
        held = self._held.rows()
        gone = sorted(before - self._names)
        return [
            *(Departed(name, "dropped") for name in gone),
            *(Known(outline) for outline in outlines if outline.name not in held),
        ]

    # ------------------------------------------------------------------ the end

    def close(self) -> None:
        """Let go of all that this server holds, and of the store; what is called after that raises `EngineError`."""
        if self._client.is_own and not self._client.is_closed:
            self._heartbeat.close()
            with suppress(EngineError):  # it is taken over once nobody hears of this server
                while not self._run(_LEAVE)[1][0]:
                    pass
            self._heart.close()
            super().close()
