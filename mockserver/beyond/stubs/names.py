"""What the expressions of a stub see of the request, the caller's account and the workspace, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

from werkzeug.wrappers import Request

from mockserver.beyond.stubs.budget import OMIT
from mockserver.beyond.stubs.filters import moment
from mockserver.beyond.stubs.provider import FAKER, FUNCTIONS, Provider
from mockserver.beyond.stubs.sandbox import Members
from mockserver.core.state.behaviour import Behaviour
from mockserver.core.time import duration
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.account import spending
from mockserver.resources.account.model import Profile
from mockserver.resources.attributes.model import Attribute
from mockserver.resources.campaigns.model import EMAIL_TEMPLATE, Campaign
from mockserver.resources.domains.domain import Domain
from mockserver.resources.scheduled_emails.model import ScheduledEmail
from mockserver.resources.senders.model import Sender
from mockserver.resources.webhooks.blocked import BlockedContact
from mockserver.resources.webhooks.model import Webhook
from mockserver.web.endpoints.request import NO_BODY, read_body

#: How many levels a body may have. Chosen: fewer than a value may have that an expression makes of it (`budget`).
_DEEPEST = 60


class Call(NamedTuple):
    """A call that a stub answers; `params` are the values of the parameters of its path."""

    caller: Caller
    request: Request
    exchange: Exchange
    params: Mapping[str, str]

    @property
    def body(self) -> Any:
        """The JSON value of the request's body, or None if it has none.

        Raises:
            ServiceError: 400 `bad_request` or 415; the body is no JSON.
            RequestEntityTooLarge: the body is over the limit.
        """
        found = read_body(self.request, _DEEPEST)
        if found is NO_BODY:
            return None
        self.exchange.take_json(found)
        return found

    def rows(self, kind: type) -> Collection[Any]:
        """The rows of a kind that the account has."""
        return self.caller.account.rows_of(kind).values()


class _ByHeader(dict[str, str]):
    """Headers by their names, whose case makes no difference."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())


def _query(call: Call) -> dict[str, Any]:
    return {name: values[0] if len(values) == 1 else values for name, values in call.exchange.parameters.items()}


def _scheduled(row: ScheduledEmail, call: Call) -> dict[str, Any]:
    """Show a scheduled e-mail; one of which nobody knows when it was made was there when the clock began."""
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
    """Return a value of a behaviour as one of JSON."""
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
        "query": _query,
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
            for row in call.rows(Campaign)
            if row.kind == EMAIL_TEMPLATE
        ],
        "scheduled_emails": lambda call: [_scheduled(row, call) for row in call.rows(ScheduledEmail)],
        "blocked": lambda call: [row.email for row in call.rows(BlockedContact)],
    },
    "behaviour": {name: _of_behaviour(name) for name in Behaviour._fields},
}
#: The members of names that are no values themselves.
MEMBERS: Mapping[str, Collection[str]] = {**_LATE, "faker": FAKER}
#: What every expression sees.
ROOTS = frozenset({*MEMBERS, "now", "omit"})


def names_for(call: Call, provider: Provider) -> dict[str, Any]:
    """Return the names that every expression of a stub sees, with their values."""
    late = {base: {name: partial(work, call) for name, work in members.items()} for base, members in _LATE.items()}
    return {
        **{name: Members(members) for name, members in late.items()},
        **{name: getattr(provider, name) for name in FUNCTIONS},
        "faker": provider.faker,
        "now": moment(call.caller.workspace.state.clock.now()),
        "omit": OMIT,
    }
