"""Which exchanges the list shows, as its address says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mockserver.core.text.messages import nearest
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.match import Match
from mockserver.resources.registry import ALL_OPERATIONS

#: The parameters of an address that are members of a match as they stand.
_MATCHED = ("code", "fault", "transition", "field")
#: The longest value of a parameter that is looked for; chosen: longer than any name, and than what anybody types.
_LONGEST = 200
#: What stands for requests whose clients got no answer, among the statuses.
_NO_ANSWER = "none"


class Filter(NamedTuple):
    """What an exchange has to have; a member that is empty, or None, admits all."""

    operation: str = ""
    #: As it was written: `404`, `4xx` or `none`.
    status: str = ""
    account: str = ""
    #: Stands in the path, the query, the reason or a body, in capitals or not.
    text: str = ""
    #: Whether only requests are wanted that a fault holds.
    held: bool = False
    #: What else the address asks for, by parameter.
    more: Mapping[str, str] = {}
    statuses: range | None = None
    match: Match = Match()

    @property
    def is_empty(self) -> bool:
        """Whether every exchange is admitted."""
        return not (self.operation or self.status or self.account or self.text or self.held or self.more)

    def admits(self, exchange: Exchange) -> bool:
        """Whether an exchange is shown."""
        return (
            self.operation in ("", exchange.operation)
            and (self.statuses is None or (exchange.status or 0) in self.statuses)
            and self.account in ("", exchange.account)
            and (exchange.is_held or not self.held)
            and (not self.more or self.match.admits(exchange))
            and (not self.text or _has(exchange, self.text.lower()))
        )


def asked(parameters: Mapping[str, str]) -> tuple[Filter, str | None]:
    """The filter of an address, and a sentence about a status that makes no sense and is passed over, or None."""
    given = {name: value.strip()[:_LONGEST] for name, value in parameters.items()}
    more = {name: given[name] for name in _MATCHED if given.get(name)}
    found = Filter(
        operation=given.get("operation", ""),
        status=given.get("status", ""),
        account=given.get("account", ""),
        text=given.get("text", ""),
        held=given.get("held", "") not in ("", "false"),
        more=more,
        match=Match(**more),  # type: ignore[arg-type]  # these members are texts
    )
    try:
        return found._replace(statuses=_statuses(found.status)), None
    except ValueError as error:
        return found._replace(status=""), str(error)


def doubt(operation: str) -> str | None:
    """A sentence about the name of an operation that no request has called, or None if the mock has that operation."""
    if not operation or operation in ALL_OPERATIONS:
        return None
    return f"There is no operation {operation}; {nearest(operation, ALL_OPERATIONS)}"


def _statuses(text: str) -> range | None:
    """The statuses that a text means, of which 0 stands for no answer; None: all.

    Raises:
        ValueError: it means none.
    """
    lowered = text.lower()
    if not lowered:
        return None
    if lowered == _NO_ANSWER:
        return range(1)
    if len(lowered) == 3 and lowered[0] in "12345" and lowered[1:] == "xx":
        first = int(lowered[0]) * 100
        return range(first, first + 100)
    if lowered.isascii() and lowered.isdigit() and len(lowered) == 3:
        return range(int(lowered), int(lowered) + 1)
    raise ValueError(f"{text} is no status: write one as 404, a class as 4xx, or none for requests without an answer.")


def _has(exchange: Exchange, text: str) -> bool:
    """Whether a text in small letters stands in what was sent, answered or said."""
    if text in exchange.path.lower() or text in exchange.query.lower() or text in (exchange.reason or "").lower():
        return True
    raw = text.encode()
    return raw in exchange.body.lower() or raw in exchange.answer_body.lower()
