"""Activity logs in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from marshmallow import fields

from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.activities.model import Activity
from mockserver.resources.section import Instant, Item, Section, about, dump_rows
from mockserver.web.schemas.fields import Email, List


class ActivityItem(Item):
    date = Instant(required=True, **about("when it happened"))
    action = fields.String(required=True, **about("what was done, such as login-success"))
    user_email = Email(required=True, **about("who did it"))
    user_ip = fields.String(load_default="203.0.113.9", **about("from which address"))
    user_agent = fields.String(load_default="Mozilla/5.0", **about("with which program"))


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> tuple[()]:
    account.timeline(Activity).extend(Activity(**item) for item in data.get("activities", ()))
    return ()


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    return dump_rows("activities", _ACTIVITY_ITEM, account.timeline_of(Activity))


_ACTIVITY_ITEM = ActivityItem()

SECTION = Section(
    fields={
        "activities": List(fields.Nested(ActivityItem), **about("what its users did, which getAccountActivity lists"))
    },
    load=_load,
    dump=_dump,
    generators={
        "activities": lambda people, workspace, account: {
            "date": workspace.state.clock.before(timedelta(minutes=people.number(1, 300 * 24 * 60))),
            "action": people.choice(("login-success", "login-failed", "update-profile", "create-api-key")),
            "user_email": people.choice([user.email for user in account.users]),
            "user_ip": f"203.0.113.{people.number(1, 254)}",
            "user_agent": "Mozilla/5.0",
        }
    },
)
