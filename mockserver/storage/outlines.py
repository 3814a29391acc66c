"""Outlines as bytes, for the engines."""

from __future__ import annotations

import json

from mockserver.core.workspaces.keeping import Outline
from mockserver.core.workspaces.store import NAME
from mockserver.storage.records.unreadable import UnreadableError


def encode(outline: Outline) -> bytes:
    """An outline as bytes, without the name."""
    return json.dumps(outline[1:]).encode()


def decode(name: str, content: bytes) -> Outline:
    """Return the outline of a workspace, made of bytes whose checksum is right.

    Raises:
        UnreadableError: no workspace can have this name.
    """
    check_name(name)
    return Outline(name, *json.loads(content))


def check_name(name: str) -> None:
    """Refuse a name that no workspace can have: commands make file names of it.

    Raises:
        UnreadableError: it is such a name.
    """
    if not NAME.fullmatch(name):
        raise UnreadableError(f"{name!r} is not a name that a workspace can have")
