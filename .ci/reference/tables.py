"""Tables in Markdown, and what stands in their cells."""

from __future__ import annotations

from collections.abc import Iterator

import click
import yaml


def row(*cells: object) -> str:
    """A line of a table; what stands in a cell cannot end it."""
    return f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in cells)} |"


def head(*cells: str) -> Iterator[str]:
    """The first two lines of a table."""
    yield row(*cells)
    yield row(*["---"] * len(cells))


def code(value: object) -> str:
    """A value as code."""
    return f"`{value}`"


def flow(value: object) -> str:
    """A value as YAML in one line."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=False, allow_unicode=True)
    return text.removesuffix("...\n").strip()


def words_of(type_: object) -> str:
    """The sentence that names the words of a choice; nothing for other types."""
    return f" One of {', '.join(map(code, type_.choices))}." if isinstance(type_, click.Choice) else ""
