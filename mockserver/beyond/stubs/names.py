"""Names and functions of expressions: request, account, workspace, and functions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from functools import cache, partial
from threading import Lock
from typing import Any, NamedTuple

from jinja2 import StrictUndefined
from werkzeug.wrappers import Request

from mockserver.beyond.stubs.budget import OMIT, Budget, ExpressionError, expected, text
from mockserver.beyond.stubs.filters import moment
from mockserver.beyond.stubs.sandbox import Members
from mockserver.core.state.behaviour import Behaviour
from mockserver.core.state.identifiers import Randomness
from mockserver.core.state.state import LAST_ID
from mockserver.core.state.stubs import Stored
from mockserver.core.time import duration
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.account import spending
from mockserver.resources.account.model import Profile
from mockserver.resources.contacts.attribute import Attribute
from mockserver.resources.domains.domain import Domain
from mockserver.resources.scheduled_emails.model import ScheduledEmail
from mockserver.resources.senders.model import Sender
from mockserver.resources.templates.template import Template
from mockserver.resources.webhooks.blocked import BlockedContact
from mockserver.resources.webhooks.events import message_id
from mockserver.resources.webhooks.model import Webhook
from mockserver.web.endpoints.request import NO_BODY, read_body

_UUID, _RANDOM, _FAKER = "stub uuid", "stub random", "stub faker"
_SEEDS = 2**53
#: As how many steps made-up data count: Faker takes some 30 microseconds for each.
_FAKER_STEPS = 60
#: The longest range. Chosen: longer than a page of the service's lists.
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
    """Return a table key: a text, or the digits of an integer."""
    return value if isinstance(value, str) else str(_whole(value))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise expected("a whole number", value)
    return value


class Provider:
    """The functions of expressions for one request, in the caller's account. Draws count after `commit`."""

    def __init__(self, caller: Caller, budget: Budget) -> None:
        self._state, self._account, self._budget = caller.workspace.state, caller.account, budget
        self._ids: dict[str, int] = {}
        self._drawn: Randomness | None = None

    def commit(self) -> None:
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
        """Return a stored value, or all values of a table in insertion order."""
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
        """Return made-up data of a kind in `FAKER`."""
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


#: The most levels of a body. Chosen: fewer than values of expressions may have (`budget`).
_DEEPEST = 60


class Call(NamedTuple):
    """A request to a stub; `params` are the values of the path parameters."""

    caller: Caller
    request: Request
    exchange: Exchange
    params: Mapping[str, str]

    @property
    def body(self) -> Any:
        """The JSON value of the request body, or None without a body."""
        found = read_body(self.request, _DEEPEST)
        if found is NO_BODY:
            return None
        self.exchange.parsed = found
        return found

    def rows(self, kind: type) -> Collection[Any]:
        return self.caller.account.rows_of(kind).values()


class _ByHeader(dict[str, str]):
    """Headers by case-insensitive names."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())


def _scheduled(row: ScheduledEmail, call: Call) -> dict[str, Any]:
    """Show a scheduled e-mail; an unknown creation time is the clock's start."""
    return {
        **_members(row, "message_id", "batch_id", "to", "subject", "state", "rejected"),
        "scheduled_at": moment(row.scheduled_at),
        "created_at": moment(row.created_at or call.caller.workspace.state.clock.start),
    }


def _members(row: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _of_account(name: str) -> Callable[[Call], Any]:
    return lambda call: getattr(call.caller.account, name)


def _of_behaviour(name: str) -> Callable[[Call], Any]:
    return lambda call: _plain(getattr(call.caller.workspace.state.behaviour, name))


def _plain(value: Any) -> Any:
    if isinstance(value, timedelta):
        return duration.write(value)
    return value if isinstance(value, str | int | float) else None


_ACCOUNT = ("id", "name", "email", "first_name", "last_name", "company_name", "of", "language", "enterprise",
            "organization_id", "user_id")  # fmt: skip
#: What an expression sees whose members are worked out when they are asked for.
_LATE: Mapping[str, Mapping[str, Callable[[Call], Any]]] = {
    "request": {
        "id": lambda call: call.exchange.id,
        "method": lambda call: call.exchange.method,
        "path": lambda call: dict(call.params),
        "query": lambda call: {name: row if row[1:] else row[0] for name, row in call.exchange.parameters.items()},
        "headers": lambda call: _ByHeader(call.exchange.by_header),
        "json": lambda call: call.body,
    },
    "account": {
        **{name: _of_account(name) for name in _ACCOUNT},
        "role": lambda call: call.caller.account.role.value,
        "created_at": lambda call: moment(call.caller.account.created_at),
        "credits": lambda call: spending.left(call.caller.workspace, call.caller.account, "email"),
        "relay": lambda call: {"enabled": True, **(call.caller.account.record(Profile).relay or {})},
        "senders": lambda call: [_members(row, "id", "name", "email", "active") for row in call.rows(Sender)],
        "domains": lambda call: [_members(row, "name", "state") for row in call.rows(Domain)],
        "webhooks": lambda call: [
            {**_members(row, "id", "url", "type", "channel"), "events": list(row.events)} for row in call.rows(Webhook)
        ],
        "attributes": lambda call: [_members(row, "category", "name") for row in call.rows(Attribute)],
        "templates": lambda call: [
            {"id": row.id, "name": row.name, "subject": row.subject or row.name, "html": row.html or ""}
            for row in call.rows(Template)
        ],
        "scheduled_emails": lambda call: [_scheduled(row, call) for row in call.rows(ScheduledEmail)],
        "blocked": lambda call: [row.email for row in call.rows(BlockedContact)],
    },
    "behaviour": {name: _of_behaviour(name) for name in Behaviour._fields},
}
#: The members of names without a value.
MEMBERS: Mapping[str, Collection[str]] = {**_LATE, "faker": FAKER}
#: What every expression sees.
ROOTS = frozenset({*MEMBERS, "now", "omit"})


def names_for(call: Call, provider: Provider) -> dict[str, Any]:
    late = {base: {name: partial(work, call) for name, work in members.items()} for base, members in _LATE.items()}
    return {
        **{name: Members(members) for name, members in late.items()},
        **{name: getattr(provider, name) for name in FUNCTIONS},
        "faker": provider.faker,
        "now": moment(call.caller.workspace.state.clock.now()),
        "omit": OMIT,
    }
