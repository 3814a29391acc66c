"""The functions of expressions: they draw and look up in a workspace; draws count once the request is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from threading import Lock
from typing import Any

from jinja2 import StrictUndefined

from mockserver.beyond.stubs.budget import Budget, ExpressionError, expected, text
from mockserver.core.state.identifiers import Randomness
from mockserver.core.state.state import LAST_ID
from mockserver.core.state.stubs import Stored
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.webhooks.events import message_id

#: The purposes of the draws of expressions.
_UUID, _RANDOM, _FAKER = "stub uuid", "stub random", "stub faker"
#: The seeds of Faker.
_SEEDS = 2**53
#: As how many steps made-up data count: Faker takes some 30 microseconds for each.
_FAKER_STEPS = 60
#: The most numbers of a range. Chosen: more than a page of a list of the service has.
LONGEST_RANGE = 1_000
#: There is one Faker for all workspaces, as to make one takes long; it is held for a draw.
_FAKER_LOCK = Lock()
#: What Faker makes up that expressions can ask for, each without arguments.
FAKER = frozenset(
    {"address", "bban", "boolean", "building_number", "catch_phrase", "city", "color_name", "company",
     "company_email", "country", "country_code", "credit_card_number", "currency_code", "currency_name",
     "domain_name", "ean13", "email", "file_name", "first_name", "free_email", "hex_color", "iban", "ipv4", "ipv6",
     "isbn13", "job", "language_code", "language_name", "last_name", "license_plate", "locale", "mac_address", "md5",
     "mime_type", "name", "paragraph", "paragraphs", "phone_number", "postcode", "prefix", "pyint", "pystr",
     "random_digit", "random_int", "safe_email", "sentence", "sentences", "sha256", "slug", "state",
     "street_address", "street_name", "suffix", "text", "timezone", "url", "user_agent", "user_name", "uuid4",
     "word", "words", "zipcode"}
)  # fmt: skip


def key_of(value: Any) -> str:
    """Return a key of a table: a text, or a whole number as its digits.

    Raises:
        ExpressionError: it is neither.
    """
    return value if isinstance(value, str) else str(_whole(value))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise expected("a whole number", value)
    return value


class Provider:
    """The functions of expressions for one request, in the caller's workspace and account."""

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
            raise ExpressionError(f"no id left for another {kind}: the limit is {LAST_ID:,}")
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
        if _whole(low) > _whole(high):
            raise expected(f"a number of {low} at least", high)
        return self._random.integer(_RANDOM, low, high)

    def message_id(self) -> str:
        return message_id(self._random, self._state.clock.now())

    def stored(self, table: str, key: str | int | None = None) -> Any:
        """Return a stored value, or all values of a table in the order in which their keys were first stored."""
        rows = self._account.rows_of(Stored)
        if key is not None:
            row = rows.get((text(table), key_of(key)))
            return StrictUndefined(f"stored({table!r:.40}, {key!r:.80}) is undefined") if row is None else row.value
        self._budget.spend(len(rows))
        return self._budget.made([row.value for (name, _), row in rows.items() if name == text(table)])

    def range(self, *bounds: int) -> Any:
        found = range(*map(_whole, bounds))
        if found[LONGEST_RANGE : LONGEST_RANGE + 1]:
            raise ExpressionError(f"a range has more than {LONGEST_RANGE:,} numbers")
        return self._budget.made(list(found))

    def faker(self, what: str) -> Any:
        """Make up data of one of the kinds of `FAKER`."""
        self._budget.spend(_FAKER_STEPS)
        seed = self._random.integer(_FAKER, 0, _SEEDS)
        with _FAKER_LOCK:
            faker = _faker()
            faker.seed_instance(seed)
            return getattr(faker, what)()


#: The functions that expressions call by their names; what they give is plain data.
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    name: getattr(Provider, name) for name in ("next_id", "uuid", "random", "message_id", "stored", "range")
}


@cache
def _faker() -> Any:
    from faker import Faker  # noqa: PLC0415  # hundreds of modules, which most stubs need not

    return Faker()
