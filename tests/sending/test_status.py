"""What is scheduled can be looked up by message and by batch until it is cancelled."""

import pytest

BATCH = "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d"
DUE = "2026-01-15T10:00:00.000Z"


@pytest.fixture
def scheduled(sending):
    """A workspace in which two mails of a batch are scheduled, a minute apart, and the message id of the first."""
    here = sending()
    first = here.send(scheduledAt=DUE, batchId=BATCH).json["messageId"]
    here.advance("PT1M")
    here.send(scheduledAt=DUE, batchId=BATCH)
    return here, first


def status(here, identifier, **query):
    return here.api.get(f"/v3/smtp/emailStatus/{identifier}", query_string=query)


def test_status_of_a_message_has_its_moments(scheduled):
    here, first = scheduled

    assert status(here, first).json == {
        "scheduledAt": DUE, "createdAt": "2026-01-15T09:00:00.000Z", "status": "queued"
    }  # fmt: skip


def test_status_of_a_batch_lists_requests_the_newest_first(scheduled):
    here, _ = scheduled

    found = status(here, BATCH.upper()).json

    assert found["count"] == 2
    assert [batch["createdAt"][11:16] for batch in found["batches"]] == ["09:01", "09:00"]


@pytest.mark.parametrize(
    ("query", "made"),
    [
        ({"sort": "asc"}, ["09:00", "09:01"]),
        ({"limit": 1}, ["09:01"]),
        ({"offset": 1}, ["09:00"]),
        ({"status": "processed"}, []),
        ({"startDate": "2026-01-15", "endDate": "2026-01-15"}, ["09:01", "09:00"]),
        ({"startDate": "2026-01-16", "endDate": "2026-01-17"}, []),
    ],
)
def test_batches_are_chosen_and_paged(scheduled, query, made):
    here, _ = scheduled

    assert [batch["createdAt"][11:16] for batch in status(here, BATCH, **query).json["batches"]] == made


def test_the_versions_of_one_request_are_one_batch(sending):
    here = sending()
    versions = [{"to": [{"email": to}]} for to in ("bob@example.test", "carol@example.test")]
    here.send(to=None, messageVersions=versions, scheduledAt=DUE, batchId=BATCH)

    assert status(here, BATCH).json["count"] == 1


def test_sent_e_mail_has_the_status_processed(scheduled):
    here, first = scheduled
    here.advance("PT1H")

    assert status(here, first).json["status"] == "processed"


def test_cancelled_e_mail_has_no_status(scheduled):
    here, first = scheduled
    assert here.api.delete(f"/v3/smtp/email/{BATCH}").status_code == 204

    assert [(answer.status_code, answer.json["code"]) for answer in (status(here, BATCH), status(here, first))] == [
        (404, "document_not_found")
    ] * 2


@pytest.mark.parametrize(
    ("identifier", "query", "code"),
    [
        ("nothing", {}, "invalid_parameter"),
        ("<nothing>", {}, "invalid_parameter"),
        (BATCH, {"limit": 0}, "out_of_range"),
        (BATCH, {"limit": 501}, "out_of_range"),
        (BATCH, {"offset": -1}, "out_of_range"),
        (BATCH, {"limit": "x"}, "invalid_parameter"),
        (BATCH, {"status": "sent"}, "invalid_parameter"),
        (BATCH, {"startDate": "2026-01-15"}, "missing_parameter"),
        (BATCH, {"startDate": "2026-01-15", "endDate": "today"}, "invalid_parameter"),
    ],
)
def test_bad_status_query_is_refused(scheduled, identifier, query, code):
    here, _ = scheduled

    answer = status(here, identifier, **query)

    assert (answer.status_code, answer.json["code"]) == (400, code)


def test_moment_of_scheduling_is_part_of_the_state(scheduled, make_api):
    here, first = scheduled
    state = here.api.get("/_mock/state").json

    again = make_api(state, key="acme-key")

    assert again.get(f"/v3/smtp/emailStatus/{first}").json == status(here, first).json


def test_scheduled_e_mail_of_a_scenario_exists_since_the_clock_began(sending):
    here = sending({"scheduled_emails": [{"message_id": "<1@a>", "to": "bob@example.test", "scheduled_at": DUE}]})

    assert status(here, "<1@a>").json["createdAt"] == "2026-01-15T09:00:00.000Z"
