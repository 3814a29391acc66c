"""What is read from a store in Redis, by servers and by commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.errors import EngineError, NoWorkspaceError
from mockserver.storage.records.changes import Stored
from mockserver.storage.records.packing import unseal
from mockserver.storage.redis import replies
from mockserver.storage.redis.batches import neutral, part_field
from mockserver.storage.redis.client import Argument, Client, Script
from mockserver.storage.redis.sentences import told

_READ, _PARTS, _OUTLINES, _NAMES = (Script(name) for name in ("read", "parts", "outlines", "names"))
_VALUES, _COUNTS = Script("values"), Script("counts")
#: How many workspaces are asked for at once, so that no other server waits for long.
_AT_ONCE = 500


def refuse(place: str, reply: Sequence[Any]) -> None:
    """Refuse to go on where a script has done nothing.

    Raises:
        EngineError: the store is of another version or layout, has lost its header, or is empty.
    """
    reason, facts = reply[0].decode(), reply[1:]
    if reason == "empty":
        raise EngineError(f"{place} holds no store: it was emptied, or none was ever made")
    if reason == "headless":
        raise EngineError(f"{place} holds keys that begin with mockserver:, and no header of a store")
    if reason == "format":
        raise EngineError(f"{place} is of format {_shown(facts[0])}, written by {_shown(facts[1])}: {_WAY}")
    if reason == "layout":
        raise EngineError(f"{place} was written by {_shown(facts[0])}, in another layout: {_WAY}")


def _shown(fact: bytes) -> str:
    """What a store says of itself, which a foreign program may have written."""
    return repr(fact.decode("utf-8", "backslashreplace"))[1:-1] or "another program"


#: How to go on with a store of another version.
_WAY = (
    "let the version that wrote it write documents (mockserver store export), and this one make a store of them in an "
    "empty database (mockserver store import)"
)


class Reader:
    """A store in Redis, to be read; several threads may read at the same time."""

    def __init__(self, client: Client, *, layout: str = "", server: str = "") -> None:
        """A store that a client reaches: of a layout, or of any.

        Args:
            client: what reaches it; it is closed with the reader.
            layout: of the bytes that are read; '' for any.
            server: the id of the server that reads, or ''.
        """
        self._client, self._layout, self.server = client, layout, server

    #: As the setting `store` names it.
    kind = "redis"

    @property
    def place(self) -> str:
        """The address of the store, without secrets."""
        return self._client.place

    def _run(self, script: Script, *arguments: Argument) -> tuple[str, Sequence[Any]]:
        """Run a script; returns whether it is `done`, or what else there is to say, and what it gives.

        Raises:
            EngineError: it has failed, or the store is not what it was.
        """
        reply = self._client.run(script, self._layout, self.server, *arguments)
        refuse(self.place, reply)
        return reply[0].decode(), reply[1:]

    def outlines(self) -> Sequence[Outline]:
        """All workspaces, the one written longest ago first; of one that is held, nothing is due or under way.

        Raises:
            EngineError: they cannot be read.
        """
        return [row for row, _ in self._outlines()[1]]

    def _outlines(self) -> tuple[int, list[tuple[Outline, bytes]]]:
        """The number of the last event that outlines know of, and each as it is told, with its bytes."""
        _, (event, rows) = self._run(_OUTLINES)
        with told(self.place):
            found = [(replies.outline(name, content), content, is_held) for name, content, is_held in rows]
        return event, [(neutral(row) if is_held else row, content) for row, content, is_held in found]

    def names(self) -> Sequence[str]:
        """The names of all workspaces, the one written longest ago first.

        Raises:
            EngineError: they cannot be read.
        """
        _, (names,) = self._run(_NAMES)
        return [name.decode() for name in names]

    def read(self, name: str) -> Stored:
        """All that is held of a workspace, whoever holds it.

        Raises:
            NoWorkspaceError: there is none.
            EngineError: it cannot be read.
        """
        word, found = self._run(_READ, name)
        if word == "missing":
            raise self._missing(name)
        return replies.stored(found[0])

    def _missing(self, name: str) -> NoWorkspaceError:
        return NoWorkspaceError(f"{self.place} holds no workspace {name}")

    def parts(self, names: Iterable[str], part: str) -> Mapping[str, bytes]:
        """One part of several workspaces, by their names; those that have no such part are left out.

        Raises:
            EngineError: it cannot be read.
        """
        found: dict[str, bytes] = {}
        wanted = list(names)
        for at in range(0, len(wanted), _AT_ONCE):
            some = wanted[at : at + _AT_ONCE]
            _, contents = self._run(_PARTS, part_field(part), *some)
            found |= {name: held for name, held in zip(some, contents, strict=True) if held is not None}
        return found

    def values(self) -> Mapping[str, bytes]:
        """The values of all servers, by name.

        Raises:
            DamagedError: one is not what was written.
            EngineError: they cannot be read.
        """
        _, (flat,) = self._run(_VALUES)
        with told(self.place):
            return {name: unseal(value) for name, value in replies.mapping(flat).items()}

    def counts(self) -> Mapping[str, int]:
        """What all servers have added to the counts, by their names.

        Raises:
            EngineError: they cannot be read.
        """
        _, (flat,) = self._run(_COUNTS)
        return {name: int(number) for name, number in replies.mapping(flat).items()}

    def close(self) -> None:
        """Close all connections; what is called after that raises `EngineError`."""
        self._client.close()
