"""A program that follows the advice of a rule (docs/howto/lint.md, "Fix") gets no finding, of any rule."""

from __future__ import annotations

import pytest
from lint.calls import Call

from mockserver.lint.finding import RULES

SUB = {"companyName": "Shop", "email": "shop@acme.test"}
CREATE = Call("POST", "/v3/corporate/subAccount", SUB)
CONTACT = Call("POST", "/v3/contacts", {"email": "ada@acme.test"})
LIST = Call("POST", "/v3/contacts/lists", {"name": "News", "folderId": 1})
MAIL = Call("POST", "/v3/smtp/email", {
    "sender": {"email": "shop@acme.test"}, "to": [{"email": "ada@acme.test"}], "subject": "Hi", "textContent": "Hello",
    "headers": {"idempotencyKey": "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d"},
})  # fmt: skip
REFUSED, LOST = {"fault": "rate_limited; reset_s=30"}, {"fault": "lost_answer"}


def page(offset, path="/v3/contacts/lists", limit=10):
    return Call("GET", f"{path}?limit={limit}&offset={offset}")


#: By rule: its advice, and the requests of a program that follows it.
ADVICE = {
    "repeated-write": {
        "no repeat": [CREATE._replace(**LOST)],
        "the resource is read first, and the row is there": [
            CREATE._replace(**LOST), page(0, "/v3/corporate/subAccount", 100),
        ],
        "the resource is read first, and the row is on the first page": [LIST._replace(**LOST), page(0)],
        "the resource is read first, and the row is not there": [
            LIST._replace(fault="server_error"), page(0), page(10), LIST,
        ],
        "the row is read first": [
            CONTACT._replace(fault="server_error"), Call("GET", "/v3/contacts/ada@acme.test"), CONTACT,
        ],
        "an idempotency key": [MAIL._replace(**LOST), MAIL],
        "the resource is read first, after the wait of a 429": [
            LIST._replace(**LOST), page(0)._replace(**REFUSED), page(0)._replace(wait=30),
        ],
    },
    "ignored-rate-limit": {
        "a read waits": [page(0)._replace(**REFUSED), page(0)._replace(wait=30), page(10)],
        "a write waits": [CREATE._replace(**REFUSED), CREATE._replace(wait=30)],
        "all threads wait": [
            Call("GET", "/v3/senders", port=50_001), Call("GET", "/v3/account", **REFUSED),
            Call("GET", "/v3/senders", wait=30), Call("GET", "/v3/account", wait=0.001, port=50_001),
        ],
    },
    "first-page-only": {
        "all pages": [page(0), page(10)],
        "all pages, one of which is refused": [page(0), page(10)._replace(**REFUSED), page(10)._replace(wait=30)],
        "all pages, one of which is lost": [page(0), page(10)._replace(fault="unavailable"), page(10)],
    },
    "secret-in-url": {
        "auth": [Call("POST", "/v3/webhooks", {
            "url": "https://hooks.acme.test/in", "events": ["sent"], "auth": {"type": "bearer", "token": "s3cret"},
        })],
        "headers": [Call("POST", "/v3/webhooks", {
            "url": "https://hooks.acme.test/in", "events": ["sent"], "headers": [{"key": "X-Key", "value": "s3cret"}],
        })],
    },
    "unverified-webhook": {
        "a receiver that compares": [Call("POST", "/v3/webhooks", {
            "url": "https://hooks.acme.test/in", "events": ["sent"], "auth": {"type": "bearer", "token": "s3cret"},
        })],
    },
    "unused-input": {
        "the right name": [Call("POST", "/v3/senders", {"name": "News", "email": "news@acme.test"})],
        "a sandbox in the body": [
            MAIL._replace(body={**MAIL.body, "headers": {"X-Sib-Sandbox": "drop"}}),
        ],
    },
    "no-timeout": {
        "a read that is repeated": [
            Call("GET", "/v3/account", fault="hang", took=10, left=True), Call("GET", "/v3/account"),
        ],
        "a write after which the resource is read": [
            LIST._replace(fault="hang", took=10, left=True), page(0), page(10), LIST,
        ],
    },
    "outdated-api": {
        "sub-accounts": [
            Call("GET", "/v3/account", headers={"Host": "api.brevo.com"}),
            page(0, "/v3/corporate/subAccount", 100), CREATE,
        ],
    },
}  # fmt: skip


def test_table_has_each_rule():
    assert tuple(ADVICE) == RULES


@pytest.mark.parametrize(
    "calls",
    [pytest.param(calls, id=f"{rule}, {how}") for rule, ways in ADVICE.items() for how, calls in ways.items()],
)
def test_program_that_follows_the_advice_of_a_rule_has_no_finding(client, calls):
    client.play(calls)

    assert client.findings() == []
