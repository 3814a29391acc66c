"""The sender of a scheduled e-mail is judged when the e-mail is due, as sending judges it at that moment."""

from urllib.parse import quote

import pytest

LATER, LATEST = "2026-01-15T10:00:00.000Z", "2026-01-15T12:00:00.000Z"
BATCH = "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d"
BOB = "bob@example.test"
#: A verified sender without a domain, one that still has to be verified, and an authenticated domain without senders.
SENDERS = {
    "senders": [
        {"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"},
        {"id": 2, "name": "Ops", "email": "ops@pending.test", "state": "awaiting_verification", "otp": 123456},
        {"id": 3, "name": "Boss", "email": "boss@acme.test", "state": "verified"},
    ],
    "domains": [{"name": "shop.test", "state": "authenticated"}, {"name": "pending.test", "state": "verified"}],
}
NEWS, OPS, SHOP = {"email": "news@acme.test"}, {"email": "ops@pending.test"}, {"email": "any@shop.test"}
OK = dict.fromkeys(("brevo_code", "dkim_record", "dmarc_record"), "ok")


def status(here, identifier):
    return here.api.get(f"/v3/smtp/emailStatus/{quote(identifier, safe='')}").json["status"]


def machine(here, message_id):
    return here.api.get(f"/_mock/machines/scheduled_email/{quote(message_id, safe='')}").json


def outcome(here):
    """The state of each scheduled e-mail, the events, and the credits that were used."""
    items = here.api.get("/_mock/machines/scheduled_email").json["items"]
    return [row["state"] for row in items], [event for event, _ in here.events()], 300 - here.credits()


def do(here, method, path, body=None):
    assert here.api.request(method, path, json=body).status_code in (200, 204)


@pytest.mark.parametrize(
    ("sender", "steps"),
    [
        (NEWS, [("DELETE", "/v3/senders/1", None)]),
        (NEWS, [("PUT", "/v3/senders/1", {"email": "other@acme.test"})]),
        (NEWS, [("PUT", "/v3/senders/1", {"email": "other@shop.test"})]),
        ({"id": 1}, [("DELETE", "/v3/senders/1", None)]),
        (NEWS, [("POST", "/_mock/machines/sender/1/delete", None)]),
        (SHOP, [("DELETE", "/v3/senders/domains/shop.test", None)]),
        (SHOP, [("PUT", "/_mock/dns/shop.test", {"dkim_record": "wrong"})]),
        (SHOP, [("PUT", "/_mock/dns/shop.test", {"brevo_code": "missing"}), ("PUT", "/_mock/dns/shop.test", OK)]),
    ],
)
def test_scheduled_e_mail_is_rejected_if_its_sender_is_no_longer_valid_when_due(sending, sender, steps):
    here = sending(SENDERS)
    message_id = here.send(scheduledAt=LATER, sender=sender).json["messageId"]
    for step in steps:
        do(here, *step)
    here.advance("PT59M")
    assert (status(here, message_id), outcome(here)) == ("queued", (["scheduled"], [], 0))

    moved = here.advance("PT1M")["fired"]

    assert outcome(here) == (["rejected"], ["error"], 0)
    assert (status(here, message_id), [mail for mail in here.mails() if mail["subject"] == "Hi"]) == ("error", [])
    ((_, email, payload),) = here.told()
    address = sender.get("email", NEWS["email"])
    assert email == BOB
    assert payload["reason"].startswith(
        f"Sending has been rejected because the sender you used {address} is not valid."
    )
    assert ("scheduled_email", "reject") in [(row["machine"], row["event"]) for row in moved]
    assert here.api.delete(f"/v3/smtp/email/{quote(message_id, safe='')}").status_code == 404
    assert "is already rejected" in here.reason()


@pytest.mark.parametrize(
    ("sender", "steps"),
    [
        (OPS, [("PUT", "/v3/senders/2/validate", {"otp": 123456})]),
        (OPS, [("PUT", "/_mock/dns/pending.test", OK), ("PUT", "/v3/senders/domains/pending.test/authenticate", None)]),
        (NEWS, [("PUT", "/v3/senders/1", {"name": "Other"})]),
        (NEWS, [("PUT", "/v3/senders/1", {"email": "NEWS@ACME.test"})]),
        (NEWS, [("DELETE", "/v3/senders/1", None), ("PUT", "/_mock/dns/acme.test", OK),
                ("POST", "/_mock/seed", {"domains": [{"name": "acme.test", "state": "authenticated"}]})]),
    ],
)  # fmt: skip
def test_scheduled_e_mail_is_sent_if_its_sender_is_valid_when_due(sending, sender, steps):
    here = sending(SENDERS)
    message_id = here.send(scheduledAt=LATER, sender=sender).json["messageId"]
    for step in steps:
        do(here, *step)
    here.advance("PT1H2S")

    assert outcome(here) == (["sent"], ["request", "delivered"], 1)
    assert (status(here, message_id), [row["message_id"] for row in here.mails()]) == ("processed", [message_id])


def test_each_e_mail_of_a_batch_is_judged_at_its_own_moment(sending):
    here = sending(SENDERS)
    versions = [{"to": [{"email": f"u{number}@example.test"}]} for number in range(2)]
    here.send(to=None, messageVersions=versions, scheduledAt=LATER, batchId=BATCH)
    here.send(to=None, messageVersions=versions, scheduledAt=LATEST, batchId=BATCH)
    here.advance("PT1H30M")
    do(here, "DELETE", "/v3/senders/1")
    here.advance("PT1H30M")

    states, events, used = outcome(here)
    assert (states, events.count("request"), events.count("error"), used) == (["sent"] * 2 + ["rejected"] * 2, 2, 2, 2)
    batches = here.api.get(f"/v3/smtp/emailStatus/{BATCH}").json["batches"]
    assert {row["scheduledAt"]: row["status"] for row in batches} == {LATER: "processed", LATEST: "error"}


def test_one_move_of_the_clock_judges_several_e_mails(sending):
    here = sending({**SENDERS, "plan": [{"type": "free", "credits": 1}]})
    for moment, sender in [(LATER, OPS), (LATER, NEWS), (LATEST, SHOP)]:
        here.send(scheduledAt=moment, sender=sender)
    here.advance("PT12H")

    states, events, _ = outcome(here)
    assert (states, events) == (["rejected", "sent", "rejected"], ["error", "request", "delivered", "error"])
    assert [payload.get("reason", "").partition(" the ")[2] for _, _, payload in here.told()][3] == (
        "account has not enough credits"
    )


@pytest.mark.parametrize(("sender", "answer", "end"), [(OPS, 400, []), (NEWS, 202, ["error"])])
def test_sender_is_refused_at_once_if_the_scenario_says_so_and_rejected_later(sending, sender, answer, end):
    here = sending(SENDERS, behaviour={"send_invalid_sender": "refuse"})

    assert here.send(scheduledAt=LATER, sender=sender).status_code == answer
    do(here, "DELETE", "/v3/senders/1")
    here.advance("PT2H")

    assert [event for event, _ in here.events()] == end


@pytest.mark.parametrize(
    ("event", "state"), [("fall_due", "rejected"), ("reject", "rejected"), ("cancel", "cancelled")]
)
def test_event_by_hand_judges_the_sender_too(sending, event, state):
    here = sending(SENDERS)
    message_id = here.send(scheduledAt=LATER, sender=OPS).json["messageId"]
    do(here, "POST", f"/_mock/machines/scheduled_email/{quote(message_id, safe='')}/{event}")

    assert machine(here, message_id)["state"] == state
    here.advance("PT2H")
    assert here.mails() == []


def test_valid_e_mail_is_rejected_by_hand(sending):
    here = sending(SENDERS)
    message_id = here.send(scheduledAt=LATER).json["messageId"]
    do(here, "POST", f"/_mock/machines/scheduled_email/{quote(message_id, safe='')}/reject")
    here.advance("PT2H")

    assert outcome(here) == (["rejected"], ["error"], 0)
    assert here.told()[0][2]["reason"] == "Sending has been rejected"


def test_e_mail_for_the_past_is_judged_at_once(sending):
    here = sending(SENDERS)
    here.send(scheduledAt="2026-01-15T08:00:00Z", sender=OPS)

    assert outcome(here) == (["rejected"], ["error"], 0)


def test_state_and_snapshot_keep_what_was_rejected(sending):
    here = sending(SENDERS)
    message_id = here.send(scheduledAt=LATER).json["messageId"]
    do(here, "DELETE", "/v3/senders/1")
    here.api.post("/_mock/snapshots", json={"name": "before"})
    here.advance("PT1H")
    state = here.api.get("/_mock/state").json
    (row,) = state["accounts"][0]["scheduled_emails"]
    assert (row["state"], "mail" in row) == ("rejected", False)
    do(here, "PUT", "/_mock/state", state)
    assert (status(here, message_id), here.api.get("/_mock/state").json) == ("error", state)

    here.api.post("/_mock/snapshots/before/restore")
    assert status(here, message_id) == "queued"
    here.advance("PT1H")
    assert status(here, message_id) == "error"


def test_other_accounts_and_workspaces_do_not_make_a_sender_valid(sending):
    here = sending(SENDERS)
    here.send(scheduledAt=LATER, sender=OPS)
    other = {"senders": [{"name": "Ops", "email": "ops@pending.test", "state": "verified"}]}
    do(here, "POST", "/_mock/seed", {"accounts": [{"name": "other", "api_keys": ["other-key"], **other}]})
    scenario = {"accounts": [{"name": "acme", "api_keys": ["w-key"], **other}]}
    assert here.api.post("/_mock/workspaces", json={"name": "second", "scenario": scenario}).status_code == 201
    here.advance("PT1H")

    assert outcome(here) == (["rejected"], ["error"], 0)


@pytest.mark.parametrize(
    ("row", "state"),
    [
        ({"mail": {"to": BOB}}, "sent"),
        ({"mail": {"to": BOB, "from": "news@acme.test"}}, "sent"),
        ({"mail": {"to": BOB, "from": "x@else.test"}}, "rejected"),
        ({"mail": {"to": BOB}, "rejected": "No"}, "rejected"),
        ({"rejected": "No"}, "rejected"),
        ({}, "sent"),
        ({"state": "sent", "rejected": "No"}, "rejected"),
        ({"state": "rejected"}, "rejected"),
    ],
)
def test_e_mail_of_a_scenario_is_judged_by_the_sender_that_it_names(sending, row, state):
    here = sending({**SENDERS, "scheduled_emails": [{"message_id": "<1@x>", "to": BOB, "scheduled_at": LATER, **row}]})
    here.advance("PT1H")

    assert machine(here, "<1@x>")["state"] == state
    assert status(here, "<1@x>") == {"sent": "processed", "rejected": "error"}[state]
    was_due = "state" not in row
    assert [event for event, _ in here.events()] == {"sent": ["request"], "rejected": ["error"]}[state] * was_due


def test_e_mail_whose_recipient_alone_is_known_needs_a_credit(sending):
    row = {"message_id": "<1@x>", "to": BOB, "scheduled_at": LATER}
    here = sending({"plan": [{"type": "free", "credits": 0}], "scheduled_emails": [row]})
    here.advance("PT1H")

    assert (machine(here, "<1@x>")["state"], here.events()) == ("rejected", [("error", BOB)])


def test_scheduled_e_mail_of_a_deleted_sub_account_is_never_due(sending):
    here = sending(SENDERS)
    sub = {"name": "sub", "id": 77, "role": "sub_account", "of": "boss", "api_keys": ["sub-key"]}
    sub["senders"] = [{"name": "News", "email": "news@acme.test", "state": "verified"}]
    boss = {"name": "boss", "role": "master", "api_keys": ["boss-key"]}
    do(here, "POST", "/_mock/seed", {"accounts": [boss, sub]})
    mail = {"sender": NEWS, "to": [{"email": BOB}], "subject": "Hi", "textContent": "Hi", "scheduledAt": LATER}
    assert here.api.post("/v3/smtp/email", key="sub-key", json=mail).status_code == 202

    assert here.api.delete("/v3/corporate/subAccount/77", key="boss-key").status_code == 204
    here.advance("PT2H")

    assert (here.mails(), here.api.get("/_mock/machines/scheduled_email").json["items"]) == ([], [])
