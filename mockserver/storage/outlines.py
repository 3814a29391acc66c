"""Outlines as bytes, for the engines."""

from __future__ import annotations

import json

from mockserver.core.workspaces.keeping import Outline


def encode(outline: Outline) -> bytes:
    """An outline as bytes, without the name."""
    return json.dumps(outline[1:]).encode()


def decode(name: str, content: bytes) -> Outline:
    """The outline of a workspace of these bytes, whose checksum is right."""
    return Outline(name, *json.loads(content))
