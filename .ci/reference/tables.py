"""Tables in Markdown, and what stands in their cells."""

from __future__ import annotations

import re
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


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub names it."""
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")


#: Words of a description that say nothing about a name.
_EMPTY = {
    "a", "all", "an", "and", "are", "as", "by", "for", "ha", "have", "in", "is", "it", "of", "such", "that", "the",
    "these", "thi", "to", "which", "with",
}  # fmt: skip
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


def repeats(name: str, description: str) -> bool:
    """Whether a description says no more than the name: `its senders`, of `senders`."""
    said = {word.lower().removesuffix("s") for word in _WORD.findall(description.replace("-", ""))} - _EMPTY
    return said <= {word.lower().removesuffix("s") for word in _WORD.findall(name)}
