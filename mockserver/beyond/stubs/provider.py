"""What the templates of a request draw and look up in a workspace; what they draw counts once the request is done."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any

from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.values import TemplateError, Undefined
from mockserver.core.state.randomness import Randomness
from mockserver.core.state.state import LAST_ID
from mockserver.core.state.stubs import Stored
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.webhooks.events import message_id

#: The purposes of the draws of templates.
_UUID, _RANDOM, _FAKER = "stub uuid", "stub random", "stub faker"
#: The seeds of Faker.
_SEEDS = 2**53
#: There is one Faker for all workspaces, as to make one takes long; it is held for a draw.
_FAKER_LOCK = Lock()


class Provider:
    """The functions of templates for one request, in the caller's workspace and account."""

    def __init__(self, caller: Caller, budget: Budget) -> None:
        self._state, self._account, self._budget = caller.workspace.state, caller.account, budget
        self._ids: dict[str, int] = {}
        self._drawn: Randomness | None = None

    def commit(self) -> None:
        """Let what was drawn count."""
        self._state.last_ids.update(self._ids)
        if self._drawn is not None:
            self._state.random.positions.update(self._drawn.positions)

    def next_id(self, kind: str) -> int:
        found = self._ids.get(kind, self._state.last_ids.get(kind, 0)) + 1
        if found > LAST_ID:
            raise TemplateError(f"no id left for another {kind}: the limit is {LAST_ID:,}")
        self._ids[kind] = found
        return found

    @property
    def _random(self) -> Randomness:
        if self._drawn is None:
            self._drawn = self._state.random.copy()
        return self._drawn

    def uuid(self) -> str:
        return self._random.uuid(_UUID)

    def random(self, low: int, high: int) -> int:
        return self._random.integer(_RANDOM, low, high)

    def message_id(self) -> str:
        return message_id(self._random, self._state.clock.now())

    def stored(self, table: str, key: str) -> Any:
        row = self._account.rows_of(Stored).get((table, key))
        return Undefined(f"stored({table!r:.40}, {key!r:.80})") if row is None else row.value

    def stored_in(self, table: str) -> list[Any]:
        rows = self._account.rows_of(Stored)
        self._budget.look(len(rows))
        return [row.value for (name, _), row in rows.items() if name == table]

    def made_up(self, what: str) -> Any:
        seed = self._random.integer(_FAKER, 0, _SEEDS)
        with _FAKER_LOCK:
            faker = _faker()
            faker.seed_instance(seed)
            return getattr(faker, what)()


@cache
def _faker() -> Any:
    from faker import Faker  # noqa: PLC0415  # hundreds of modules, which most stubs need not

    return Faker()
