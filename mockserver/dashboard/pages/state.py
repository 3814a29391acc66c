"""The page "State": view and change the workspace as a scenario, and browse scenarios."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from flask import request

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.rendering import Page
from mockserver.dashboard.states import ABSENT, Difference, differences, initial_state
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.dump import dump, yaml_chunks
from mockserver.web.server import loop

PAGE = Page("state", "State")

#: The limits of a state that is shown without a click. Chosen: dumping takes about 50 milliseconds at the limits.
_MOST_ROWS, _MOST_BYTES = 2_000, 1_000_000
#: The largest state to compare, in rows, and the most differences to show. Chosen: both take less than a second.
_MOST_COMPARED, _MOST_DIFFERENCES = 5_000, 300


@PAGE.view()
def index() -> Mapping[str, Any]:
    """Show the state. A large state is shown only with `show` in the query."""
    workspace = target.workspace(whole=True)
    rows = workspace.state.rows()
    is_large = rows > _MOST_ROWS or workspace.state.document_bytes > _MOST_BYTES
    shown, left_out = None, 0
    if not is_large or "show" in request.args:
        document = _document(workspace)
        if "deliveries" not in request.args:
            left_out = sum(len(account.pop("deliveries", ())) for account in document["accounts"])
        shown = excerpt(yaml_chunks(document))
    return {
        "left_out": left_out,
        "rows": rows,
        "is_large": is_large,
        "shown": shown,
        "most": MOST_LINES,
        "origin": workspace.origin.title,
        "scenarios": target.library().names(),
    }


@PAGE.view("/change", "state_change.html")
def change() -> Mapping[str, Any]:
    workspace = target.workspace(whole=True)
    document = _document(workspace)
    text = bounded(yaml_chunks(document), target.current().yaml_limit)
    return {
        "text": text,
        "digest": "" if text is None else _digest(document, text),
        "frozen": workspace.state.clock.frozen,
        "most": target.current().yaml_limit,
    }


@PAGE.view("/add", "state_add.html")
def add() -> Mapping[str, Any]:
    target.workspace()
    return {}


@PAGE.view("/compare", "state_compare.html")
def compare() -> Mapping[str, Any]:
    """Compare two states: snapshots, the present one, and the one in which the workspace was made or last reset."""
    workspace = target.workspace(whole=True)
    loop.leave()
    chosen = {"from": request.args.get("from", ""), "to": request.args.get("to", "")}
    kept = list(workspace.snapshots.values())
    wanted = request.args.get("find", "").strip()[:_LONGEST_LINE]
    snapshots = [{"name": row.name, "at": row.at} for row in kept]
    found: dict[str, Any] = {**chosen, "find": wanted, "snapshots": snapshots}
    if workspace.state.rows() > _MOST_COMPARED:
        return {**found, "mistake": f"States above {_MOST_COMPARED:,} rows are not compared here."}
    states: dict[str, Mapping[str, Any]] = {"to": dump(workspace)}
    states |= {end: row.document for row in kept for end, name in chosen.items() if row.name == name}
    unknown = [name for name in chosen.values() if name and not any(row.name == name for row in kept)]
    if unknown:
        return {**found, "mistake": f"There is no snapshot {unknown[0][:100]}."}
    before = states.get("from") or initial_state(workspace)
    if before is None:
        return {**found, "mistake": "The scenario of the workspace cannot be loaded any more."}
    matching = (row for row in differences(before, states["to"]) if row.mentions(wanted.lower()))
    rows = list(islice(matching, _MOST_DIFFERENCES + 1))
    kinds: dict[str, list[Difference]] = {}
    for row in rows[:_MOST_DIFFERENCES]:
        kinds.setdefault(_kind(row.path), []).append(row)
    return {**found, "mistake": "", "number": len(rows), "kinds": kinds, "most": _MOST_DIFFERENCES, "absent": ABSENT}


def _kind(path: Sequence[str]) -> str:
    """Return the section of a difference, which stands below the account in most states."""
    is_of_account = path[0].startswith("account ") and len(path) > 1
    return path[is_of_account].replace("_", " ")


@PAGE.view("/scenarios", "state_scenarios.html")
def scenarios() -> Mapping[str, Any]:
    target.workspace()
    loop.leave()
    return {"scenarios": list(target.library().describe())}


@PAGE.view("/scenarios/<name>", "state_scenario.html")
def scenario(name: str) -> Mapping[str, Any]:
    target.workspace()
    loop.leave()
    library = target.library()
    if name not in library.names():
        raise Problem(404, library.unknown(name))
    try:
        return {"name": name, "shown": excerpt([library.text(name)]), "most": MOST_LINES}
    except ScenarioError as error:
        raise Problem(404, str(error)) from error


def _document(workspace: Workspace) -> dict[str, Any]:
    return dump(workspace)


def _digest(document: dict[str, Any], text: str) -> str:
    """Hash the state, ignoring the time of a running clock."""
    clock = document["clock"]
    same = text if clock["frozen"] else text.replace(clock["start"], "", 1)
    return hashlib.sha256(same.encode("utf-8", "surrogatepass")).hexdigest()[:16]


#: The most lines on a page. Chosen: the states of all shipped scenarios but one are shorter.
MOST_LINES = 1_000
#: The longest line to show, in characters.
_LONGEST_LINE = 500


#: A section of an account, in a line of its own above its rows; other members of an account follow their name.
_SECTION = re.compile(r"  ([a-z]\w*):")
#: From so many lines on, a block is shown closed.
_LONG = 30


class Block(NamedTuple):
    """A top-level member of a document or a section of an account, with its lines."""

    #: Unique on the page, and the same while its text changes.
    id: str
    #: Empty before the first member, such as for comments.
    name: str
    #: The number of the first line.
    first: int
    lines: list[str]

    @property
    def numbers(self) -> str:
        """The line numbers, one on each line."""
        return "\n".join(map(str, range(self.first, self.first + len(self.lines))))

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def is_long(self) -> bool:
        return len(self.lines) > _LONG


class Excerpt(NamedTuple):
    """First lines of a text, and whether lines follow."""

    blocks: list[Block]
    is_whole: bool


def excerpt(chunks: Iterable[str]) -> Excerpt:
    """Return the first `MOST_LINES` lines of a text. The chunks are whole lines; later chunks are not consumed."""
    blocks: list[Block] = []
    met, top = Counter[str](), ""
    for number, line in enumerate(_split(chunks), 1):
        if number > MOST_LINES:
            return Excerpt(blocks, is_whole=False)
        member = _member(line)
        top = member or top
        name = member or (_part_of_account(line) if top == "accounts" else "")
        if not blocks or (name and (name != "account" or blocks[-1].name not in ("account", "accounts"))):
            met[name] += 1
            identifier = f"{name or 'beginning'}-{met[name]}" if met[name] > 1 else name or "beginning"
            blocks.append(Block(identifier, name, number, []))
        blocks[-1].lines.append(_cut(line))
    return Excerpt(blocks, is_whole=True)


def _split(chunks: Iterable[str]) -> Iterator[str]:
    for chunk in chunks:
        # Not `splitlines`: an editor does not end lines at form feeds either.
        yield from chunk.removesuffix("\n").split("\n")


def _member(line: str) -> str:
    name, colon, _ = line.partition(":")
    return name if colon and name[:1].isalpha() else ""


def _part_of_account(line: str) -> str:
    """Return the section that starts at a line, `account` for other members, or an empty text within a section."""
    if found := _SECTION.fullmatch(line):
        return found[1]
    return "account" if line.startswith("- name:") or (line[:2] == "  " and line[2:3].isalpha()) else ""


def _cut(line: str) -> str:
    rest = len(line) - _LONGEST_LINE
    return line if rest <= 0 else f"{line[:_LONGEST_LINE]}… and {rest:,} characters more"


def bounded(chunks: Iterable[str], most: int) -> str | None:
    """Join the chunks, or return None as soon as the text exceeds `most` bytes."""
    found, size = [], 0
    for chunk in chunks:
        size += len(chunk.encode("utf-8", "surrogatepass"))
        if size > most:
            return None
        found.append(chunk)
    return "".join(found)
