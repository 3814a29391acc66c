"""The interface of engines: reading and writing workspaces, each as fields of bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
#: The prefixes of field names: parts of a workspace, entries of logs as `e:LOG:POSITION`, API keys that lead to it, and
#: those that open an account below its address only.
PART, ENTRY, KEY, LOCAL_KEY = "p:", "e:", "k:", "l:"


class EngineError(Exception):
    """A store cannot be opened, read or written.

    The message is a sentence for users without full stop. The same call may succeed later, for example after a full
    disk has room again.
    """


class DamagedError(EngineError):
    """Damaged contents of the store, or of one workspace."""


class NoWorkspaceError(EngineError):
    """The workspace is missing from the store."""


class ConflictError(BaseException):
    """Another server has changed a workspace: the step has to run again on the newer state.

    Derives from `BaseException`, so that error handlers ignore it.
    """

    def __init__(self, names: Collection[str]) -> None:
        super().__init__(names)
        self.names = names


class Changes(NamedTuple):
    """The fields of a workspace that differ from the engine's."""

    fields: Mapping[str, bytes] = MappingProxyType({})
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

    #: Whether traces may be missing, as a server has ended without saving them; `close` notes it for the next server.
    was_interrupted: bool

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
        """The reason for an unusable store, as a sentence for users, or None."""

    @property
    def header(self) -> Header:
        """The description of the store."""

    @property
    def is_alone(self) -> bool:
        """Whether this server uses the store exclusively: its copies in memory are current."""

    def write(self, *batches: Batch) -> None:
        """Write batches, one after the other, in one transaction; an empty one only shows whether that is possible.

        Raises:
            ConflictError: a workspace has another version than the batch names, or another server has its turn to write
                it; nothing was written.
            EngineError: nothing was written, or it is unknown whether all of it was.
        """

    def read(self, name: str, version: str = "") -> Newer | None:
        """Return the changes of a workspace since a version, or all fields without version; None without changes."""

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
