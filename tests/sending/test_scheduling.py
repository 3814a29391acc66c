"""E-mails for a later moment: they wait, are sent when they fall due, and can be cancelled until then."""

from urllib.parse import quote

import pytest

BATCH = "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d"
LATER = "2026-01-15T10:00:00.000Z"


def cancel(here, identifier):
    return here.api.delete(f"/v3/smtp/email/{quote(identifier, safe='')}").status_code


def states(here):
    items = here.api.get("/_mock/machines/scheduled_email").json["items"]
    return [(row["key"], row["state"]) for row in items]


def test_scheduled_e_mail_is_answered_with_its_message_and_its_batch(sending):
    answer = sending().send(scheduledAt=LATER, batchId=BATCH)

    assert (answer.status_code, set(answer.json)) == (202, {"messageId", "batchId"})
    assert answer.json["batchId"] == BATCH
    assert len(sending().send(scheduledAt=LATER).json["batchId"]) == len(BATCH)


def test_sent_e_mail_cannot_be_cancelled(sending):
    here = sending()
    sent = [here.send(scheduledAt=LATER).json["messageId"], here.send().json["messageId"]]
    here.advance("PT1H")

    assert [cancel(here, identifier) for identifier in sent] == [404, 404]


def test_scheduled_e_mail_is_sent_at_its_moment_with_credits_and_events(sending):
    here = sending()
    message_id = here.send(scheduledAt=LATER, cc=[{"email": "carol@example.test"}]).json["messageId"]
    here.advance("PT59M59S")
    assert (here.mails(), here.credits(), here.told()) == ([], 300, [])
    assert states(here) == [(message_id, "scheduled")]

    here.advance("PT3S")

    (found,) = here.mails()
    assert (found["message_id"], found["at"]) == (message_id, "2026-01-15T10:00:00Z")
    assert here.credits() == 298
    assert here.events() == [
        ("request", "bob@example.test"),
        ("request", "carol@example.test"),
        ("delivered", "bob@example.test"),
        ("delivered", "carol@example.test"),
    ]
    assert states(here) == [(message_id, "sent")]


@pytest.mark.parametrize("member", ["messageId", "batchId"])
def test_scheduled_e_mail_is_cancelled_by_message_or_batch_id(member, sending):
    here = sending()
    answer = here.send(scheduledAt=LATER).json

    assert cancel(here, answer[member]) == 204
    assert cancel(here, answer[member]) == 404
    here.advance("PT2H")

    assert (here.mails(), here.told(), here.credits()) == ([], [], 300)
    assert states(here) == [(answer["messageId"], "cancelled")]


def test_the_versions_of_a_batch_are_cancelled_together_or_alone(sending):
    here = sending()
    versions = [{"to": [{"email": f"u{number}@example.test"}]} for number in range(3)]
    answer = here.send(to=None, messageVersions=versions, scheduledAt=LATER, batchId=BATCH)
    assert (answer.status_code, len(answer.json["messageIds"])) == (202, 3)
    here.send(scheduledAt=LATER, batchId=BATCH)

    assert cancel(here, answer.json["messageIds"][0]) == 204
    assert cancel(here, BATCH) == 204
    here.advance("PT2H")

    assert {state for _, state in states(here)} == {"cancelled"}
    assert here.mails() == []


def test_e_mail_scheduled_for_the_past_is_sent_at_once(sending):
    here = sending()

    assert here.send(scheduledAt="2026-01-15T08:00:00Z").status_code == 202
    assert len(here.mails()) == 1


def test_scheduled_e_mail_of_an_invalid_sender_raises_an_error_event(sending):
    here = sending()
    here.send(scheduledAt=LATER, sender={"email": "me@gmail.com"})
    here.advance("PT1H")

    assert here.events() == [("error", "bob@example.test")]
    assert here.mails() == []


def test_scheduled_e_mail_without_credits_ends_in_an_error(sending):
    here = sending(account={"plan": [{"type": "free", "credits": 1}]})
    here.send(scheduledAt=LATER)
    late = here.send(scheduledAt=LATER, to=[{"email": "eve@example.test"}]).json["messageId"]
    here.advance("PT1H")

    assert here.events() == [("request", "bob@example.test"), ("error", "eve@example.test")]
    answer = here.api.get(f"/v3/smtp/emailStatus/{quote(late, safe='')}")
    assert (answer.status_code, answer.json["status"]) == (200, "error")


def test_snapshot_restores_a_cancelled_e_mail(sending):
    here = sending()
    answer = here.send(scheduledAt=LATER, attachment=[{"name": "a.txt", "content": "SGVsbG8="}]).json
    here.api.post("/_mock/snapshots", json={"name": "before"})
    cancel(here, answer["messageId"])

    here.api.post("/_mock/snapshots/before/restore")
    here.advance("PT1H")

    (found,) = here.mails()
    assert found["attachments"] == [{"name": "a.txt", "size": 5}]


def test_scheduled_e_mail_survives_a_restart(sending):
    here = sending()
    here.send(scheduledAt=LATER, cc=[{"email": "carol@example.test", "name": "Carol"}], params={"a": [1]})
    state = here.api.get("/_mock/state").json
    assert here.api.put("/_mock/state", json=state).status_code == 200
    assert here.api.get("/_mock/state").json == state

    here.advance("PT1H")

    (found,) = here.mails()
    assert (found["cc"], found["params"]) == (["carol@example.test"], {"a": [1]})
    assert here.send().status_code == 201
