"""What was measured of several servers, as a table with the ratios to one of them, and the aims that it misses."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass
class Figures:
    """One server's figures by column, one for each turn."""

    name: str
    columns: dict[str, list[float]] = field(default_factory=dict)

    def add(self, column, value):
        self.columns.setdefault(column, []).append(value)

    def median(self, column):
        return statistics.median(self.columns[column])

    def ratio(self, column, base):
        """How many times as much as another's, by the turns that both had one after the other."""
        pairs = zip(self.columns[column], base.columns[column], strict=True)
        return statistics.median(value / other for value, other in pairs)


READ, WRITE, P99, MEMORY, START = "read/s", "write/s", "p99", "memory", "first answer"
FORMATS: dict[str, Callable[[float], str]] = {
    READ: "{:,.0f}".format,
    WRITE: "{:,.0f}".format,
    P99: "{:.1f} ms".format,
    MEMORY: "{:.0f} MB".format,
    START: "{:.0f} ms".format,
}


class Aim(NamedTuple):
    """A column in which one server is to be better than others."""

    column: str
    more_is_better: bool
    others: tuple[str, ...]

    def missed(self, ours, figures):
        """A sentence for each of the others that is as good, or better."""
        for other in (each for each in figures if each.name in self.others):
            ratio = other.ratio(self.column, ours)
            if ratio >= 1 if self.more_is_better else ratio <= 1:
                shown = FORMATS[self.column]
                wanted = "above" if self.more_is_better else "below"
                yield (
                    f"{self.column}: {shown(ours.median(self.column))} is not {wanted} "
                    f"{shown(other.median(self.column))} of {other.name}, which has {ratio:.2f} times as much"
                )


def table(ours, figures):
    """Lines of Markdown, the most reads first; in brackets the ratio to ours."""

    def cell(each, column):
        shown = FORMATS[column](each.median(column))
        return shown if each is ours else f"{shown} ({each.ratio(column, ours):.2f})"

    yield "| | " + " | ".join(FORMATS) + " |"
    yield "|---" * (len(FORMATS) + 1) + "|"
    for each in sorted(figures, key=lambda one: one.median(READ), reverse=True):
        yield " | ".join((f"| {each.name}", *(cell(each, column) for column in FORMATS))) + " |"
