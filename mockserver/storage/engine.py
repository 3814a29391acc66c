"""The interface of engines: reading and writing workspaces, each as fields of bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

from mockserver.core.workspaces.storage import Outline

#: The version that stands for any, where a row or a removal names the version on which it builds.
ANY_VERSION = "*"
#: The advice for a store of another version.
UPGRADE = (
    "let the version that wrote it write documents (mockserver store export), and this one make a new store of them "
    "(mockserver store import)"
)
#: The first letters of the names of fields: parts, which are replaced as a whole; entries of logs, as `e:LOG:POSITION`;
#: and API keys, valid and revoked, which lead to the workspace.
PART, ENTRY, KEY = "p:", "e:", "k:"


class EngineError(Exception):
    """A store cannot be opened, read or written.

    The message is a sentence for users without full stop. The same call may succeed later, for example after a full
    disk has room again.
    """


class DamagedError(EngineError):
    """Damaged contents of the store, or of one workspace."""


class NoWorkspaceError(EngineError):
    """A workspace that the store does not hold."""


class ConflictError(BaseException):
    """Another server has changed a workspace: the step has to run again on the newer state.

    Derives from `BaseException`, so that error handlers ignore it.
    """

    def __init__(self, names: Collection[str]) -> None:
        super().__init__(names)
        #: The names of the workspaces.
        self.names = names


class Changes(NamedTuple):
    """The fields of a workspace that differ from the engine's."""

    #: The new or changed fields by name.
    fields: Mapping[str, bytes] = MappingProxyType({})
    #: The names of the fields to delete.
    gone: Collection[str] = ()

    def __bool__(self) -> bool:
        return bool(self.fields or self.gone)

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return sum(map(len, self.fields.values()))


class Row(NamedTuple):
    """A new or changed workspace."""

    name: str
    changes: Changes
    #: The version on which the changes build; empty: the workspace is new; `*`: any.
    base: str = ""
    #: When a timer or lease is due, in seconds since 1970; None without one.
    due_at: float | None = None


class Batch(NamedTuple):
    """The contents of one transaction, in memory; the caller limits the size."""

    #: The version of each workspace to remove, by name; `*`: any. Removals come before writes.
    removed: Mapping[str, str] = MappingProxyType({})
    #: The workspace that was used longest ago first.
    rows: Sequence[Row] = ()
    #: Numbers to add to the counts of the store, by name.
    counts: Mapping[str, int] = MappingProxyType({})
    #: A random text that no other batch has: part of the versions that this one makes.
    nonce: str = ""

    def __bool__(self) -> bool:
        return bool(self.removed or self.rows or self.counts)


class Newer(NamedTuple):
    """The changes of a workspace since a version."""

    version: str
    fields: Mapping[str, bytes]
    #: The names of deleted fields.
    gone: Collection[str] = ()
    #: Whether `fields` are all fields of the workspace.
    is_whole: bool = True


class Header(NamedTuple):
    """The description of a store."""

    #: A digest of how workspaces are written as bytes.
    layout: str
    #: The program that has written it last, with its version.
    writer: str


class Engine(Protocol):
    """A store of workspaces. Every method may raise `EngineError`."""

    @property
    def kind(self) -> str:
        """The engine's name in the setting `store`: `sqlite` or `redis`."""

    @property
    def place(self) -> str:
        """The location of the store for users, without secrets."""

    @property
    def size(self) -> int:
        """The size of the store in bytes, as far as known."""

    @property
    def failure(self) -> str | None:
        """The reason why the store is unusable, as a sentence for users, or None."""

    @property
    def header(self) -> Header:
        """The description of the store."""

    def write(self, batch: Batch) -> None:
        """Write a batch atomically.

        Raises:
            ConflictError: a workspace has another version than the batch names, or another server has its turn to write
                it; nothing was written.
            EngineError: nothing was written, or it is unknown whether all of it was.
        """

    def read(self, name: str, version: str = "") -> Newer | None:
        """Return the changes of a workspace since a version, or None without changes.

        Args:
            name: the name of the workspace.
            version: the version that is known; empty: none, and all fields are returned.

        Raises:
            NoWorkspaceError: the store does not hold it.
        """

    def outlines(self) -> Sequence[Outline]:
        """Return all workspaces with their keys, least recently written first."""

    def field(self, names: Collection[str], field: str) -> Mapping[str, bytes]:
        """Return one field of several workspaces by name; workspaces without the field are left out."""

    def sizes(self) -> Mapping[str, int]:
        """Return the size of each workspace in bytes, by name."""

    def value(self, name: str, draw: bytes | None = None) -> bytes | None:
        """Return a value of the store; a missing value is set to `draw` unless `draw` is None."""

    def counts(self) -> Mapping[str, int]:
        """Return all counters by name."""

    def clear_counts(self) -> None:
        """Delete all counters."""

    def close(self) -> None:
        """Release all resources; later calls raise `EngineError`."""


class SharedEngine(Engine, Protocol):
    """An engine for several servers; each write changes a workspace's version."""

    @property
    def server(self) -> str:
        """The random id of this server."""

    def names(self) -> Sequence[str]:
        """Return all workspace names, least recently written first."""

    def homes(self, key: str) -> Sequence[str]:
        """Return the workspaces of an API key, the oldest first."""

    def changes(self) -> Iterator[tuple[str, str]]:
        """Yield name and version of written workspaces, until `close`; some writes may be missing."""

    def due(self) -> Sequence[str]:
        """Return some workspaces with due timers or expired leases."""

    def living(self, servers: Collection[str]) -> Collection[str]:
        """Return the servers with a recent heartbeat."""

    def order(self, name: str) -> bool:
        """Take the lock that orders conflicting servers: other servers cannot write the workspace for a short time.

        Return False if another server has it.
        """

    def let_go(self, name: str) -> None:
        """Release the lock of `order`."""

    def remember(self, name: str, seconds: int) -> None:
        """Remember a name for some seconds."""

    def remembers(self, name: str) -> bool:
        """Return whether a name is remembered."""

    def forget(self, name: str) -> None:
        """Forget a remembered name."""
