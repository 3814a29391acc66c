"""`store info`: what a store holds, and how many bytes that takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mockserver.cli.options import JSON
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, paint, printable, table
from mockserver.cli.program import command, option
from mockserver.cli.stores.opening import STORE, is_database, loaded, opened

if TYPE_CHECKING:
    from mockserver.storage.engine import Engine

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@command("info")
@STORE
@option("--check", is_flag=True, help="Read all of it, and tell what is damaged; exit status 1 if anything is.")
@JSON
def info(path: str, check: bool, as_json: bool) -> int:
    """What a store holds, and what that takes: `mockserver store info --check store.db`.

    Servers may use a database meanwhile.
    """
    from mockserver.storage.packing import layout

    with opened(path) as store:
        header, sizes = store.header, store.sizes()
        outlines = [outline for outline in reversed(store.outlines()) if outline.name in sizes]
        found: dict[str, Any] = {
            "path": store.place,
            "bytes": sum(sizes.values()) if is_database(path) else store.size,
            "written_by": header.writer,
            "readable": header.layout == layout(),
            "workspaces": [
                {"name": outline.name, "bytes": sizes[outline.name], "keys": len(outline.keys)} for outline in outlines
            ],
        }
        if check:
            found["damages"] = list(_damages(store, found))
    echo(to_json(found, indent=2) if as_json else _shown(found, "database" if is_database(path) else "file"))
    for sentence in found.get("damages", ()):
        echo(printable(sentence), err=True)
    return 1 if found.get("damages") else 0


def _damages(store: Engine, found: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each damage of a store; of workspaces only if this version can read their layout."""
    from mockserver.storage.engine import NoWorkspaceError
    from mockserver.storage.sqlite_engine import Engine as File

    if isinstance(store, File):
        yield from store.damages()
    for row in found["workspaces"] if found["readable"] else ():
        try:
            workspace = loaded(store, row["name"])
        except NoWorkspaceError:
            continue  # a server has removed it meanwhile
        if isinstance(workspace, str):
            yield workspace


def _shown(found: Mapping[str, Any], kind: str) -> str:
    readable = "which this version reads" if found["readable"] else "in a layout that this version cannot read"
    damages = found.get("damages")
    lines = {
        kind: found["path"],
        "size": _size(found["bytes"]),
        "written by": f"{found['written_by']}, {readable}",
        "damages": f"{len(damages)}, told below" if damages else "" if damages is None else "none",
    }
    rows = [(row["name"], _size(row["bytes"]), row["keys"]) for row in found["workspaces"]]
    told = [f"{paint(f'{name:10}', 'soft')}  {printable(text)}" for name, text in lines.items() if text]
    return "\n".join([*told, table(("workspace", "size", "keys"), rows)])


def _size(number: float) -> str:
    """Return a number of bytes in the largest unit of which there is one: `20.5 kB`."""
    unit = 0
    while number >= 1000 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.0f} bytes" if unit == 0 else f"{number:.1f} {_UNITS[unit]}"
