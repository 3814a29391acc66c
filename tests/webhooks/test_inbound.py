"""Received mails: recorded, and told to the inbound webhooks of their domain."""

from mockserver.evidence.fixture import differences

#: The members of an item (contract/events#inbound).
MEMBERS = {
    "Uuid": ["$uuid"],
    "MessageId": "$string",
    "InReplyTo": None,
    "From": {"Name": None, "Address": "bob@example.test"},
    "To": [{"Name": None, "Address": "reply@in.acme.test"}],
    "Cc": [],
    "ReplyTo": None,
    "SentAtDate": "Thu, 15 Jan 2026 09:00:00 +0000",
    "Subject": "A question",
    "RawHtmlBody": "",
    "RawTextBody": "What does it cost?\n",
    "ExtractedMarkdownMessage": "What does it cost?",
    "ExtractedMarkdownSignature": "",
    "SpamScore": "$number",
    "Attachments": [],
    "Headers": {"Subject": "A question", "$rest": True},
}
MAIL = {
    "sender": "bob@example.test",
    "recipient": "reply@in.acme.test",
    "subject": "A question",
    "text": "What does it cost?\n",
}
HOOK = {"type": "inbound", "domain": "in.acme.test"}


def arrive(workspace, **members):
    answer = workspace.api.post("/_mock/inbound", json={**MAIL, **members})
    assert answer.status_code == 201, answer.text
    return answer.json


def test_inbound_payload_has_all_members_of_the_mail(hooked):
    workspace = hooked(HOOK)
    found = arrive(workspace)

    assert workspace.settled(found["deliveries"][0]["id"])["state"] == "delivered"
    (body,) = workspace.receiver.bodies
    assert list(differences({"items": [MEMBERS]}, body)) == []
    assert body["items"][0]["Uuid"] == [found["uuid"]]


def test_inbound_webhook_outlives_its_authenticated_domain(hooked):
    workspace = hooked({"events": ["delivered"]}, domains=[{"name": HOOK["domain"], "state": "authenticated"}])
    made = workspace.api.post(
        "/v3/webhooks", json={**HOOK, "url": workspace.receiver.url, "events": ["inboundEmailProcessed"]}
    )
    assert made.status_code == 201, made.text
    assert workspace.api.delete(f"/v3/senders/domains/{HOOK['domain']}").status_code == 200

    assert [row["webhook"] for row in arrive(workspace)["deliveries"]] == [made.json["id"]]


def test_an_inbound_mail_is_an_event_of_the_account(hooked):
    workspace = hooked(HOOK)
    found = arrive(workspace)
    event = {"uuid": found["uuid"], "date": "2026-01-15T09:00:00.123Z"}
    event |= {name: MAIL[name] for name in ("sender", "recipient")}
    assert workspace.api.get("/v3/inbound/events").json == {"events": [event]}


def test_an_inbound_mail_is_recorded_without_a_webhook(hooked):
    workspace = hooked({})
    assert arrive(workspace)["deliveries"] == []
    assert len(workspace.api.get("/v3/inbound/events").json["events"]) == 1


def test_an_inbound_mail_is_told_only_to_webhooks_of_its_domain(hooked):
    workspace = hooked(HOOK, {**HOOK, "domain": "In.Acme.test"}, {**HOOK, "domain": "other.test"}, {})
    for recipient, told in (
        ("a@in.acme.test", [1, 2]), ("a@IN.Acme.Test", [1, 2]), ("a@other.test", [3]), ("a@sub.in.acme.test", []),
    ):  # fmt: skip
        assert [row["webhook"] for row in arrive(workspace, recipient=recipient)["deliveries"]] == told


def test_a_reply_is_told_once_to_a_webhook_for_mails_or_for_replies(hooked):
    hooks = ({**HOOK, "events": ["inboundEmailProcessed", "reply"]}, {**HOOK, "events": ["reply"]}, HOOK)
    workspace = hooked(*hooks)
    found = workspace.trigger("reply", type="inbound")
    processed = "inboundEmailProcessed"
    assert [(row["webhook"], row["event"]) for row in found] == [(1, processed), (2, "reply"), (3, processed)]


def test_mail_without_in_reply_to_is_no_reply(hooked):
    workspace = hooked({**HOOK, "events": ["reply"]})
    assert arrive(workspace)["deliveries"] == []


def test_a_triggered_mail_is_recorded_and_may_have_other_members(hooked):
    workspace = hooked(HOOK)
    (found,) = workspace.trigger(
        "inboundEmailProcessed", type="inbound", to="x@in.acme.test", payload={"SpamScore": 9.5, "Subject": None}
    )
    workspace.settled(found["id"])

    item = workspace.receiver.bodies[0]["items"][0]
    assert (item["SpamScore"], item["Subject"], item["To"][0]["Address"]) == (9.5, None, "x@in.acme.test")
    assert [row["recipient"] for row in workspace.api.get("/v3/inbound/events").json["events"]] == ["x@in.acme.test"]


def test_an_inbound_mail_arrives_at_the_account_behind_the_key(make_api, receiver):
    accounts = [
        {"name": name, "api_keys": [name], "webhooks": [{**HOOK, "id": number, "url": receiver.url}]}
        for number, name in enumerate("ab", 1)
    ]
    api = make_api({"accounts": accounts})
    answer = api.client.post("/_mock/inbound", json=MAIL, headers={"api-key": "b"})
    assert [row["webhook"] for row in answer.json["deliveries"]] == [2]
    assert [len(api.get("/v3/inbound/events", key=key).json["events"]) for key in "ab"] == [0, 1]


def test_an_inbound_mail_arrives_whatever_its_subject(hooked):
    workspace = hooked(HOOK)
    for subject in ("", "two\nlines", "carriage\rreturn", "ünï ☃", "x" * 3_000, "nul\0", "=?utf-8?q?x?="):
        found = arrive(workspace, subject=subject, text=f"{subject}\r\n.\r\n")
        assert workspace.settled(found["deliveries"][0]["id"])["state"] == "delivered", subject


def test_bad_inbound_mail_is_refused_and_not_recorded(hooked):
    workspace = hooked(HOOK)
    for body in (
        {}, {**MAIL, "sender": "nobody"}, {**MAIL, "recipient": 7}, {**MAIL, "unheard": 1}, {**MAIL, "text": None},
        {**MAIL, "sender": "bob@localhost"}, {**MAIL, "recipient": "reply@localhost"},
    ):  # fmt: skip
        assert workspace.api.post("/_mock/inbound", json=body).status_code == 400, body
    assert workspace.api.get("/v3/inbound/events").json == {"events": []}


def test_the_control_api_lists_received_mails_by_the_page(hooked):
    workspace = hooked()
    for number in range(3):
        workspace.api.post("/_mock/inbound", json={**MAIL, "sender": f"{number}@example.test"})
        workspace.advance("PT1M")

    listed = workspace.api.get("/_mock/inbound?limit=1&offset=1").json

    assert (listed["count"], [row["sender"] for row in listed["items"]]) == (3, ["1@example.test"])
