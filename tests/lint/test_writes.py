"""The rule `repeated-write`: blind repeats are found, and all else that looks like one is not."""

from __future__ import annotations

import pytest
from lint.calls import Call

RULE = "repeated-write"
SUB = {"companyName": "Shop", "email": "shop@acme.test"}
SENDER = {"name": "News", "email": "news@acme.test"}
MAIL = {
    "sender": {"email": "shop@acme.test"}, "to": [{"email": "ada@acme.test"}], "subject": "Hi", "textContent": "Hello",
}  # fmt: skip


def sub_account(**more):
    return Call("POST", "/v3/corporate/subAccount", SUB)._replace(**more)


def sender(**more):
    return Call("POST", "/v3/senders", SENDER)._replace(**more)


def mail(**more):
    return Call("POST", "/v3/smtp/email", MAIL)._replace(**more)


def campaign(**more):
    body = {"name": "June", "subject": "June", "sender": {"id": 1}, "htmlContent": "<p>It is June.</p>"}
    return Call("POST", "/v3/emailCampaigns", body)._replace(**more)


def template(**more):
    body = {"templateName": "Order", "subject": "Order", "sender": {"id": 1}, "htmlContent": "<p>Thank you.</p>"}
    return Call("POST", "/v3/smtp/templates", body)._replace(**more)


def import_(**more):
    body = {"jsonBody": [{"email": "ada@acme.test"}], "listIds": [1]}
    return Call("POST", "/v3/contacts/import", body)._replace(**more)


LOST = sub_account(fault="lost_answer")
AGAIN = "createSubAccount was repeated after"
TWO = "2 sub-accounts with this e-mail exist"
SENT_TWICE = "sendTransacEmail was repeated after a 504; 2 e-mails with this content exist"
ONE = "1 sub-account with this e-mail exists"

FOUND = {
    "a lost answer": ([LOST, sub_account()], f"{AGAIN} a 504; {TWO}"),
    "three lost answers": (
        [LOST, LOST, LOST, sub_account()],
        f"{AGAIN} a 504, 3 times; 4 sub-accounts with this e-mail exist",
    ),
    "a 500 that did nothing": ([sub_account(fault="server_error"), sub_account()], f"{AGAIN} a 500; {ONE}"),
    "a reset connection": ([sub_account(fault="connection_reset"), sub_account()], f"{AGAIN} no answer; {ONE}"),
    "an answer that came too late": ([sub_account(left=True, took=5), sub_account()], f"{AGAIN} no answer; {TWO}"),
    "a connection that the client closes long after it has given up": (
        [sub_account(left=True, took=30), sub_account(port=50_001, wait=-29)], f"{AGAIN} no answer; {TWO}",
    ),
    "a hanging request": ([sub_account(fault="hang", took=60), sub_account()], f"{AGAIN} no answer; {ONE}"),
    "different outcomes": (
        [LOST, sub_account(fault="connection_reset"), sub_account()],
        f"{AGAIN} a 504 and no answer, 2 times; {TWO}",
    ),
    "a connection of its own for each request, at once": (
        [LOST, sub_account(port=50_001, wait=0.001)], f"{AGAIN} a 504; {TWO}",
    ),
    "the same connection, at once": ([LOST, sub_account(wait=0.0001)], f"{AGAIN} a 504; {TWO}"),
    "a refused repeat that nobody looks up": (
        [sender(fault="lost_answer"), sender()],
        "createSender was repeated after a 504; 1 sender with this e-mail exists, and the last call was refused",
    ),
    "an e-mail": ([mail(fault="lost_answer"), mail()], SENT_TWICE),
    "a campaign": (
        [campaign(fault="lost_answer"), campaign()],
        "createEmailCampaign was repeated after a 504; 2 campaigns of this name exist",
    ),
    "a template": (
        [template(fault="lost_answer"), template()],
        "createSmtpTemplate was repeated after a 504; 2 templates of this name exist",
    ),
    "an import": (
        [import_(fault="lost_answer"), import_()],
        "importContacts was repeated after a 504; it was sent 2 times, and the service does each",
    ),
    "an export": (
        [Call("POST", "/v3/webhooks/export", {"days": 3}, fault="lost_answer"),
         Call("POST", "/v3/webhooks/export", {"days": 3})],
        "exportWebhooksHistory was repeated after a 504; it was sent 2 times, and the service does each",
    ),
    "a key in a header, which the service does not read": (
        [mail(fault="lost_answer", headers={"Idempotency-Key": "1"}), mail(headers={"Idempotency-Key": "1"})],
        SENT_TWICE,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("calls", "message"), FOUND.values(), ids=FOUND)
def test_blind_repeat_is_found_with_the_number_of_rows_after(check, calls, message):
    check(RULE, calls, message, range(len(calls)))


def test_repeat_on_a_pooled_connection_is_found(check):
    check(RULE, [LOST, sub_account(port=50_001), Call("GET", "/v3/account")], f"{AGAIN} a 504; {TWO}", [0, 1])


def test_reading_of_another_resource_does_not_excuse_a_repeat(check):
    check(RULE, [LOST, Call("GET", "/v3/account"), sub_account()], f"{AGAIN} a 504; {TWO}", [0, 2])


KEY = {**MAIL, "headers": {"idempotencyKey": "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d"}}
UPDATE = {"email": "ada@acme.test", "updateEnabled": True}
LOOK = Call("GET", "/v3/corporate/subAccount?offset=0&limit=50")
SILENT = {
    "the list was read in between": [LOST, LOOK, sub_account()],
    "the list was read before the server noticed that the client had left": [
        sub_account(left=True, took=5), LOOK._replace(wait=-0.001, port=50_001), sub_account(port=50_001),
    ],
    "a 404 was read in between": [
        Call("POST", "/v3/contacts", {"email": "a@b.test"}, fault="server_error"),
        Call("GET", "/v3/contacts/a@b.test"), Call("POST", "/v3/contacts", {"email": "a@b.test"}),
    ],
    "the first was answered": [sub_account(), sub_account()],
    "the first was refused": [sub_account(body={"email": "x"}), sub_account(body={"email": "x"})],
    "the first met a 429": [sub_account(fault="rate_limited"), sub_account()],
    "the body differs": [LOST, sub_account(body={**SUB, "companyName": "Other"})],
    "the account differs": [sender(fault="lost_answer"), sender(key="other-key")],
    "the program differs": [LOST, sub_account(agent="check/1.0")],
    "long after": [LOST, sub_account(wait=121)],
    "long after on the workspace's clock": [LOST, sub_account(advance="1h")],
    "on purpose after a success": [LOST, sub_account(), sub_account()],
    "on purpose before": [sub_account(), LOST, sub_account()],
    "under way on another connection": [LOST, sub_account(port=50_001, wait=0.0004)],
    "under way on a connection that was opened before": [
        Call("GET", "/v3/account", port=50_001), LOST, sub_account(port=50_001, wait=0.01),
    ],
    "begun before the end of the first": [sub_account(fault="lost_answer", took=2), sub_account(port=50_001, wait=-1)],
    "an idempotency key": [mail(body=KEY, fault="lost_answer"), mail(body=KEY)],
    "an update of a contact": [Call("POST", "/v3/contacts", UPDATE, fault="lost_answer"),
                               Call("POST", "/v3/contacts", UPDATE)],
    "a refused repeat after which the client changes what there is": [
        Call("POST", "/v3/contacts", {"email": "a@b.test"}, fault="lost_answer"),
        Call("POST", "/v3/contacts", {"email": "a@b.test"}), Call("PUT", "/v3/contacts/a@b.test", {"listIds": [1]}),
    ],
    "a refused repeat that is looked up": [sender(fault="lost_answer"), sender(), Call("GET", "/v3/senders")],
    "the service sends a campaign once": [
        campaign(), Call("POST", "/v3/emailCampaigns/1/sendNow", {}, fault="lost_answer"),
        Call("POST", "/v3/emailCampaigns/1/sendNow", {}),
    ],
    "PUT": [Call("PUT", "/v3/contacts/lists/1", {"name": "x"}, fault="lost_answer"),
            Call("PUT", "/v3/contacts/lists/1", {"name": "x"})],
    "DELETE": [Call("DELETE", "/v3/contacts/lists/1", fault="lost_answer"), Call("DELETE", "/v3/contacts/lists/1")],
    "no repeat at all": [LOST],
    "half an answer": [sub_account(fault="truncated_body"), sub_account()],
}  # fmt: skip


@pytest.mark.parametrize("calls", SILENT.values(), ids=SILENT)
def test_write_is_no_blind_repeat_if(check, calls):
    check(RULE, calls)


def test_repeat_to_which_a_proxy_invites_is_no_finding(api, check):
    api.post("/_mock/faults", json={"fault": "unavailable", "times": 1, "headers": {"Retry-After": "1"}})
    check(RULE, [sub_account(), sub_account()])
