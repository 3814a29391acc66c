"""`store export` and `store import`: a store as documents, which other versions can read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mockserver.cli.options import JSON
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, printable
from mockserver.cli.program import Misused, argument, command, option
from mockserver.cli.stores.opening import STORE, is_database, loaded, opened
from mockserver.settings import given_file

if TYPE_CHECKING:
    from mockserver.core.workspaces.workspace import Workspace
    from mockserver.storage.engine import Row

#: How documents are written, which is also how their files end.
_FORMATS = ("yaml", "json")
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
    """Write each workspace as a document that any version can read: `mockserver store export store.db documents`.

    A document has the state as `mockserver state get` gives it, the mailbox, the snapshots, and what a reset goes back
    to. Journal, coverage, and calls that receivers got stay out.

    Servers go on using a database meanwhile: each document is as the workspace was kept at a moment.

    What is damaged is left out and told, with exit status 1.
    """
    from mockserver.cli.stores.workspace_text import text_of
    from mockserver.storage.engine import NoWorkspaceError
    from mockserver.storage.records.packing import layout

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
                _write(folder / f"{name}.{format}", text_of(found, _writer(), as_json=format == "json"))
                written.append(name)
    told = f"workspaces written to {folder}: {len(written)}"
    echo(to_json({"written": written, "damages": damages}) if as_json else printable(told))
    for sentence in damages:
        echo(printable(sentence), err=True)
    return 1 if damages else 0


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
    """Make a store of documents that `export` has written: `mockserver store import new.db documents`.

    A file must not hold workspaces yet; to a database they are added, beside the servers that use it, if it holds none
    of their names. A document with a mistake makes nothing.
    """
    from mockserver.storage.engine import Batch, ConflictError
    from mockserver.storage.records.packing import layout

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
    """The workspaces of documents.

    Raises:
        Misused: a document cannot be read, or is not valid.
    """
    from mockserver.cli.stores.workspace_text import workspace_of_text
    from mockserver.scenario.documents.mistakes import ScenarioError

    homes: dict[str, Path] = {}
    for file in _files(sources):
        try:
            found = workspace_of_text(given_file.read_bytes(file), str(file))
        except OSError as error:
            raise Misused(f"{file} cannot be read: {error.strerror}") from error
        except ScenarioError as error:
            raise Misused(str(error)) from error
        if found.name in homes:
            raise Misused(f"{file} is of workspace {found.name}, as {homes[found.name]} is")
        homes[found.name] = file
        yield found


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
    from mockserver.storage.records.reading import due_at
    from mockserver.storage.records.written import Written

    return Row(workspace.name, Written(workspace).changes(), due_at=due_at(workspace))


def _writer() -> str:
    from mockserver import __version__

    return f"mockserver {__version__}"
