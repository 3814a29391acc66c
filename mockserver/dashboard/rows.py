"""Lists on pages: the columns of each list, from which the markup and the style of its rows follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

#: The width of a list, in rem, from which its rows have columns. In narrower lists the cells of a row wrap.
_COLUMNS = 34
#: The longest text of a cell, in characters. Chosen: longer than a column of a wide screen.
_LONGEST = 120


def short(text: str) -> str:
    """Return a text that is cut to the length of a cell, with an ellipsis."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


class Column(NamedTuple):
    """A named column of a list."""

    name: str
    #: Its width as a track of a grid, such as `5rem` or `minmax(0, 2fr)`. Never `auto`: each row is a grid of its own.
    width: str
    #: How the macro `rows` writes a value: as `text`, `code`, `quiet`, `moment`, `time`, `number`, `state`, `status`,
    #: `badge`, `look` or `mark`. Text that is already HTML is written as it is.
    kind: str = "text"
    #: What the column is called in the line above the rows; a list without titles has no such line.
    title: str = ""
    #: The width of the list, in rem, below which a list with columns leaves this one out.
    least: int = 0
    #: Whether the column before takes its room in rows that have no such value.
    is_spare: bool = False


class List(NamedTuple):
    """A list, which a page shows with the macro `rows`."""

    name: str
    columns: Sequence[Column]
    #: The column whose text leads to the page of the row.
    main: str

    @property
    def has_titles(self) -> bool:
        return any(column.title for column in self.columns)

    def style(self) -> str:
        """Return style rules that lay out each row in one line, with the columns that fit the width of the list."""
        chosen = f".rows.{self.name} > .row"
        limits = sorted({_COLUMNS, *(column.least for column in self.columns if column.least > _COLUMNS)})
        found = []
        for limit in limits:
            shown = [column for column in self.columns if column.least <= limit]
            hidden = [f"{chosen} > .c-{column.name}" for column in self.columns if column.least > limit]
            tracks = " ".join(f"[{column.name}] {column.width}" for column in shown)
            rules = [f"{chosen} {{ display: grid; grid-template-columns: {tracks} }}"]
            rules += [f"{chosen} > .c-{name} {{ display: revert; grid-column: {name} }}" for name, *_ in shown]
            for column, spare, after in zip(shown, shown[1:], shown[2:], strict=False):
                if spare.is_spare:
                    grown = f"{chosen}:not(:has(> .c-{spare.name})) > .c-{column.name}"
                    rules.append(f"{grown} {{ grid-column: {column.name} / {after.name} }}")
            rules += [f"{', '.join(hidden)} {{ display: none }}"] if hidden else []
            found.append(f"@container list (width >= {limit}rem) {{ {' '.join(rules)} }}")
        return "\n".join(found)


class Line(NamedTuple):
    """A row of a list."""

    #: The id of its element.
    id: str
    #: The values by the names of their columns; a column without value stays empty.
    cells: Mapping[str, Any]
    #: The address of its page below `/_mock/ui/`, or empty.
    path: str = ""
    #: The kind of event, for its mark.
    kind: str = ""
    #: `bad` or `warn` if the row needs a look.
    look: str = ""
    #: A text in a line of its own below the cells.
    below: str = ""
    #: The time of day in real time, beside that of the workspace.
    real: str = ""
    #: A heading above the row, and its id.
    day: str = ""
    day_id: str = ""


TIMELINE = List(
    "timeline",
    (
        Column("time", "4rem", "time"),
        Column("mark", ".5rem", "mark"),
        Column("status", "5.5rem", "status"),
        Column("name", "minmax(9rem, 17rem)"),
        Column("detail", "minmax(0, 1fr)", "quiet"),
        Column("note", "minmax(0, 8.5rem)", "badge", least=48, is_spare=True),
        Column("took", "4.25rem", "number", least=60),
        Column("account", "minmax(0, 6rem)", "quiet", least=60),
    ),
    "name",
)

#: What went wrong in a workspace.
TROUBLES = List("troubles", (Column("title", "10rem", "look"), Column("text", "minmax(0, 1fr)")), "text")

WORKSPACES = List(
    "workspaces",
    (
        Column("name", "minmax(8rem, 1fr)", title="Workspace"),
        Column("outcome", "4rem", "state", title="Outcome"),
        Column("label", "minmax(0, 2.2fr)", "link", title="Test"),
        Column("scenario", "minmax(5.75rem, .8fr)", "quiet", title="Scenario", least=52),
        Column("status", "2.6rem", "status"),
        Column("last", "minmax(6rem, 1.1fr)", "link", title="Last request"),
        Column("requests", "4rem", "number", title="Requests", least=52),
        Column("mails", "2.25rem", "number", title="Mails", least=60),
        Column("calls", "4.25rem", "number", title="Webhooks", least=60),
        Column("clock", "7.75rem", "quiet", title="Clock", least=68),
        Column("age", "3.5rem", "number", title="Age"),
        Column("connect", "3.5rem", "link"),
    ),
    "name",
)
SNAPSHOTS = List(
    "snapshots",
    (Column("name", "minmax(0, 20rem)"), Column("at", "10rem", "moment"), Column("actions", "minmax(0, 1fr)")),
    "name",
)

MAILS = List(
    "mails",
    (
        Column("subject", "minmax(8rem, 2fr)"),
        Column("to", "minmax(8rem, 1.5fr)", "quiet"),
        Column("code", "minmax(0, 1.2fr)", "link"),
        Column("smtp", "7.5rem", "link", least=52),
        Column("at", "9.5rem", "moment"),
    ),
    "subject",
)
RECEIVED = List(
    "received",
    (
        Column("subject", "minmax(8rem, 2fr)"),
        Column("to", "minmax(8rem, 2fr)", "quiet"),
        Column("account", "minmax(0, 8rem)", "quiet"),
        Column("at", "9.5rem", "moment"),
    ),
    "subject",
)
INSTANCES = List(
    "instances",
    (
        Column("name", "minmax(9rem, 1.6fr)", title="Name"),
        Column("key", "minmax(3rem, 7rem)", "quiet", title="Key", least=52),
        Column("state", "10.5rem", "state", title="State"),
        Column("next", "minmax(0, 2fr)", "quiet", title="Next"),
        Column("account", "minmax(0, 7rem)", "quiet", title="Account", least=52),
    ),
    "name",
)
DELIVERIES = List(
    "deliveries",
    (
        Column("id", "3rem", "number"),
        Column("state", "5.5rem", "state"),
        Column("event", "minmax(6rem, 10rem)"),
        Column("receiver", "minmax(0, 2fr)", "quiet"),
        Column("outcomes", "minmax(4rem, 9rem)"),
        Column("next", "8rem", "quiet", least=48),
        Column("lane", "minmax(0, 1fr)", least=60),
    ),
    "event",
)

#: All lists of the dashboard, in the order of its pages.
LISTS = (TIMELINE, TROUBLES, WORKSPACES, SNAPSHOTS, MAILS, RECEIVED, INSTANCES, DELIVERIES)


def style() -> str:
    """Return the style of all lists."""
    return "\n".join(found.style() for found in LISTS)
