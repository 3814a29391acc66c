"""Reports of sent e-mails: what each filter chooses, which periods are refused, and whose events are listed."""

import json

import pytest

from mockserver.core.traffic.mail import EmailEvents

EVENTS = "/v3/smtp/statistics/events"
EMAILS = "/v3/smtp/emails"
TEMPLATE = {"templateId": 7, "params": {"NAME": "Eve"}, "subject": None, "htmlContent": None}


def events(here, **query):
    answer = here.api.get(EVENTS, query_string=query)
    assert answer.status_code == 200, answer.json
    return [(row["event"], row["email"]) for row in answer.json["events"]]


def emails(here, **query):
    answer = here.api.get(EMAILS, query_string=query)
    assert answer.status_code == 200, answer.json
    return answer.json


def raised(here, event, message_id, to="bob@example.test"):
    body = {"event": event, "to": to, "payload": {"message-id": message_id}}
    assert here.api.post("/_mock/trigger", json=body).status_code == 200


@pytest.fixture
def sent(sending):
    """A workspace that has sent two e-mails, with a day between them; the second one bounced and was opened."""
    here = sending()
    here.send(tags=["welcome", "a"])
    here.advance("P1D")
    here.second = here.send(to=[{"email": "eve@example.test"}], **TEMPLATE).json["messageId"]
    here.advance("PT2S")
    raised(here, "softBounce", here.second, "eve@example.test")
    raised(here, "opened", here.second, "eve@example.test")
    return here


BOB = [("delivered", "bob@example.test"), ("requests", "bob@example.test")]
EVE = [(name, "eve@example.test") for name in ("opened", "softBounces", "delivered", "requests")]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, EVE + BOB),
        ({"sort": "asc"}, (EVE + BOB)[::-1]),
        ({"limit": 2, "offset": 1}, EVE[1:3]),
        ({"limit": 0}, []),
        ({"email": "EVE@example.test"}, EVE),
        ({"email": "nobody@example.test"}, []),
        ({"event": "bounces"}, EVE[1:2]),
        ({"event": "hardBounces"}, []),
        ({"event": "requests"}, [EVE[3], BOB[1]]),
        ({"tags": '["welcome"]'}, BOB),
        ({"tags": '["other","a"]'}, BOB),
        ({"tags": "[]"}, []),
        ({"templateId": 7}, EVE[2:]),
        ({"days": 1}, EVE),
        ({"days": 2}, EVE + BOB),
        ({"startDate": "2026-01-15", "endDate": "2026-01-15"}, BOB),
        ({"startDate": "2026-01-16", "endDate": "2026-02-16"}, EVE),
        ({"startDate": "2025-12-01", "endDate": "2026-01-14"}, []),
    ],
)
def test_filters_choose_events(sent, query, found):
    assert events(sent, **query) == found


def test_a_message_id_chooses_with_and_without_its_brackets(sent):
    assert events(sent, messageId=sent.second) == events(sent, messageId=sent.second.strip("<>")) == EVE


@pytest.mark.parametrize(
    ("path", "query", "code"),
    [
        (EVENTS, {"startDate": "2026-01-15"}, "missing_parameter"),
        (EVENTS, {"endDate": "2026-01-15"}, "missing_parameter"),
        (EVENTS, {"startDate": "2026-01-15", "endDate": "2026-01-14"}, "invalid_parameter"),
        (EVENTS, {"startDate": "2026-01-15", "endDate": "2026-01-15", "days": 1}, "invalid_parameter"),
        (EVENTS, {"startDate": "15.1.2026", "endDate": "2026-01-15"}, "invalid_parameter"),
        (EVENTS, {"startDate": "2026-01-01", "endDate": "2026-04-01"}, None),
        (EVENTS, {"startDate": "2026-01-01", "endDate": "2026-04-02"}, "out_of_range"),
        (EVENTS, {"days": 0}, "out_of_range"),
        (EVENTS, {"days": 90}, None),
        (EVENTS, {"days": 91}, "out_of_range"),
        (EVENTS, {"limit": 5000}, None),
        (EVENTS, {"limit": 5001}, "out_of_range"),
        (EVENTS, {"offset": -1}, "out_of_range"),
        (EVENTS, {"event": "click"}, "invalid_parameter"),
        (EVENTS, {"sort": "up"}, "invalid_parameter"),
        (EVENTS, {"tags": "welcome"}, "invalid_parameter"),
        (EVENTS, {"tags": "[1]"}, "invalid_parameter"),
        (EVENTS, {"tags": "[" * 9_000}, "invalid_parameter"),
        (EMAILS, {}, "missing_parameter"),
        (EMAILS, {"sort": "asc"}, "missing_parameter"),
        (EMAILS, {"templateId": 7}, None),
        (EMAILS, {"email": "bob@example.test", "startDate": "2026-01-15"}, "missing_parameter"),
        (
            EMAILS,
            {"email": "bob@example.test", "startDate": "2026-01-15", "endDate": "2026-01-14"},
            "invalid_parameter",
        ),
        (EMAILS, {"email": "bob@example.test", "startDate": "2026-01-01", "endDate": "2026-02-01"}, None),
        (EMAILS, {"email": "bob@example.test", "startDate": "2026-01-01", "endDate": "2026-02-02"}, "out_of_range"),
        (EMAILS, {"email": "bob@example.test", "limit": 1_001}, "out_of_range"),
    ],
)
def test_periods_and_pages_are_refused_that_the_service_refuses(sending, path, query, code):
    assert sending().api.get(path, query_string=query).json.get("code") == code


def test_an_account_that_has_sent_nothing_has_empty_reports(sending):
    here = sending()

    assert here.api.get(EVENTS).json == {"events": []}
    assert emails(here, email="bob@example.test") == {"count": 0, "transactionalEmails": []}


def test_an_event_is_listed_from_its_moment_on(sending):
    here = sending()
    here.send()

    assert events(here) == BOB[1:]
    here.advance("PT2S")
    assert events(here) == BOB


def test_e_mails_to_blocked_contacts_and_of_invalid_senders_tell_why(sending):
    here = sending(account={"blocked_contacts": [{"email": "bob@example.test", "blocked_at": "2026-01-14T09:00:00Z"}]})
    here.send()
    here.send(sender={"email": "me@elsewhere.test"})
    here.advance("PT2S")
    found = {row["event"]: row.get("reason") for row in here.api.get(EVENTS).json["events"]}

    assert found.keys() == {"requests", "blocked", "error"}
    assert found["requests"] is None
    assert found["blocked"] == "blocked : due to blacklist user"
    assert "me@elsewhere.test" in found["error"]


def test_a_sent_e_mail_is_listed_for_each_recipient_and_shown_with_its_own_events(sending):
    here = sending()
    everybody = [{"email": "bob@example.test"}, {"email": "eve@example.test"}]
    message_id = here.send(to=everybody, tags=["a"], textContent="Hi").json["messageId"]
    raised(here, "click", message_id)
    listed = emails(here, messageId=message_id)
    rows = {row["email"]: row for row in listed["transactionalEmails"]}
    shown = {email: here.api.get(f"{EMAILS}/{row['uuid']}").json for email, row in rows.items()}

    assert listed["count"] == len({row["uuid"] for row in rows.values()}) == 2
    assert (
        rows["bob@example.test"].items() >= {"from": "news@acme.test", "tags": ["a"], "messageId": message_id}.items()
    )
    assert [row["name"] for row in shown["bob@example.test"]["events"]] == ["requests", "clicks"]
    assert [row["name"] for row in shown["eve@example.test"]["events"]] == ["requests"]
    assert (shown["bob@example.test"]["body"], shown["bob@example.test"]["attachmentCount"]) == ("<p>Hi</p>", 0)


def test_the_uuid_of_payloads_is_that_of_the_list(sending):
    here = sending()
    here.send()
    here.advance("PT2S")
    (row,) = emails(here, email="bob@example.test")["transactionalEmails"]

    assert {payload.get("uuid", row["uuid"]) for _, _, payload in here.told()} == {row["uuid"]}


def test_a_scheduled_e_mail_is_listed_once_it_is_sent(sending):
    here = sending()
    here.send(scheduledAt="2026-01-15T10:00:00Z")

    assert emails(here, email="bob@example.test")["count"] == 0
    here.advance("PT1H2S")
    assert [row["date"] for row in emails(here, email="bob@example.test")["transactionalEmails"]] == [
        "2026-01-15T10:00:00.000Z"
    ]


def test_content_goes_with_the_mailbox_and_events_stay(sending):
    here = sending()
    here.send()
    here.api.delete("/_mock/mailbox")
    (row,) = emails(here, email="bob@example.test")["transactionalEmails"]
    shown = here.api.get(f"{EMAILS}/{row['uuid']}").json

    assert shown.keys() == {"email", "subject", "date", "events"}


def test_an_unknown_e_mail_names_those_that_there_are(sent):
    (row,) = emails(sent, templateId=7)["transactionalEmails"]
    answer = sent.api.get(f"{EMAILS}/5bcf563f-b5f2-5a4b-b8d8-67c4f3972757")

    assert answer.json == {"code": "document_not_found", "message": "Document not found"}
    assert row["uuid"] in sent.reason()


def test_other_accounts_and_dry_runs_leave_no_events(make_api):
    api = make_api("corporate-v2")
    mail = {"to": [{"email": "bob@example.test"}], "subject": "Hi", "textContent": "Hi"}
    keys = [row["api_keys"][0] for row in api.get("/_mock/state").json["accounts"][:3]]
    sender = {"sender": {"email": "me@elsewhere.test"}}
    assert api.post("/v3/smtp/email", json=mail | sender, headers={"api-key": keys[1]}).status_code == 201
    dry = mail | sender | {"headers": {"X-Sib-Sandbox": "drop"}}
    assert api.post("/v3/smtp/email", json=dry, headers={"api-key": keys[0]}).status_code == 201
    api.advance("PT2S")
    found = [api.get(EVENTS, headers={"api-key": key}).json["events"] for key in keys]

    assert [[row["event"] for row in rows] for rows in found] == [[], ["error"], []]


def test_the_state_has_the_events_and_brings_them_back(sent):
    before = sent.api.get(EVENTS).json
    document = sent.api.get("/_mock/state").json

    assert len(document["accounts"][0]["email_events"]) == len(before["events"]) == 6
    assert sent.api.put("/_mock/state", data=json.dumps(document)).status_code == 200
    assert sent.api.get(EVENTS).json == before


@pytest.mark.parametrize(
    "payload",
    [{"email": "nobody"}, {"email": ""}, {"message-id": ""}, {"template_id": 0}, {"template_id": -1}],
)
def test_the_state_takes_back_whatever_events_were_raised(sending, payload):
    here = sending()
    body = {"event": "opened", "to": "bob@example.test", "payload": payload}
    assert here.api.post("/_mock/trigger", json=body).status_code == 200
    before = here.api.get(EVENTS).json
    answer = here.api.put("/_mock/state", json=here.api.get("/_mock/state").json)

    assert answer.status_code == 200, answer.json
    assert here.api.get(EVENTS).json == before


def test_the_state_of_many_accounts_reads_the_events_once(make_api, monkeypatch):
    event = {"date": "-1h", "event": "requests", "email": "a@b.test", "message_id": "<1@b.test>"}
    accounts = [{"name": f"a{number}", "email_events": [event] * number} for number in range(5)]
    api = make_api({"accounts": accounts})
    reads, since = [], EmailEvents.since
    monkeypatch.setattr(EmailEvents, "since", lambda ring, at: reads.append(at) or since(ring, at))
    document = api.get("/_mock/state").json

    assert [len(account.get("email_events", [])) for account in document["accounts"]] == [0, 1, 2, 3, 4]
    assert len(reads) == 1


def test_a_reset_forgets_the_events(sent):
    assert sent.api.post("/_mock/reset").status_code == 200
    assert events(sent) == []


def test_a_second_workspace_has_its_own_events(sent):
    second = sent.api.post("/_mock/workspaces", json={"name": "second", "scenario": "standard"}).json
    key = second["accounts"][0]["api_key"]

    assert sent.api.get(EVENTS, headers={"api-key": key}).json == {"events": []}
    assert len(events(sent)) == 6
