"""`store info` and `store vacuum`: what is in the file of a store, and what it takes on the disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mockserver.cli.framework import command, option
from mockserver.cli.framework.output import as_json as to_json
from mockserver.cli.framework.output import echo, paint, printable, table
from mockserver.cli.options import JSON
from mockserver.cli.stores.opening import PATH, opened

if TYPE_CHECKING:
    from mockserver.storage.sqlite import Engine

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@command(
    PATH,
    option(
        "--check", action="store_true", help="Read all of it, and tell what is damaged; exit status 1 if anything is."
    ),
    JSON,
)
def info(path: str, check: bool, as_json: bool) -> int:
    """What a store holds, and what it takes on the disk: `mockserver store info --check store.db`."""
    with opened(path) as engine:
        found = _about(engine)
        damages = engine.damages() if check else None
    if damages is not None:
        found["damages"] = damages
    echo(to_json(found, indent=2) if as_json else _shown(found))
    for sentence in damages or ():
        echo(printable(sentence), err=True)
    return 1 if damages else 0


@command(PATH, JSON)
def vacuum(path: str, as_json: bool) -> None:
    """Give the room that nothing takes any more back to the disk, which has to have room for a copy meanwhile."""
    with opened(path) as engine:
        before = engine.room().bytes
        engine.vacuum()
        after = engine.room().bytes
        path = engine.place
    sizes = {"path": path, "bytes_before": before, "bytes": after}
    echo(to_json(sizes) if as_json else f"{path}: {_size(before)} before, {_size(after)} now")


def _about(engine: Engine) -> dict[str, Any]:
    """What is known of a store, as `--json` prints it."""
    from mockserver.storage.records.layout import layout

    room, sizes = engine.room(), engine.sizes()
    return {
        "path": engine.place,
        "bytes": room.bytes,
        "free_bytes": room.free,
        "written_by": engine.header.writer,
        "readable": engine.header.layout == layout(),
        "workspaces": [
            {"name": row.name, "bytes": sizes[row.name], "keys": len(row.keys)} for row in reversed(engine.outlines())
        ],
    }


def _shown(found: Mapping[str, Any]) -> str:
    readable = "which this version reads" if found["readable"] else "in a layout that this version cannot read"
    lines = [
        ("file", found["path"]),
        ("size", f"{_size(found['bytes'])}, of which {_size(found['free_bytes'])} are free"),
        ("written by", f"{found['written_by']}, {readable}"),
        ("damages", "none" if found.get("damages") == [] else _number(found.get("damages"))),
    ]
    told = [f"{paint(f'{name:10}', 'soft')}  {printable(text)}" for name, text in lines if text]
    rows = [(row["name"], _size(row["bytes"]), row["keys"]) for row in found["workspaces"]]
    return "\n".join([*told, table(("workspace", "size", "keys"), rows)])


def _number(damages: Sequence[str] | None) -> str:
    return f"{len(damages)}, told below" if damages else ""


def _size(number: float) -> str:
    """A number of bytes in the largest unit of which there is one: `20.5 kB`."""
    unit = 0
    while number >= 1000 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.0f} bytes" if unit == 0 else f"{number:.1f} {_UNITS[unit]}"
