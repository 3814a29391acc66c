"""`store`: inspect, export and import SQLite files or Redis databases."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockserver.cli.options import JSON
from mockserver.cli.output import echo, fail, paint, printable, table
from mockserver.cli.program import Group, Misused, argument, option
from mockserver.settings import files

if TYPE_CHECKING:
    from mockserver.core.workspaces.workspace import Workspace, WorkspaceLimits
    from mockserver.storage.engine import Engine

#: The beginnings of the addresses of databases; a file may begin with `sqlite:` as in `--store`.
_DATABASES, _SQLITE = ("redis:", "rediss:"), "sqlite:"
#: The most parts of a document: the file is the user's own.
_MOST_PARTS = 10_000_000
_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STORE = argument(
    "path",
    metavar="STORE",
    type=click.Path(),
    help="The file, also as --store names it: sqlite:FILE; or a database: redis://HOST:PORT/DB.",
)


store = Group("store", help="Inspect, export and import a store: a SQLite file or a Redis database.")


# ------------------------------------------------------------------ opening


@contextmanager
def _opened(path: str, *, layout: str | None = None, create: bool = False) -> Iterator[Engine]:
    """Open a store for a `with` block; `layout` is the required layout (None: any)."""
    from mockserver.storage.engine import EngineError

    try:
        with closing(_engine(path, layout, create)) as engine:
            yield engine
    except EngineError as error:
        raise Misused(str(error)) from error


def _engine(path: str, layout: str | None, create: bool) -> Engine:
    from mockserver import __version__

    writer = f"mockserver {__version__}" if layout else ""
    if not path.startswith(_DATABASES):
        from mockserver.storage.sqlite_engine import Engine as File

        return File(path.removeprefix(_SQLITE), layout=layout, writer=writer, create=create)
    from mockserver.app.workspaces import check_client
    from mockserver.core.workspaces.storage import StorageError

    try:
        check_client()
    except StorageError as error:
        raise Misused(str(error)) from error
    from mockserver.storage.redis_engine import Engine as Database

    return Database(path, layout=layout or "", writer=writer, is_server=create)


def _loaded(engine: Engine, name: str) -> Workspace | str:
    """Load a workspace, or return a sentence about its damage."""
    from mockserver.resources.registry import PARTS
    from mockserver.storage.engine import DamagedError
    from mockserver.storage.packing import UnreadableError
    from mockserver.storage.records import load

    try:
        found = engine.read(name)
        assert found is not None, "no version is known"
        return load(name, found.fields, parts=PARTS, limits=_unlimited())
    except DamagedError as error:
        return str(error)
    except UnreadableError as error:
        return f"workspace {name} of {engine.place} cannot be read: {error}"


def _unlimited() -> WorkspaceLimits:
    """Return unlimited limits: a server applies its own limits when loading."""
    from mockserver.core.workspaces.workspace import WorkspaceLimits

    return WorkspaceLimits(*[1 << 40] * len(WorkspaceLimits._fields))


# ------------------------------------------------------------------ info


@store.command("info")
@_STORE
@option("--check", is_flag=True, help="Read everything, and list what is damaged; exit status 1 if anything is.")
@JSON
def info(path: str, check: bool, as_json: bool) -> int:
    """Show the workspaces and the size of a store: `mockserver store info --check store.db`.

    Servers may use a database meanwhile.
    """
    from mockserver.storage.packing import layout

    is_database = path.startswith(_DATABASES)
    with _opened(path) as engine:
        header, sizes = engine.header, engine.sizes()
        outlines = [outline for outline in reversed(engine.outlines()) if outline.name in sizes]
        found: dict[str, Any] = {
            "path": engine.place,
            "bytes": sum(sizes.values()) if is_database else engine.size,
            "written_by": header.writer,
            "readable": header.layout == layout(),
            "workspaces": [{"name": row.name, "bytes": sizes[row.name], "keys": len(row.keys)} for row in outlines],
        }
        if check:
            found["damages"] = list(_damages(engine, found))
    echo(json.dumps(found, indent=2) if as_json else _shown(found, "database" if is_database else "file"))
    for sentence in found.get("damages", ()):
        echo(printable(sentence), err=True)
    return 1 if found.get("damages") else 0


def _damages(engine: Engine, found: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence per damage; workspaces are only checked in a readable layout."""
    from mockserver.storage.engine import NoWorkspaceError
    from mockserver.storage.sqlite_engine import Engine as File

    if isinstance(engine, File):
        yield from engine.damages()
    for row in found["workspaces"] if found["readable"] else ():
        try:
            workspace = _loaded(engine, row["name"])
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
    """Return a number of bytes in the largest unit that fits: `20.5 kB`."""
    unit = 0
    while number >= 1000 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.0f} bytes" if unit == 0 else f"{number:.1f} {_UNITS[unit]}"


# ------------------------------------------------------------------ export


@store.command("export")
@_STORE
@argument(
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where the documents go, NAME.yaml each; it is made if need be. Only its owner can read them.",
)
@argument("names", nargs=-1, metavar="NAME", help="The workspaces; without one, all.")
@option(
    "--format",
    "suffix",
    type=click.Choice(("yaml", "json")),
    default="yaml",
    help="JSON is written and read many times as fast.",
)
@JSON
def export(path: str, folder: Path, names: Sequence[str], suffix: str, as_json: bool) -> int:
    """Write the state of each workspace as a scenario: `mockserver store export store.db documents`.

    A document is what `mockserver state get` prints, and any version can load it. Journal, mailbox, snapshots,
    coverage and calls to receivers are not exported.

    Servers can use a database meanwhile. Damaged workspaces are left out and listed, with exit status 1.
    """
    from mockserver.storage.engine import NoWorkspaceError
    from mockserver.storage.packing import layout

    written, damages = [], []
    with _opened(path, layout=layout()) as engine:
        for name in names or [outline.name for outline in engine.outlines()]:
            try:
                found = _loaded(engine, name)
            except NoWorkspaceError:
                if names:
                    raise
                continue  # a server has dropped it meanwhile
            if isinstance(found, str):
                damages.append(found)
            else:
                _write(folder / f"{name}.{suffix}", found)
                written.append(name)
    told = f"workspaces written to {folder}: {len(written)}"
    echo(json.dumps({"written": written, "damages": damages}) if as_json else printable(told))
    for sentence in damages:
        echo(printable(sentence), err=True)
    return 1 if damages else 0


def _write(file: Path, workspace: Workspace) -> None:
    """Write a workspace to a new private file (it contains keys and codes)."""
    from mockserver.resources.section import write_instant
    from mockserver.scenario.dump import dump, to_yaml

    text = json.dumps(dump(workspace), indent=1, default=write_instant) + "\n"
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(text if file.suffix == ".json" else to_yaml(json.loads(text)))
    except OSError as error:
        raise Misused(f"{file} cannot be written: {error.strerror}") from error


# ------------------------------------------------------------------ import


@store.command("import")
@_STORE
@argument(
    "sources", nargs=-1, required=True, metavar="SOURCE", type=click.Path(), help="Documents, or folders of them."
)
@JSON
def import_(path: str, sources: Sequence[str], as_json: bool) -> None:
    """Write the scenarios of `store export`, or others, to a store: `mockserver store import new.db documents`.

    A workspace is named after its file. A new file is written; to a database the workspaces are added unless it has one
    of these names. If a document has a mistake, nothing is written.
    """
    from mockserver.storage.engine import Batch, ConflictError, Row
    from mockserver.storage.packing import layout
    from mockserver.storage.records import Written, due_at

    workspaces = list(_workspaces(sources))
    rows = [Row(found.name, Written(found).changes(), due_at=due_at(found)) for found in workspaces]
    with _opened(path, layout=layout(), create=True) as engine:
        place = engine.place
        if not path.startswith(_DATABASES) and engine.outlines():
            raise Misused(f"{place} holds workspaces already: name a new file")
        try:
            engine.write(Batch(rows=rows))
        except ConflictError as conflict:
            taken = next(iter(conflict.names))
            raise Misused(f"{place} holds a workspace {taken} already, and nothing was written") from None
    names = [row.name for row in rows]
    echo(json.dumps({"path": place, "imported": names}) if as_json else f"workspaces in {place}: {len(names)}")


def _workspaces(sources: Iterable[str]) -> Iterator[Workspace]:
    """Load a workspace from each document, named after its file."""
    from mockserver.core.workspaces.store import NAME

    files: dict[str, Path] = {}
    for file in _files(sources):
        if not NAME.fullmatch(file.stem):
            raise Misused(f"{file.stem!r} is not a name that a workspace can have ({file})")
        if file.stem in files:
            raise Misused(f"duplicate workspace {file.stem}: {files[file.stem]} and {file}")
        files[file.stem] = file
        yield _workspace(file)


def _workspace(file: Path) -> Workspace:
    from mockserver.scenario.documents.mistakes import ScenarioError
    from mockserver.scenario.documents.reading import Bounds, parse
    from mockserver.scenario.load import load

    try:
        document = parse(files.read_bytes(file).decode(), str(file), Bounds(parts=_MOST_PARTS))
        found = load(document, name=file.stem, title=file.stem, limits=_unlimited())
    except OSError as error:
        raise Misused(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Misused(f"{file} is not UTF-8 at byte {error.start}") from error
    except ScenarioError as error:
        fail(str(error), 2)
    found.origin = found.origin._replace(scenario=document)
    return found


def _files(sources: Iterable[str]) -> Iterator[Path]:
    for source in map(Path, sources):
        found = sorted(row for row in source.iterdir() if files.is_scenario(row.name)) if source.is_dir() else [source]
        if not found:
            raise Misused(f"{source} has no documents: their names end in {', '.join(files.SCENARIOS)}")
        yield from found
