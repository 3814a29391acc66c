"""What a keeper asks of an engine: to read and write workspaces, each as fields of bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

from mockserver.core.workspaces.storage import Outline

#: The version that stands for any, where a row or a removal names the version on which it builds.
ANY_VERSION = "*"
#: How to go on with a store of another version.
UPGRADE = (
    "let the version that wrote it write documents (mockserver store export), and this one make a new store of them "
    "(mockserver store import)"
)
#: The first letters of the names of fields: parts, which are replaced as a whole; entries of logs, as `e:LOG:POSITION`;
#: and API keys, valid and revoked, which lead to the workspace.
PART, ENTRY, KEY = "p:", "e:", "k:"


class EngineError(Exception):
    """A store cannot be opened, read or written; the message is a sentence for users without its full stop.

    The same call may succeed later, for example when a full disk has room again.
    """


class DamagedError(EngineError):
    """The store, or one workspace in it, does not hold what was written."""


class NoWorkspaceError(EngineError):
    """The store does not hold the workspace."""


class ConflictError(BaseException):
    """Another server has changed a workspace in the meantime: the step has to run again on the newer state.

    A `BaseException`, so that no handler of errors takes it for an error.
    """

    def __init__(self, names: Collection[str]) -> None:
        super().__init__(names)
        #: The names of the workspaces.
        self.names = names


class Changes(NamedTuple):
    """The fields of a workspace that differ from what the engine holds."""

    #: The new or changed fields by name.
    fields: Mapping[str, bytes] = MappingProxyType({})
    #: The names of the fields to delete.
    gone: Collection[str] = ()

    def __bool__(self) -> bool:
        return bool(self.fields or self.gone)

    @property
    def size(self) -> int:
        """About how many bytes they take."""
        return sum(map(len, self.fields.values()))


class Row(NamedTuple):
    """A new or changed workspace."""

    name: str
    changes: Changes
    #: The version on which the changes build; empty: the workspace is new; `*`: any.
    base: str = ""
    #: When a server has to look at the workspace, in seconds since 1970; None: never.
    due_at: float | None = None


class Batch(NamedTuple):
    """What one transaction writes; all of it is in memory, so that whoever makes a batch bounds it."""

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
    """What is new in a workspace since a version."""

    version: str
    fields: Mapping[str, bytes]
    #: The names of the fields that were deleted since then.
    gone: Collection[str] = ()
    #: Whether `fields` are all fields of the workspace.
    is_whole: bool = True


class Header(NamedTuple):
    """What a store says about itself."""

    #: A digest of how workspaces are written as bytes.
    layout: str
    #: The program that has written it last, with its version.
    writer: str


class Engine(Protocol):
    """A store of workspaces. Every method may raise `EngineError`."""

    @property
    def kind(self) -> str:
        """The kind of the engine, as the setting `store` names it: `sqlite` or `redis`."""

    @property
    def place(self) -> str:
        """Where the store is, for users; without secrets."""

    @property
    def size(self) -> int:
        """How many bytes the store takes, as far as known."""

    @property
    def failure(self) -> str | None:
        """Why the store cannot be used at present, as a sentence for users, or None."""

    @property
    def header(self) -> Header:
        """What the store says about itself."""

    def write(self, batch: Batch) -> None:
        """Write a batch: all of it, or nothing.

        Raises:
            ConflictError: a workspace has another version than the batch names, or another server has its turn to write
                it; nothing was written.
            EngineError: nothing was written, or it is unknown whether all of it was.
        """

    def read(self, name: str, version: str = "") -> Newer | None:
        """Return what is new in a workspace since a version, or None if nothing is.

        Args:
            name: the name of the workspace.
            version: the version that is known; empty: none, and all fields are returned.

        Raises:
            NoWorkspaceError: the store does not hold it.
        """

    def outlines(self) -> Sequence[Outline]:
        """Return all workspaces with their keys, the one written longest ago first."""

    def field(self, names: Collection[str], field: str) -> Mapping[str, bytes]:
        """Return one field of several workspaces by their names; without those that have no such field."""

    def sizes(self) -> Mapping[str, int]:
        """Return how many bytes each workspace takes, by name."""

    def value(self, name: str, draw: bytes | None = None) -> bytes | None:
        """Return a value of the store; if there is none, store and return `draw` unless it is None."""

    def counts(self) -> Mapping[str, int]:
        """Return the counts of the store, by name."""

    def clear_counts(self) -> None:
        """Delete all counts."""

    def close(self) -> None:
        """Release everything; later calls raise `EngineError`."""


class SharedEngine(Engine, Protocol):
    """An engine that several servers use at the same time; each write gives a workspace another version."""

    @property
    def server(self) -> str:
        """The random id of this server."""

    def names(self) -> Sequence[str]:
        """Return the names of all workspaces, the one written longest ago first."""

    def homes(self, key: str) -> Sequence[str]:
        """Return the names of the workspaces that have an API key, the one that has had it longest first."""

    def changes(self) -> Iterator[tuple[str, str]]:
        """Yield name and version of each workspace that any server writes, until `close`; some may be left out."""

    def due(self) -> Sequence[str]:
        """Return the names of some workspaces at which a server has to look now."""

    def living(self, servers: Collection[str]) -> Collection[str]:
        """Return the servers among these that have been heard of in the last seconds."""

    def order(self, name: str) -> bool:
        """Take the lock that orders servers in conflict: others cannot write the workspace for a short time.

        Return False if another server has it.
        """

    def let_go(self, name: str) -> None:
        """Release the lock that `order` has taken."""

    def remember(self, name: str, seconds: int) -> None:
        """Let `remembers` return True for a name for so many seconds."""

    def remembers(self, name: str) -> bool:
        """Return whether a name is remembered."""

    def forget(self, name: str) -> None:
        """Remember a name no longer."""
