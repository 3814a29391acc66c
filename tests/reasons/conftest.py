"""One workspace in which everything can be refused, its callers, and what no reason may tell."""

from __future__ import annotations

import pytest

from mockserver.core.contract.errors import ServiceError
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.domains.domain import Domain
from mockserver.resources.senders.model import Sender
from mockserver.resources.sso import model as sso
from mockserver.resources.webhooks import model as webhooks
from mockserver.scenario.load import load

RECORDS = ("brevo_code", "dkim_record", "dmarc_record")
WAITING = {"state": "awaiting_verification", "otp": 123456}
WORKSPACE = {
    "clock": {"start": "2026-01-15T09:20:00Z", "frozen": True},
    "behaviour": {"webhook_limit": 2},
    "accounts": [
        {
            "name": "acme",
            "id": 1003001,
            "api_keys": ["xkeysib-acme-key"],
            "revoked_keys": ["xkeysib-acme-revoked"],
            "dedicated_ips": [
                {"id": 3, "ip": "198.51.100.7", "domain": "a.acme.test"},
                {"id": 4, "ip": "198.51.100.8", "domain": "b.acme.test"},
            ],
            "senders": [
                {"id": 1, "name": "News", "email": "news@acme.test"},
                {"id": 2, "name": "Ops", "email": "ops@acme.test", "otp_expires_at": "2026-01-15T09:30:00Z", **WAITING},
                {"id": 3, "name": "La", "email": "late@acme.test", "otp_expires_at": "2026-01-15T09:15:00Z", **WAITING},
            ],
            "domains": [
                {
                    "name": "acme.test", "state": "verified", "code": "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
                    "created_at": "2025-01-01T08:00:00Z",
                    "dns": {"brevo_code": "ok", "dkim_record": "wrong", "dmarc_record": "timeout"},
                },
                {"name": "ready.test", "state": "verified", "dns": dict.fromkeys(RECORDS, "ok")},
                {"name": "new.test", "state": "pending"},
            ],
            "webhooks": [
                {"id": 11, "url": "http://127.0.0.1:9/", "events": ["sent"], "auth": {"token": "hook-token"}},
                {"id": 12, "url": "http://127.0.0.1:9/", "events": ["opened"], "type": "marketing"},
            ],
            "campaigns": [{"id": 21, "name": "Sale", "kind": "sms_campaign"}],
            "attributes": {"normal": ["FIRSTNAME", "LASTNAME"], "category": ["PLAN"]},
            "scheduled_emails": [
                {"message_id": "<1.1@relay.test>", "to": "bob@b.test", "scheduled_at": "2026-01-16T09:00:00Z"},
                {
                    "message_id": "<1.2@relay.test>", "batch_id": "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d",
                    "to": "bob@b.test", "scheduled_at": "2026-01-15T09:00:00Z", "state": "sent",
                },
            ],
        },
        {
            "name": "group",
            "id": 1003002,
            "role": "master",
            "enterprise": True,
            "api_keys": ["xkeysib-group-key"],
            "users": [{"email": "boss@group.test", "admin": True}, {"email": "clerk@group.test"}],
            "groups": [{"id": "650000000000000000000009", "name": "Europe"}],
            "pool": {"credits": {"email": 1000, "sms": 1.5}, "features": {"users": 4}},
        },
        {"name": "group-admin", "id": 1003003, "role": "admin", "of": "group"},
        {
            "name": "eu",
            "id": 2003001,
            "role": "sub_account",
            "of": "group",
            "users": [{"email": "owner@eu.test"}],
            "assigned": {"credits": {"email": 400, "sms": 0.2}},
            "senders": [{"id": 9, "name": "EU", "email": "news@eu.test"}],
        },
        {"name": "us", "id": 2003002, "role": "sub_account", "of": "group"},
    ],
}  # fmt: skip


@pytest.fixture
def scenario():
    return WORKSPACE


@pytest.fixture
def make_workspace(scenario):
    return lambda: load(scenario, name="default")


@pytest.fixture
def caller(workspace):
    """A factory: the caller behind an account, by its name."""
    return lambda name: Caller(workspace, next(row for row in workspace.state.accounts.values() if row.name == name))


@pytest.fixture
def reason_of():
    """A function: the reason of the refusal that a call ends with."""

    def reason_of(call, *arguments):
        with pytest.raises(ServiceError) as caught:
            call(*arguments)
        return caught.value.reason

    return reason_of


@pytest.fixture
def secrets(workspace):
    """A function: all that a stranger could use by now."""
    return lambda: set(_secrets(workspace))


def _secrets(workspace):
    """All that a stranger could use: keys, codes, tokens, and what proves a domain."""
    for account in workspace.state.accounts.values():
        yield from (*account.api_keys, *account.revoked_keys)
        yield from (str(row.otp) for row in account.table(Sender).values() if row.otp)
        yield from (row.auth["token"] for row in account.table(webhooks.Webhook).values() if row.auth)
        for row in account.table(Domain).values():
            yield from (row.code, row.dkim_key)
        yield from account.table(sso.SsoToken)
    yield from (str(mail.otp) for mail in workspace.state.mailbox if mail.otp)
