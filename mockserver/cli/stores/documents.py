"""`store export` and `store import`: the states of workspaces as scenarios, which other versions can read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mockserver.cli.options import JSON
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, printable
from mockserver.cli.program import Misused, argument, command, option
from mockserver.cli.stores.opening import STORE, is_database, loaded, opened, unlimited
from mockserver.settings import files

if TYPE_CHECKING:
    from mockserver.core.workspaces.workspace import Workspace
    from mockserver.storage.engine import Row

#: How documents are written, which is also how their files end.
_FORMATS = ("yaml", "json")
#: The most parts of a document: the file is the user's own.
_MOST_PARTS = 10_000_000
#: The files of a folder that are documents.
_SUFFIXES = frozenset({".yaml", ".yml", ".json"})


@command("export")
@STORE
@argument(
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where the documents go, NAME.yaml each; it is made if need be. Only its owner can read them.",
)
@argument("names", nargs=-1, metavar="NAME", help="The workspaces; without one, all.")
@option("--format", type=click.Choice(_FORMATS), default="yaml", help="JSON is written and read many times as fast.")
@JSON
def export(path: str, folder: Path, names: Sequence[str], format: str, as_json: bool) -> int:  # noqa: A002  # the option
    """Write the state of each workspace as a scenario: `mockserver store export store.db documents`.

    A document is what `mockserver state get` prints, and any version can load it. Journal, mailbox, snapshots,
    coverage and calls to receivers are not exported.

    Servers can use a database meanwhile. Damaged workspaces are left out and listed, with exit status 1.
    """
    from mockserver.storage.engine import NoWorkspaceError
    from mockserver.storage.packing import layout

    written, damages = [], []
    with opened(path, layout=layout(), writer=_writer()) as store:
        for name in names or [outline.name for outline in store.outlines()]:
            try:
                found = loaded(store, name)
            except NoWorkspaceError:
                if names:
                    raise
                continue  # a server has dropped it meanwhile
            if isinstance(found, str):
                damages.append(found)
            else:
                _write(folder / f"{name}.{format}", _text_of(found, format))
                written.append(name)
    told = f"workspaces written to {folder}: {len(written)}"
    echo(to_json({"written": written, "damages": damages}) if as_json else printable(told))
    for sentence in damages:
        echo(printable(sentence), err=True)
    return 1 if damages else 0


def _text_of(workspace: Workspace, format_: str) -> str:
    """Return the state of a workspace as a scenario in YAML or JSON."""
    from mockserver.resources.section import write_instant
    from mockserver.scenario.dump import dump, to_yaml

    text = json.dumps(dump(workspace), indent=1, default=write_instant)
    return f"{text}\n" if format_ == "json" else to_yaml(json.loads(text))


def _write(file: Path, text: str) -> None:
    """Write a new file that only its owner can read, as it holds keys and codes.

    Raises:
        Misused: it cannot be written, as it is there already, for example.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(
            os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as opened_file:
            opened_file.write(text)
    except OSError as error:
        raise Misused(f"{file} cannot be written: {error.strerror}") from error


@command("import")
@STORE
@argument(
    "sources", nargs=-1, required=True, metavar="SOURCE", type=click.Path(), help="Documents, or folders of them."
)
@JSON
def import_(path: str, sources: Sequence[str], as_json: bool) -> None:
    """Write the scenarios of `store export`, or others, to a store: `mockserver store import new.db documents`.

    A workspace is named after its file. A new file is written; to a database the workspaces are added unless it has one
    of these names. If a document has a mistake, nothing is written.
    """
    from mockserver.storage.engine import Batch, ConflictError
    from mockserver.storage.packing import layout

    rows = [_row(workspace) for workspace in _workspaces(sources)]
    with opened(path, layout=layout(), writer=_writer(), create=True) as store:
        place = store.place
        if not is_database(path) and store.outlines():
            raise Misused(f"{place} holds workspaces already: name a new file")
        try:
            store.write(Batch(rows=rows))
        except ConflictError as conflict:
            taken = next(iter(conflict.names))
            raise Misused(f"{place} holds a workspace {taken} already, and nothing was written") from None
    names = [row.name for row in rows]
    echo(to_json({"path": place, "imported": names}) if as_json else f"workspaces in {place}: {len(names)}")


def _workspaces(sources: Iterable[str]) -> Iterator[Workspace]:
    """Yield a workspace for each document, named after its file.

    Raises:
        Misused: a document cannot be read, is not a valid scenario, or two have the same name.
    """
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
    """Load a workspace from a document.

    Raises:
        Misused: the document cannot be read, or is not a valid scenario.
    """
    from mockserver.scenario.documents.mistakes import ScenarioError
    from mockserver.scenario.documents.reading import Bounds, parse
    from mockserver.scenario.load import load

    try:
        document = parse(files.read_bytes(file).decode(), str(file), Bounds(parts=_MOST_PARTS))
        found = load(document, name=file.stem, title=file.stem, limits=unlimited())
    except OSError as error:
        raise Misused(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Misused(f"{file} is not UTF-8 at byte {error.start}") from error
    except ScenarioError as error:
        raise Misused(str(error)) from error
    found.origin = found.origin._replace(scenario=document)
    return found


def _files(sources: Iterable[str]) -> Iterator[Path]:
    """The files that are named, and the documents of folders that are.

    Raises:
        Misused: a folder has none.
    """
    for source in map(Path, sources):
        if not source.is_dir():
            yield source
            continue
        found = sorted(file for file in source.iterdir() if file.suffix in _SUFFIXES)
        if not found:
            raise Misused(f"{source} has no documents: their names end in {', '.join(sorted(_SUFFIXES))}")
        yield from found


def _row(workspace: Workspace) -> Row:
    """Return a new workspace as it is written to a store."""
    from mockserver.storage.engine import Row
    from mockserver.storage.records import Written, due_at

    return Row(workspace.name, Written(workspace).changes(), due_at=due_at(workspace))


def _writer() -> str:
    from mockserver import __version__

    return f"mockserver {__version__}"
