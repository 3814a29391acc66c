"""What the scripts give, as records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mockserver.core.workspaces.keeping import Cleared, Departed, Known, News, Outline
from mockserver.storage import outlines
from mockserver.storage.records.changes import Entry, Stored
from mockserver.storage.records.packing import unseal


def outline(name: bytes, content: bytes) -> Outline:
    """The outline of a workspace.

    Raises:
        UnreadableError: it is not what was written.
    """
    return outlines.decode(name.decode(), unseal(content))


def mapping(flat: Sequence[bytes]) -> Mapping[str, bytes]:
    """Fields with what they hold, one after the other, as a mapping."""
    return dict(zip((field.decode() for field in flat[::2]), flat[1::2], strict=True))


def stored(flat: Sequence[bytes]) -> Stored:
    """All that is held of a workspace, whose fields are told apart by what they begin with."""
    parts: dict[str, bytes] = {}
    logs: dict[str, list[Entry]] = {}
    for field, content in mapping(flat).items():
        kind, _, name = field.partition(":")
        if kind == "p":
            parts[name] = content
        elif kind == "e":
            log, _, position = name.rpartition(":")
            logs.setdefault(log, []).append((int(position), content))
    return Stored(parts, {log: sorted(entries) for log, entries in logs.items()})


def news(rows: Iterable[tuple[bytes, bytes, bytes]]) -> list[News]:
    """What servers have done: kind, name and content of each event.

    Raises:
        UnreadableError: an outline is not what was written.
    """
    found: list[News] = []
    for kind, name, content in rows:
        if kind == b"known":
            found.append(Known(outline(name, content)))
        elif kind == b"cleared":
            found.append(Cleared())
        else:
            found.append(Departed(name.decode(), kind.decode()))
    return found
