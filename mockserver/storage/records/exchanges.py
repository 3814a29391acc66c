"""Exchanges as plain values, without what is parsed anew when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from mockserver.core.time.transition import Changed
from mockserver.core.traffic.exchange import Exchange, Header
from mockserver.core.traffic.links import Links


class ExchangeForm(NamedTuple):
    """An exchange; its members are those of `Exchange`."""

    id: str
    at: datetime
    method: str
    path: str
    query: str
    headers: Sequence[Header]
    body: bytes
    params: Mapping[str, str]
    operation: str | None
    real_at: float
    account: str | None
    status: int | None
    answer_headers: Sequence[Header]
    answer_body: bytes
    code: str | None
    fault: str | None
    fault_kind: str | None
    stub: str | None
    injected: bool
    beyond: str | None
    transitions: Sequence[Changed]
    warnings: Sequence[str]
    fields: Sequence[str]
    reason: str | None
    ms: float
    size: int

    def exchange(self, links: Links) -> Exchange:
        """The exchange; nobody holds its answer back any more."""
        given: Any = self[:_GIVEN]
        found = Exchange(*given)
        vars(found).update(zip(self._fields[_GIVEN:], self[_GIVEN:], strict=True), links=links)
        found.forget_values()
        return found


#: How many members an exchange is made with; the others are set when its answer is known.
_GIVEN = ExchangeForm._fields.index("account")

#: The members of an exchange in the order of `ExchangeForm`, at the speed of C.
form_of = attrgetter(*ExchangeForm._fields)
