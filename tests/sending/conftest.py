"""Workspaces that send, and calls of POST /v3/smtp/email."""

import pytest

START = "2026-01-15T09:00:00Z"
EVENTS = ["request", "delivered", "blocked", "error", "hardBounce"]

#: The smallest e-mail that is sent.
MAIL = {
    "sender": {"name": "News", "email": "news@acme.test"},
    "to": [{"email": "bob@example.test", "name": "Bob"}],
    "subject": "Hi",
    "htmlContent": "<p>Hi</p>",
}
SCENARIO = {
    "clock": {"start": START, "frozen": True},
    "seed": 7,
    "accounts": [
        {
            "name": "acme",
            "api_keys": ["acme-key"],
            "plan": [{"type": "free", "credits": 300}],
            "senders": [
                {"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"},
                {"id": 2, "name": "Ops", "email": "ops@pending.test", "state": "awaiting_verification"},
            ],
            "domains": [
                {"name": "acme.test", "state": "authenticated"},
                {"name": "pending.test", "state": "pending"},
            ],
            "campaigns": [
                {"id": 7, "kind": "email_template", "name": "Welcome", "subject": "Hi {{ params.NAME }}",
                 "html": "<p>{{params.NAME}}</p>"},
                {"id": 8, "kind": "email_campaign", "name": "June"},
            ],
            "webhooks": [{"id": 1, "url": "http://127.0.0.1:9/hook", "events": EVENTS}],
        }
    ],
}  # fmt: skip


class Sending:
    """A workspace on a frozen clock, as its API and its control API show it."""

    def __init__(self, api):
        self.api = api

    def send(self, **members):
        """The answer to `MAIL` with other members; those that are None are left out."""
        return self.post({name: value for name, value in {**MAIL, **members}.items() if value is not None})

    def post(self, body):
        return self.api.post("/v3/smtp/email", json=body)

    def mails(self):
        return self.api.get("/_mock/mailbox?limit=1000").json["items"][::-1]

    def credits(self):
        return self.api.get("/v3/account").json["plan"][0]["credits"]

    def told(self):
        """Of each webhook call in the order of its making: event, recipient, and the whole payload."""
        self.api.advance("PT0S")  # waits for the calls that are under way
        items = self.api.get("/_mock/deliveries?limit=1000").json["items"][::-1]
        bodies = [item["attempts"][0]["request"]["body"] for item in items if item["attempts"]]
        return [(body["event"], body["email"], body) for body in bodies]

    def events(self):
        return [row[:2] for row in self.told()]

    def advance(self, by):
        return self.api.advance(by)

    def warnings(self):
        return self.api.get("/_mock/requests?limit=1").json["items"][0]["warnings"]

    def reason(self):
        return self.api.get("/_mock/requests?limit=1").json["items"][0]["reason"]


@pytest.fixture
def smallest():
    return MAIL


@pytest.fixture
def sending(make_api):
    """A factory of workspaces, with other members of the scenario or of its account."""

    def make(account=None, **members):
        accounts = [{**SCENARIO["accounts"][0], **(account or {})}]
        return Sending(make_api({**SCENARIO, "accounts": accounts, **members}, key="acme-key"))

    return make
