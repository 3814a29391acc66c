"""Workspaces whose effects are performed as a stub would, without a request."""

from datetime import UTC, datetime

import pytest

from mockserver.beyond.effects import check, perform, read
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.deliveries.delivery import Delivery

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
EVENTS = ["request", "delivered", "blocked", "error", "hardBounce", "opened"]


class Performer:
    """One application on a frozen clock, and effects on its first account, or on that of a name."""

    def __init__(self, api, account=None):
        self.api, self.workspace = api, api.workspace
        state = api.workspace.state
        self.account = state.first_account if account is None else state.account_named(account)

    @property
    def caller(self):
        account = self.workspace.state.accounts[self.account.id]
        return Caller(self.workspace, account)

    def do(self, *written):
        effects = [read(row) for row in written]

        def act(workspace):
            check(effects, self.caller)
            perform(effects, self.caller)
            workspace.catch_up()

        self.api.store.within(self.workspace.name, act)

    def mails(self):
        return self.api.get("/_mock/mailbox").json["items"]

    def events(self):
        """Of each webhook call: the event in its payload, to whom it happens, and how many seconds from the start."""
        return [
            (row.payloads[0]["event"], row.payloads[0]["email"], (row.created_at - START).total_seconds())
            for row in self.deliveries()
        ]

    def deliveries(self):
        return list(self.caller.account.table(Delivery).values())

    def plan(self):
        return [row["credits"] for row in self.api.get("/v3/account").json["plan"]]

    def save_and_load(self):
        """Write the state and load it, as a restart does; returns what was written."""
        state = self.api.get("/_mock/state").json
        assert self.api.put("/_mock/state", json=state).status_code == 200
        return state


@pytest.fixture
def performer(make_api):
    """A factory of performers, by the members of a scenario; `account` names the one that acts."""

    def make(account=None, **scenario):
        hook = {"id": 1, "url": "http://127.0.0.1:9/hook", "events": EVENTS}
        clock = {"start": START.isoformat(), "frozen": True}
        return Performer(make_api({"clock": clock, "seed": 7, "webhooks": [hook], **scenario}), account)

    return make
