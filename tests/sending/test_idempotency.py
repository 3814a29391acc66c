"""An idempotency key in the headers of the body: a repeat within half an hour is refused, and sends nothing."""

import pytest

KEY = "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d"
VERSIONS = {
    "to": None,
    "messageVersions": [{"to": [{"email": "ada@example.test"}]}, {"to": [{"email": "eve@example.test"}]}],
}
#: How many rows a workspace of one account has.
ROWS = 2
LATER = "2026-01-15T10:00:00Z"


def send(here, key=KEY, name="idempotencyKey", **members):
    return here.send(headers={name: key}, **members)


@pytest.mark.parametrize("members", [{}, VERSIONS, {"scheduledAt": LATER}, {"sender": {"email": "me@gmail.com"}}])
def test_repeated_key_is_refused_and_sends_nothing(sending, members):
    here = sending()
    assert send(here, **members).status_code in (201, 202)
    before = here.mails(), here.credits(), here.told()

    answer = send(here, **members)

    assert (answer.status_code, answer.json) == (
        400,
        {"code": "duplicate_parameter", "message": "idempotencyKey is already used"},
    )
    assert (here.mails(), here.credits(), here.told()) == before


def test_the_reason_names_the_first_request_and_its_moment(sending):
    here = sending()
    first = send(here).headers["sib-request-id"]
    here.advance("PT10M")
    send(here)

    assert here.reason() == (
        f"duplicate idempotencyKey {KEY}: request {first} has used it at 2026-01-15T09:00:00Z; "
        "it is free again at 2026-01-15T09:30:00Z; nothing was sent"
    )


def test_key_is_free_again_half_an_hour_after_the_first_request(sending):
    here = sending()
    send(here)
    here.advance("PT29M59S")
    assert send(here).status_code == 400
    here.advance("PT1S")

    assert send(here).status_code == 201


@pytest.mark.parametrize(
    ("key", "repeat", "status"),
    [
        (KEY, {"name": "IdempotencyKey"}, 400),
        (KEY, {"name": "idempotencykey"}, 400),
        (KEY, {"key": KEY.upper()}, 201),
        ("abc-123", {"key": "abc-123"}, 400),
        ("", {"key": ""}, 201),
    ],
)
def test_repeat_is_recognized_by_its_key_in_a_header_of_any_case(sending, key, repeat, status):
    here = sending()
    send(here, key)

    assert send(here, **repeat).status_code == status


@pytest.mark.parametrize(
    "refused", [{"subject": ""}, {"to": [{"email": f"u{number}@example.test"} for number in range(99)]}]
)
def test_a_refused_request_uses_no_key(sending, refused):
    here = sending(account={"plan": [{"type": "free", "credits": 50}]})
    assert send(here, **refused).status_code in (400, 402)

    assert send(here).status_code == 201


def test_a_dry_run_uses_no_key(sending):
    here = sending()
    here.send(headers={"idempotencyKey": KEY, "X-Sib-Sandbox": "drop"})

    assert send(here).status_code == 201


def test_accounts_do_not_share_keys(make_api):
    accounts = [{"name": name, "api_keys": [f"{name}-key"], "email": f"me@{name}.test"} for name in ("one", "two")]
    api = make_api({"accounts": accounts}, key="one-key")
    mail = {"sender": {"email": "a@b.test"}, "to": [{"email": "c@d.test"}], "subject": "Hi", "textContent": "Hi"}
    body = {**mail, "headers": {"idempotencyKey": KEY}}

    statuses = [
        api.post("/v3/smtp/email", json=body, headers={"api-key": key}).status_code
        for key in ("one-key", "two-key", "one-key")
    ]

    assert statuses == [201, 201, 400]


def test_keys_are_part_of_the_state_until_they_are_free(sending):
    here = sending()
    first = send(here).headers["sib-request-id"]
    state = here.api.get("/_mock/state").json
    assert state["accounts"][0]["idempotency_keys"] == [
        {"key": KEY, "used_at": "2026-01-15T09:00:00Z", "request": first}
    ]
    here.api.put("/_mock/state", json=state)
    assert send(here).status_code == 400

    here.advance("PT30M")

    assert "idempotency_keys" not in here.api.get("/_mock/state").json["accounts"][0]


def test_the_keys_of_a_scenario_are_taken(sending):
    here = sending(
        account={"idempotency_keys": [{"key": "old", "used_at": "-PT30M"}, {"key": KEY, "used_at": "-PT29M"}]}
    )

    assert [send(here, key).status_code for key in (KEY, "old")] == [400, 201]


def test_a_full_workspace_takes_no_more_keys_until_some_are_free_again(make_api):
    clock = {"start": "2026-01-15T09:00:00Z", "frozen": True}
    api = make_api({"clock": clock, "accounts": [{"name": "one", "api_keys": ["k"]}]}, key="k", rows_limit=ROWS + 1)
    mail = {"sender": {"email": "a@b.test"}, "to": [{"email": "c@d.test"}], "subject": "Hi", "textContent": "Hi"}

    def send(key):
        return api.post("/v3/smtp/email", json={**mail, "headers": {"idempotencyKey": key}})

    assert send("first").status_code == 201
    assert send("second").json["code"] == "out_of_range"
    api.advance("PT30M")
    assert send("second").status_code == 201
