"""Contacts that get nothing any more: after which events, for which senders, and until they are unblocked."""

import pytest

from mockserver.resources.webhooks.blocked import REASONS

BOB = "bob@example.test"
OTHER = {"sender": {"email": "other@acme.test"}}


def trigger(here, event, to=BOB, **members):
    assert here.api.post("/_mock/trigger", json={"event": event, "to": to, **members}).status_code == 200


def outcome(here, **members):
    """The event that happens to an e-mail for Bob two seconds after it was sent."""
    here.send(**members)
    here.advance("PT2S")
    return here.events()[-1][0]


def listed(here, **query):
    return here.api.get("/v3/smtp/blockedContacts", query_string=query)


def unblock(here, email):
    return here.api.delete(f"/v3/smtp/blockedContacts/{email}")


@pytest.mark.parametrize(
    ("event", "from_other"), [("hardBounce", "blocked"), ("unsubscribed", "blocked"), ("spam", "delivered")]
)
def test_the_next_e_mail_is_blocked(sending, event, from_other):
    here = sending()
    trigger(here, event)

    assert outcome(here) == "blocked"
    assert outcome(here, **OTHER) == from_other
    assert outcome(here, to=[{"email": "eve@example.test"}]) == "delivered"


def test_a_spam_report_blocks_the_sender_of_the_e_mail(sending):
    here = sending()
    trigger(here, "spam", payload={"sender_email": "OTHER@acme.test"})

    assert outcome(here) == "delivered"
    assert outcome(here, **OTHER) == "blocked"


@pytest.mark.parametrize("event", ["spam", "unsubscribed"])
def test_marketing_events_do_not_block_transactional_e_mails(sending, event):
    here = sending()
    trigger(here, event, type="marketing")

    assert outcome(here) == "delivered"


def test_each_recipient_of_an_e_mail_is_blocked_or_not(sending):
    here = sending()
    trigger(here, "hardBounce")
    here.send(to=[{"email": "BOB@example.test"}, {"email": "eve@example.test"}])
    here.advance("PT2S")

    assert here.events()[1:] == [
        ("request", "BOB@example.test"),
        ("request", "eve@example.test"),
        ("blocked", "BOB@example.test"),
        ("delivered", "eve@example.test"),
    ]


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ("hardBounce", f"an e-mail to {BOB} has bounced hard, so the contact is blocked"),
        ("spam", f"{BOB} has reported an e-mail as spam, so the contact is blocked for news@acme.test"),
        ("unsubscribed", f"{BOB} has unsubscribed, so the contact is blocked"),
    ],
)
def test_the_journal_says_why_a_contact_is_blocked(sending, event, why):
    here = sending()
    trigger(here, event)
    here.send()

    assert here.warnings() == [f"{why}: webhooks get the event blocked instead of delivered"]


def test_blocked_contacts_are_listed_the_newest_first(sending):
    here = sending()
    trigger(here, "hardBounce")
    here.advance("PT1H")
    trigger(here, "spam", "eve@example.test")

    found = listed(here).json

    assert found["count"] == 2
    assert [
        (row["email"], row["senderEmail"], row["reason"]["code"], row["blockedAt"]) for row in found["contacts"]
    ] == [
        ("eve@example.test", "news@acme.test", "contactFlaggedAsSpam", "2026-01-15T10:00:00.000Z"),
        (BOB, "news@acme.test", "hardBounce", "2026-01-15T09:00:00.000Z"),
    ]


@pytest.mark.parametrize(
    ("event", "members"),
    [("hardBounce", {}), ("hardBounce", {"type": "marketing"}), ("spam", {}), ("unsubscribed", {})],
)
@pytest.mark.parametrize(
    ("payload", "sender"),
    [({}, "news@acme.test"), ({"sender_email": "other@acme.test"}, "other@acme.test"), ({"sender_email": "x"}, None)],
)
def test_the_sender_of_the_e_mail_that_blocked_a_contact_is_listed(sending, event, members, payload, sender):
    here = sending()
    trigger(here, event, payload=payload, **members)

    state = here.api.get("/_mock/state").json
    assert [row["senderEmail"] for row in listed(here).json["contacts"]] == [sender]
    assert here.api.put("/_mock/state", json=state).status_code == 200
    assert [row["senderEmail"] for row in listed(here).json["contacts"]] == [sender]


@pytest.mark.parametrize("reason", REASONS)
def test_the_sender_that_a_scenario_names_is_listed_and_null_without_one(sending, reason):
    contacts = [
        {"email": "a@x.test", "reason": reason, "sender": "ops@acme.test"},
        {"email": "b@x.test", "reason": reason},
    ]
    found = listed(sending({"blocked_contacts": contacts})).json["contacts"]

    assert {row["email"]: row["senderEmail"] for row in found} == {"a@x.test": "ops@acme.test", "b@x.test": None}


def test_a_bounce_is_filtered_by_the_sender_of_its_e_mail(sending):
    here = sending()
    trigger(here, "hardBounce", payload={"sender_email": "OTHER@acme.test"})

    assert listed(here, senders="other@acme.test").json["count"] == 1
    assert listed(here, senders="news@acme.test").json["count"] == 0
    assert outcome(here) == "blocked"


CONTACTS = [
    {"email": "a@x.test", "blocked_at": "2026-01-10T00:00:00Z", "reason": "adminBlocked"},
    {"email": "b@x.test", "blocked_at": "2026-01-11T23:59:59Z", "reason": "unsubscribedViaApi",
     "sender": "news@acme.test"},
    {"email": "c@x.test", "blocked_at": "2026-01-12T00:00:00Z", "reason": "contactFlaggedAsSpam",
     "sender": "ops@acme.test"},
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "count", "shown"),
    [
        ({}, 3, "cba"),
        ({"sort": "asc"}, 3, "abc"),
        ({"limit": 1}, 3, "c"),
        ({"limit": 2, "offset": 1}, 3, "ba"),
        ({"startDate": "2026-01-11", "endDate": "2026-01-11"}, 1, "b"),
        ({"senders": "NEWS@acme.test"}, 2, "ba"),
        ({"senders": "news@acme.test, ops@acme.test"}, 3, "cba"),
    ],
)
def test_list_of_blocked_contacts_is_filtered_sorted_and_paged(sending, query, count, shown):
    found = listed(sending({"blocked_contacts": CONTACTS}), **query).json

    assert (found["count"], "".join(row["email"][0] for row in found["contacts"])) == (count, shown)


def test_an_unblocked_contact_gets_e_mails_again(sending):
    here = sending()
    for event in ("spam", "hardBounce"):
        trigger(here, event)

    assert unblock(here, "BOB@example.test").status_code == 204

    assert (outcome(here), listed(here).json) == ("delivered", {"contacts": [], "count": 0})


def test_a_contact_that_is_not_blocked_cannot_be_unblocked(sending):
    here = sending({"blocked_contacts": CONTACTS[:1]})

    assert unblock(here, BOB).json == {"code": "document_not_found", "message": "Contact email not found"}
    assert here.reason() == f"account acme has no blocked contact {BOB} (it has a@x.test)"


def test_contacts_of_a_scenario_are_written_back_as_they_were(sending):
    contacts = [*CONTACTS, {"email": BOB, "blocked_at": "2026-01-15T09:00:00Z"}]
    here = sending({"blocked_contacts": [*CONTACTS, {"email": BOB}]})

    assert here.api.get("/_mock/state").json["accounts"][0]["blocked_contacts"] == contacts
    assert outcome(here) == "blocked"


def test_a_contact_keeps_the_earliest_moment_and_its_reason(sending):
    here = sending()
    trigger(here, "unsubscribed")
    here.advance("PT1H")
    trigger(here, "hardBounce")

    assert [row["reason"]["code"] for row in listed(here).json["contacts"]] == ["unsubscribedViaEmail"]


def test_a_contact_gets_e_mails_until_the_moment_from_which_it_is_blocked(sending):
    here = sending({"blocked_contacts": [{"email": BOB, "blocked_at": "PT1H"}]})

    assert outcome(here) == "delivered"
    here.advance("PT1H")
    assert outcome(here) == "blocked"
