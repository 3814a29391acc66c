"""Calls about campaigns, in a workspace whose clock stands still."""

from __future__ import annotations

import pytest

START = "2026-01-15T09:00:00Z"
HTML = "<p>Summer is here</p>"
SCENARIO = {
    "clock": {"start": START, "frozen": True},
    "seed": 7,
    "senders": [
        {"id": 1, "name": "News", "email": "news@acme.test"},
        {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification"},
    ],
    "domains": [{"name": "acme.test", "state": "authenticated"}],
    "contact_lists": [{"id": 1, "name": "News"}, {"id": 2, "name": "Partners"}],
    "contacts": [
        {"id": 1, "email": "ada@acme.test", "list_ids": [1]},
        {"id": 2, "email": "bob@acme.test", "list_ids": [1, 2]},
    ],
}
BODY = {
    "name": "June",
    "sender": {"email": "news@acme.test"},
    "subject": "Sale",
    "htmlContent": HTML,
    "recipients": {"listIds": [1]},
}


class Campaigns:
    """Calls about the campaigns of the first account."""

    def __init__(self, api):
        self.api = api

    def call(self, method, path="", body=None):
        """The status and the body of an answer; for a refusal its code and message."""
        options = {} if body is None else {"json": body}
        answer = self.api.request(method, f"/v3/emailCampaigns{path}", **options)
        if answer.status_code < 400:
            return answer.status_code, answer.json if answer.data else None
        return answer.status_code, (answer.json["code"], answer.json["message"])

    def get(self, path=""):
        status, found = self.call("GET", path)
        assert status == 200, found
        return found

    def create(self, **members):
        """The id of a campaign with these members instead of those of `BODY`; None leaves a member out."""
        status, found = self.call("POST", "", {**BODY, **members})
        assert status == 201, found
        return found["id"]

    def refused(self, **members):
        """The code and message that refuse the creation of such a campaign."""
        status, found = self.call("POST", "", {**BODY, **members})
        assert status == 400, found
        assert self.get()["count"] == 0
        return found

    def done(self, method, path, body=None):
        assert self.call(method, path, body) == (204, None)

    def to(self, number, status):
        return self.call("PUT", f"/{number}/status", {"status": status})

    def state(self, number):
        return self.get(f"/{number}")["status"]

    def mails(self):
        return [row["to"] for row in self.api.get("/_mock/mailbox").json["items"]]

    @property
    def request(self):
        """The last request, as the journal shows it."""
        return self.api.get("/_mock/requests?limit=1").json["items"][0]


@pytest.fixture
def campaigns(make_api):
    return Campaigns(make_api(SCENARIO))


@pytest.fixture
def campaigns_of(make_api):
    """A factory of calls in a workspace with further members of the scenario."""
    return lambda **members: Campaigns(make_api({**SCENARIO, **members}))
