"""A workspace with a campaign that can be sent, and calls about its sending."""

from __future__ import annotations

import copy

START = "2026-01-15T09:00:00Z"
CAMPAIGN = {
    "id": 11,
    "name": "June",
    "subject": "Hello {{ contact.FIRSTNAME }}",
    "html": "<p>{{ params.OFFER }}, {{ contact.FIRSTNAME }}</p>",
    "sender": {"email": "ops@acme.test", "name": "Ops"},
    "list_ids": [5, 6],
    "params": {"OFFER": "Ten"},
    "tag": "summer",
}
WORKSPACE = {
    "clock": {"start": START, "frozen": True},
    "accounts": [
        {
            "name": "acme",
            "api_keys": ["key-acme"],
            "senders": [{"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "verified"}],
            "plan": [{"type": "payAsYouGo", "creditsType": "sendLimit", "credits": 1_000}],
            "contact_lists": [{"id": 5, "name": "A"}, {"id": 6, "name": "B"}, {"id": 7, "name": "Not"}],
            "contacts": [
                {"id": 1, "email": "ada@acme.test", "attributes": {"FIRSTNAME": "Ada"}, "list_ids": [5]},
                {"id": 2, "email": "bob@acme.test", "attributes": {"FIRSTNAME": "Bob"}, "list_ids": [6, 5]},
                {"id": 3, "email": "cy@other.test", "attributes": {"FIRSTNAME": "Cy"}, "list_ids": [6]},
                {"id": 4, "email": "dee@other.test", "list_ids": [6, 7]},
                {"id": 5, "email": "eve@other.test", "list_ids": [6], "email_blacklisted": True},
                {"id": 6, "phone": "33612345678", "list_ids": [6]},
                {"id": 7, "email": "fay@other.test", "list_ids": [7]},
                {"id": 8, "email": "gus@other.test", "list_ids": [5]},
            ],
            "blocked_contacts": [{"email": "gus@other.test", "blocked_at": START}],
            "campaigns": [{**CAMPAIGN, "excluded_list_ids": [7]}],
        }
    ],
}


def account_with(**members):
    """The workspace with other members of its account."""
    found = copy.deepcopy(WORKSPACE)
    found["accounts"][0].update(members)
    return found


def fire(api, event, number=11):
    answer = api.post(f"/_mock/machines/campaign/{number}/{event}")
    assert answer.status_code == 200, answer.text
    return answer.json["state"]


def state(api, number=11):
    return api.get(f"/_mock/machines/campaign/{number}").json["state"]


def recipients(api):
    """The addresses that have got e-mails, in order."""
    return [mail["to"] for mail in api.get("/_mock/mailbox?limit=1000").json["items"]][::-1]


def credits_left(api):
    return api.get("/v3/account").json["plan"][0]["credits"]


def many(number, **members):
    """A workspace with a campaign to so many contacts."""
    contacts = [{"id": index, "email": f"c{index}@acme.test", "list_ids": [5]} for index in range(1, number + 1)]
    return account_with(contacts=contacts, blocked_contacts=[], **members)
