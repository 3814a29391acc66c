"""What the templates of a stub see of the request, the caller's account and the workspace, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from werkzeug.wrappers import Request

from mockserver.beyond.templates.moments import written
from mockserver.beyond.templates.values import Members
from mockserver.core.state.account import Account
from mockserver.core.time import duration
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account import spending
from mockserver.resources.account.model import Profile
from mockserver.resources.attributes.model import Attribute
from mockserver.resources.campaigns.model import EMAIL_TEMPLATE, Campaign
from mockserver.resources.domains.domain import Domain
from mockserver.resources.scheduled_emails.model import ScheduledEmail
from mockserver.resources.senders.sender import Sender
from mockserver.resources.webhooks.blocked import BlockedContact
from mockserver.resources.webhooks.model import Webhook
from mockserver.web.endpoints.json_body import NO_BODY, read_body

#: How many levels a body may have. Chosen: fewer than a value may have that a template makes of it (`budget`).
_DEEPEST = 60


def names_for(caller: Caller, request: Request, exchange: Exchange, params: Mapping[str, str]) -> dict[str, Any]:
    """The names that every template of a stub sees, with their values; `params` are those of the stub's path."""
    return {
        "request": _request(request, exchange, params),
        "account": _account(caller.workspace, caller.account),
        "behaviour": _behaviour(caller.workspace),
        "now": written(caller.workspace.state.clock.now()),
    }


class _ByHeader(dict[str, str]):
    """Headers by their names, whose case makes no difference."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())


def _request(request: Request, exchange: Exchange, params: Mapping[str, str]) -> Members:
    return Members(
        {
            "id": lambda: exchange.id,
            "method": lambda: exchange.method,
            "path": lambda: dict(params),
            "query": lambda: {
                name: values[0] if len(values) == 1 else values for name, values in exchange.parameters.items()
            },
            "headers": lambda: _ByHeader(exchange.by_header),
            "json": lambda: body_of(request, exchange),
        }
    )


def body_of(request: Request, exchange: Exchange) -> Any:
    """The JSON value of a request's body, or None if it has none.

    Raises:
        ServiceError: 400 `bad_request` or 415; the body is no JSON.
        RequestEntityTooLarge: the body is over the limit.
    """
    found = read_body(request, _DEEPEST)
    if found is NO_BODY:
        return None
    exchange.take_json(found)
    return found


def _account(workspace: Workspace, account: Account) -> Members:
    plain = ("id", "name", "email", "first_name", "last_name", "company_name", "of", "language", "enterprise",
             "organization_id", "user_id")  # fmt: skip
    return Members(
        {
            **{name: lambda name=name: getattr(account, name) for name in plain},  # type: ignore[misc]  # of this turn
            "role": lambda: account.role.value,
            "created_at": lambda: written(account.created_at),
            "credits": lambda: spending.left(workspace, account, "email"),
            "relay": lambda: {"enabled": True, **(account.record(Profile).relay or {})},
            "senders": lambda: [
                {"id": row.id, "name": row.name, "email": row.email, "active": row.active}
                for row in account.rows_of(Sender).values()
            ],
            "domains": lambda: [{"name": row.name, "state": row.state} for row in account.rows_of(Domain).values()],
            "webhooks": lambda: [
                {"id": row.id, "url": row.url, "type": row.type, "channel": row.channel, "events": list(row.events)}
                for row in account.rows_of(Webhook).values()
            ],
            "attributes": lambda: [
                {"category": row.category, "name": row.name} for row in account.rows_of(Attribute).values()
            ],
            "templates": lambda: [
                {"id": row.id, "name": row.name, "subject": row.subject or row.name, "html": row.html or ""}
                for row in account.rows_of(Campaign).values()
                if row.kind == EMAIL_TEMPLATE
            ],
            "scheduled_emails": lambda: [
                _scheduled(row, workspace.state.clock.start) for row in account.rows_of(ScheduledEmail).values()
            ],
            "blocked": lambda: [row.email for row in account.rows_of(BlockedContact).values()],
        }
    )


def _scheduled(row: ScheduledEmail, start: datetime) -> dict[str, Any]:
    """A scheduled e-mail; one of which nobody knows when it was made was there when the clock began."""
    return {
        "message_id": row.message_id,
        "batch_id": row.batch_id,
        "to": row.to,
        "subject": row.subject,
        "state": row.state,
        "rejected": row.rejected,
        "scheduled_at": written(row.scheduled_at),
        "created_at": written(row.created_at or start),
    }


def _behaviour(workspace: Workspace) -> Members:
    behaviour = workspace.state.behaviour
    return Members({name: lambda name=name: _plain(getattr(behaviour, name)) for name in behaviour._fields})  # type: ignore[misc]  # of this turn


def _plain(value: Any) -> Any:
    """A value of a behaviour as one of JSON."""
    if isinstance(value, timedelta):
        return duration.write(value)
    return value if isinstance(value, str | int | float) else None
