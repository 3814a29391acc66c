"""Scheduled e-mails of a scenario whose content is known, and contacts that are blocked."""

MESSAGE = "<1@acme.test>"
START = {"start": "2026-01-15T09:00:00Z", "frozen": True}


def scheduled(**mail):
    return {"message_id": MESSAGE, "to": "bob@example.test", "scheduled_at": "PT1H", "mail": mail}


def test_one_with_its_content_stands_in_the_mailbox_once_it_is_sent(make_api):
    api = make_api(
        {"clock": START, "scheduled_emails": [scheduled(to=["bob@example.test"], subject="Hi", text="Hello")]}
    )
    api.advance("PT1H")

    (mail,) = api.get("/_mock/mailbox").json["items"]
    assert (mail["message_id"], mail["subject"], mail["text"]) == (MESSAGE, "Hi", "Hello")
    assert mail["request"] is None


def test_the_content_of_one_that_was_sent_is_not_kept(make_api):
    row = {**scheduled(to="bob@example.test", text="Hello"), "state": "sent"}
    api = make_api({"clock": START, "scheduled_emails": [row]})

    assert "mail" not in api.get("/_mock/state").json["accounts"][0]["scheduled_emails"][0]


def test_a_mistake_is_told_at_its_place(make_api):
    for mail, path, message in [
        ({}, "/scheduled_emails/0/mail/to", "needs a recipient"),
        ({"to": "nobody"}, "/scheduled_emails/0/mail/to/0", "not an e-mail address"),
        ({"to": {"email": "a@b.test", "nmae": "A"}}, "/scheduled_emails/0/mail/to/0/nmae", "name"),
        ({"to": "a@b.test", "attachments": [{}]}, "/scheduled_emails/0/mail/attachments/0", "content or the url"),
        ({"to": "a@b.test", "subjct": "Hi"}, "/scheduled_emails/0/mail/subjct", "subject"),
    ]:
        answer = make_api("empty").post("/_mock/reset", json={"scenario": {"scheduled_emails": [scheduled(**mail)]}})
        assert answer.status_code == 400
        (error,) = answer.json["errors"]
        assert error["path"].endswith(path), error
        assert message in error["message"]


def test_contacts_are_blocked_from_the_start(make_api):
    api = make_api({"clock": START, "blocked_contacts": [{"email": "bob@example.test"}]})

    assert api.get("/_mock/state").json["accounts"][0]["blocked_contacts"] == [
        {"email": "bob@example.test", "blocked_at": "2026-01-15T09:00:00Z"}
    ]
