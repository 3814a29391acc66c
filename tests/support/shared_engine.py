"""A stand-in for a database that several servers share: it holds what they write in memory, for engines of all of them.

`SharedBytes` is the database, `MemoryEngine` what one server has of it: a `SharedEngine`.
"""

import threading
from collections import Counter
from dataclasses import dataclass, field
from itertools import count

from mockserver.core.workspaces.keeping import Cleared, Departed, HeldElsewhereError, Known
from mockserver.storage.errors import EngineError, NoWorkspaceError
from mockserver.storage.records.changes import Stored


@dataclass
class _Row:
    """What is held of a workspace; one without an outline is a name that was claimed."""

    outline: object = None
    parts: dict = field(default_factory=dict)
    #: The entries of each log by their positions.
    logs: dict = field(default_factory=dict)
    #: Of the engine that holds it, and the token of that taking; None: nobody does.
    holder: object = None
    token: int | None = None

    @property
    def told(self):
        """The outline as it is told to others: what is due where it is held is looked after there."""
        return self.outline if self.holder is None else self.outline._replace(due_at=None, is_busy=False)

    def write(self, outline, changes):
        self.outline = outline
        self.parts.update(changes.parts)
        for name in changes.gone:
            self.parts.pop(name, None)
        for log in changes.logs:
            held = {} if log.anew else self.logs.get(log.name, {})
            held |= dict(log.entries)
            self.logs[log.name] = {position: held[position] for position in sorted(held) if position >= log.first}

    def stored(self):
        return Stored(dict(self.parts), {name: tuple(entries.items()) for name, entries in self.logs.items()})


class SharedBytes:
    """What several servers share: workspaces, values, and the news of all."""

    def __init__(self):
        self.lock = threading.RLock()
        self.rows = {}
        self.values = {}
        self.counts = Counter()
        #: What servers have done, with the engine of each.
        self.events = []
        self.tokens = count(1)
        #: The engines of the servers that are taken for dead.
        self.dead = set()

    def engine(self, address):
        """What another server, which is to be reached at an address, has of it."""
        return MemoryEngine(self, address)

    def expel(self, engine):
        """Take a server for dead: it holds nothing any more, and what is due in its workspaces is told to others."""
        with self.lock:
            for name, row in self.rows.items():
                if row.holder is engine:
                    engine.gone.add(name)
                    row.holder = row.token = None
                    if row.outline is not None:
                        self.events.append((None, Known(row.outline)))

    def steal(self, name):
        """Let a workspace be held by nobody, whoever has held it."""
        with self.lock:
            row = self.rows[name]
            row.holder = row.token = None


class MemoryEngine:
    """What one server has of `SharedBytes`; `trouble` says why nothing can be read or written."""

    kind = "redis"
    size = 0

    def __init__(self, shared, address):
        self._shared, self.place = shared, address
        self._tokens = {}
        self._seen = len(shared.events)
        self.trouble = None
        #: Whether the next write is done, and its answer lost.
        self.loses_answer = False
        #: The batches that were written.
        self.batches = []
        #: Called once each before the next write.
        self.meanwhile = []
        #: What it has lost as it was taken for dead.
        self.gone = set()

    @property
    def failure(self):
        return self.trouble

    def lost(self):
        found, self.gone = self.gone, set()
        return found

    # ------------------------------------------------------------------ writing

    def write(self, batch):
        while self.meanwhile:
            self.meanwhile.pop()()
        with self._reached():
            lost = {outline.name for outline, _ in batch.workspaces if not self._holds(outline.name)}
            for name in batch.removed:
                self._remove(name, stays=any(outline.name == name for outline, _ in batch.workspaces))
            for outline, changes in batch.workspaces:
                if outline.name not in lost:
                    self._write(outline, changes)
            for name, value in batch.values.items():
                self._set(name, value)
            self._shared.counts.update(batch.counts)
            self.batches.append(batch)
            if self.loses_answer:
                self.loses_answer = False
                raise EngineError("the connection was closed before the answer had come")
        return lost

    def _write(self, outline, changes):
        row = self._shared.rows[outline.name] = self._shared.rows.pop(outline.name)
        is_news = row.outline is None or list(row.outline.keys) != list(outline.keys)
        row.write(outline, changes)
        if is_news:
            self._tell(Known(row.told))

    def _remove(self, name, *, stays):
        row = self._shared.rows.get(name)
        if row is None or (row.holder is not None and not self._holds(name)):
            return
        if stays:
            self._shared.rows[name] = _Row(holder=row.holder, token=row.token)
        else:
            del self._shared.rows[name]
        if row.outline is not None:
            self._tell(Departed(name, "dropped"))

    def _set(self, name, value):
        if value is None:
            self._shared.values.pop(name, None)
        else:
            self._shared.values[name] = value

    # ------------------------------------------------------------------ reading

    def outlines(self):
        with self._reached():
            self._seen = len(self._shared.events)
            return [row.told for row in self._shared.rows.values() if row.outline is not None]

    def read(self, name):
        with self._reached():
            return self._row(name).stored()

    def names(self):
        with self._reached():
            return [name for name, row in self._shared.rows.items() if row.outline is not None]

    def parts(self, names, part):
        with self._reached():
            rows = ((name, self._shared.rows.get(name)) for name in names)
            return {name: row.parts[part] for name, row in rows if row is not None and part in row.parts}

    def values(self):
        with self._reached():
            return dict(self._shared.values)

    def value(self, name, draw):
        with self._reached():
            return self._shared.values.setdefault(name, draw)

    def counts(self):
        with self._reached():
            return dict(self._shared.counts)

    def clear_counts(self):
        with self._reached():
            self._shared.counts.clear()
            self._tell(Cleared())

    # ------------------------------------------------------------------ holding

    def take(self, name):
        with self._reached():
            row = self._shared.rows.get(name)
            if row is not None and row.holder not in (None, self):
                raise HeldElsewhereError(name, row.holder.place)
            row = self._row(name)
            self._hold(name, row)
            return row.stored()

    def claim(self, name):
        with self._reached():
            row = self._shared.rows.setdefault(name, _Row())
            if row.outline is not None or row.holder not in (None, self):
                return False
            if not self._holds(name):
                self._hold(name, row)
            return True

    def evict(self, name):
        with self._reached():
            row = self._shared.rows.pop(name, None)
            has_gone = row is not None and row.outline is not None
            if has_gone:
                self._tell(Departed(name, "evicted"))
            return has_gone

    def let_go(self, outline):
        with self._reached():
            if self._holds(outline.name):
                row = self._shared.rows[outline.name]
                row.outline, row.holder, row.token = outline, None, None
                self._tell(Known(outline))

    def news(self):
        with self._reached():
            events, self._seen = self._shared.events[self._seen :], len(self._shared.events)
            return [event for teller, event in events if teller is not self]

    def close(self):
        """Hold nothing any more."""
        self._shared.expel(self)
        self.trouble = f"{self.place} is closed"

    # ------------------------------------------------------------------ rows

    def _reached(self):
        """The lock of what is shared, if that can be reached."""
        if self.trouble is not None:
            raise EngineError(self.trouble)
        return self._shared.lock

    def _row(self, name):
        row = self._shared.rows.get(name)
        if row is None or row.outline is None:
            raise NoWorkspaceError(f"{self.place} holds no workspace {name}")
        return row

    def _hold(self, name, row):
        row.holder, row.token = self, next(self._shared.tokens)
        self._tokens[name] = row.token

    def _holds(self, name):
        row = self._shared.rows.get(name)
        return row is not None and row.token is not None and row.token == self._tokens.get(name)

    def _tell(self, news):
        self._shared.events.append((self, news))
