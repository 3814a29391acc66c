"""`store info`: what is in a store, what it takes, and who uses it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.cli.framework import command, option
from mockserver.cli.framework.output import as_json as to_json
from mockserver.cli.framework.output import echo, paint, printable, table
from mockserver.cli.options import JSON
from mockserver.cli.stores.loading import damages_of
from mockserver.cli.stores.opening import STORE, inspected, is_database, opened
from mockserver.cli.stores.sizes import shown


@command(
    STORE,
    option(
        "--check", action="store_true", help="Read all of it, and tell what is damaged; exit status 1 if anything is."
    ),
    JSON,
)
def info(path: str, check: bool, as_json: bool) -> int:
    """What a store holds, and what that takes: `mockserver store info --check store.db`.

    Servers may use a database meanwhile: they, and what each of them holds, are told, too.
    """
    found = _of_database(path, check=check) if is_database(path) else _of_file(path, check=check)
    echo(to_json(found, indent=2) if as_json else _shown(found))
    for sentence in found.get("damages", ()):
        echo(printable(sentence), err=True)
    return 1 if found.get("damages") else 0


def _of_file(path: str, *, check: bool) -> dict[str, Any]:
    """What is known of a file, as `--json` prints it."""
    from mockserver.storage.records.layout import layout

    with opened(path) as engine:
        room, sizes = engine.room(), engine.sizes()
        return {
            "path": engine.place,
            "bytes": room.bytes,
            "free_bytes": room.free,
            "written_by": engine.header.writer,
            "readable": engine.header.layout == layout(),
            "workspaces": [
                {"name": row.name, "bytes": sizes[row.name], "keys": len(row.keys)}
                for row in reversed(engine.outlines())
            ],
            **({"damages": engine.damages()} if check else {}),
        }


def _of_database(url: str, *, check: bool) -> dict[str, Any]:
    """What is known of the store in a database, as `--json` prints it."""
    from mockserver.storage.records.layout import layout

    with inspected(url) as store:
        survey = store.survey()
        sizes = store.sizes([row.name for row in survey.outlines])
        is_readable = survey.layout == layout()
        return {
            "path": store.place,
            "bytes": sum(sizes.values()),
            "written_by": survey.writer,
            "readable": is_readable,
            "servers": survey.servers,
            "workspaces": [
                {
                    "name": row.name,
                    "bytes": sizes[row.name],
                    "keys": len(row.keys),
                    "held_by": survey.holders.get(row.name),
                }
                for row in reversed(survey.outlines)
            ],
            **({"damages": damages_of(store, is_readable=is_readable)} if check else {}),
        }


def _shown(found: Mapping[str, Any]) -> str:
    readable = "which this version reads" if found["readable"] else "in a layout that this version cannot read"
    is_file = "free_bytes" in found
    free = f", of which {shown(found['free_bytes'])} are free" if is_file else ""
    lines = [
        ("file" if is_file else "database", found["path"]),
        ("size", f"{shown(found['bytes'])}{free}"),
        ("written by", f"{found['written_by']}, {readable}"),
        ("servers", "" if is_file else ", ".join(found["servers"]) or "none"),
        ("damages", "none" if found.get("damages") == [] else _number(found.get("damages"))),
    ]
    told = [f"{paint(f'{name:10}', 'soft')}  {printable(text)}" for name, text in lines if text]
    return "\n".join([*told, _workspaces(found["workspaces"], is_file=is_file)])


def _workspaces(rows: Sequence[Mapping[str, Any]], *, is_file: bool) -> str:
    columns = ("workspace", "size", "keys", *(() if is_file else ("held by",)))
    told = [(row["name"], shown(row["bytes"]), row["keys"], row.get("held_by") or "") for row in rows]
    return table(columns, [row[: len(columns)] for row in told])


def _number(damages: Sequence[str] | None) -> str:
    return f"{len(damages)}, told below" if damages else ""
