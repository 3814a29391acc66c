"""Workspaces with templates, and calls about these."""

import pytest

START = "2026-01-15T09:00:00Z"
#: The smallest template.
NEW = {
    "templateName": "Order",
    "subject": "Your order",
    "sender": {"email": "news@acme.test"},
    "htmlContent": "<p>Thank you</p>",
}
SCENARIO = {
    "clock": {"start": START, "frozen": True},
    "seed": 7,
    "accounts": [
        {
            "name": "acme",
            "email": "owner@acme.test",
            "api_keys": ["acme-key"],
            "plan": [{"type": "free", "credits": 300}],
            "senders": [
                {"id": 1, "name": "News", "email": "news@acme.test"},
                {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification"},
            ],
            "contact_lists": [{"id": 1, "name": "News", "folder_id": 1}],
            "contacts": [
                {
                    "email": "ada@example.test", "list_ids": [1],
                    "attributes": {"FIRSTNAME": "Ada", "VIP": True, "DEBT": 0},
                },
                {"email": "bob@example.test", "list_ids": [1]},
            ],
            "blocked_contacts": [{"email": "bob@example.test"}],
            "campaigns": [{"id": 5, "name": "June"}],
            "webhooks": [{"id": 1, "url": "http://127.0.0.1:9/hook", "events": ["request", "delivered"]}],
        },
        {"name": "shop", "api_keys": ["shop-key"], "senders": [{"id": 3, "name": "Shop", "email": "shop@shop.test"}]},
    ],
}  # fmt: skip


class Templates:
    """Calls about the templates of the first account, or of the account of a key."""

    def __init__(self, api):
        self.api = api

    def call(self, method, path="", body=None, **options):
        return self.api.request(method, f"/v3/smtp/templates{path}", json=body, **options)

    def made(self, **members):
        """The id of a new template, active unless the members say otherwise."""
        answer = self.call("POST", body={**NEW, "isActive": True, **members})
        assert answer.status_code == 201, answer.text
        return answer.json["id"]

    def get(self, number):
        return self.call("GET", f"/{number}").json

    def test(self, number, *addresses):
        """The answer to a test."""
        return self.call("POST", f"/{number}/sendTest", {"emailTo": list(addresses)})

    def send(self, number, **members):
        """The e-mail that is sent by a template."""
        body = {"to": [{"email": "ada@example.test"}], "templateId": number, **members}
        answer = self.api.post("/v3/smtp/email", json=body)
        assert answer.status_code == 201, answer.text
        return self.mails()[-1]

    def mails(self):
        return self.api.get("/_mock/mailbox?limit=1000").json["items"][::-1]

    def exchange(self):
        """The last exchange in the journal."""
        return self.api.get("/_mock/requests?limit=1").json["items"][0]


@pytest.fixture
def templates(make_api):
    return Templates(make_api(SCENARIO))
