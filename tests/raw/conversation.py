"""Conversations of the corpus: what a client sends over one connection, and what came back; how YAML holds them.

Bytes are written as text: the end of a line is CRLF, and a backslash begins what cannot be seen (`\\n` is a LF by
itself, `\\xff` a byte, `\\\\` a backslash).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).with_name("corpus")
#: How the connection ends: it stays open, the server closes it, or resets it, or the client leaves before that is seen.
OPEN, CLOSED, RESET, LEFT = "open", "closed", "reset", "left"

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
_BYTES = {text[1]: byte for byte, text in _ESCAPES.items()}
#: What is seen badly in a text, or is refused in a block of YAML: a space at the end of a line is, too.
_UNSEEN = re.compile(r"[^ -\[\]-~]| (?=\r\n|\Z)")
_ESCAPED = re.compile(r"\\(?:x([0-9a-f]{2})|(.))|\n", re.DOTALL)


def as_text(data: bytes) -> str:
    """Bytes as a text that can be read."""
    lines = re.split(r"\r\n", data.decode("latin-1"))
    return "\n".join(_seen(line) for line in lines)


def _seen(line: str) -> str:
    return _UNSEEN.sub(lambda found: _ESCAPES.get(found[0], f"\\x{ord(found[0]):02x}"), line)


def as_bytes(text: str) -> bytes:
    """The bytes that a text stands for."""
    return _ESCAPED.sub(_unescaped, text).encode("latin-1")


def _unescaped(found: re.Match[str]) -> str:
    if found[0] == "\n":
        return "\r\n"
    return chr(int(found[1], 16)) if found[1] else _BYTES[found[2]]


@dataclass
class Conversation:
    """What goes over one connection, with a server in the state of its start."""

    name: str
    #: Steps: a text to send, or a mapping (`playback.py` tells which there are).
    send: list[Any]
    #: The server that is asked, of `SERVERS`.
    server: str = "standard"
    #: Control calls that come before, as `{"POST /_mock/faults": body}`.
    before: list[dict[str, Any]] = field(default_factory=list)
    #: What came back, without what differs each time.
    back: str = ""
    end: str = OPEN


def conversations(path: Path) -> list[Conversation]:
    """The conversations of a file."""
    rows = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)  # the safe one, in C
    return [Conversation(**{**row, "send": _listed(row["send"])}) for row in rows]


def corpus() -> dict[str, list[Conversation]]:
    """All conversations by the class to which they belong."""
    return {path.stem: conversations(path) for path in sorted(FOLDER.glob("*.yaml"))}


def sample(rows: dict[str, Conversation], size: int = 50) -> dict[str, Conversation]:
    """About `size` conversations out of all classes."""
    return {name: rows[name] for name in list(rows)[:: max(len(rows) // size, 1)]}


def _listed(send: Any) -> list[Any]:
    return send if isinstance(send, list) else [send]


def put(path: Path, rows: list[Conversation]) -> None:
    """Write the conversations of a file."""
    text = yaml.dump([_mapping(row) for row in rows], Dumper=_Dumper, sort_keys=False, width=10_000)
    path.write_text(text.replace("\n- name:", "\n\n- name:"), encoding="utf-8")


def _mapping(row: Conversation) -> dict[str, Any]:
    """A conversation without what needs not be said."""
    found: dict[str, Any] = {"name": row.name}
    if row.server != "standard":
        found["server"] = row.server
    if row.before:
        found["before"] = row.before
    found["send"] = row.send[0] if len(row.send) == 1 else row.send
    return {**found, "back": row.back, "end": row.end}


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)
