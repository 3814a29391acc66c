"""Scheduled e-mails in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from marshmallow import ValidationError, fields, validate

from mockserver.core.state.account import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.resource import Section
from mockserver.resources.scheduled_emails import model
from mockserver.resources.scheduled_emails.model import MACHINE, SCHEDULED, ScheduledEmail
from mockserver.resources.section import Instant, Item, TakenError, claim
from mockserver.resources.webhooks.events import draw_message_id
from mockserver.web.schemas.fields import Email, List


def _check_message_id(value: str) -> None:
    if not model.is_message_id(value):
        raise ValidationError("must stand in angle brackets and contain an @")


def _check_batch_id(value: str) -> None:
    if not model.is_batch_id(value):
        raise ValidationError("must be a UUID of version 4")


class ScheduledEmailItem(Item):
    message_id = fields.String(validate=_check_message_id)
    batch_id = fields.String(validate=_check_batch_id, allow_none=True)
    to = Email(required=True)
    subject = fields.String(load_default="")
    scheduled_at = Instant(required=True)
    state = fields.String(validate=validate.OneOf(MACHINE.states), load_default=SCHEDULED)


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    for index, item in enumerate(data.get("scheduled_emails", ())):
        message_id = item.get("message_id") or draw_message_id(workspace)
        if not claim(workspace, ScheduledEmail, message_id):
            raise TakenError(("scheduled_emails", index, "message_id"), f"{message_id} is there already")
        batch_id = item["batch_id"].lower() if item.get("batch_id") else None
        row = ScheduledEmail(**{**item, "message_id": message_id, "batch_id": batch_id})
        account.table(ScheduledEmail)[message_id] = row
        if row.state == SCHEDULED:
            model.await_moment(workspace, account, row)


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    rows = account.table(ScheduledEmail).values()
    return {"scheduled_emails": [_SCHEDULED_ITEM.dump(row) for row in rows]} if rows else {}


_SCHEDULED_ITEM = ScheduledEmailItem()

SECTION = Section(
    fields={"scheduled_emails": List(fields.Nested(ScheduledEmailItem))},
    load=_load,
    dump=_dump,
    generators={
        "scheduled_emails": lambda people, workspace, account: {
            "to": people.email(),
            "subject": people.sentence(),
            "scheduled_at": workspace.state.clock.after(timedelta(minutes=people.number(60, 60 * 24 * 3))),
            "state": SCHEDULED,
        }
    },
)
