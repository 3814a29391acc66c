import pytest

WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "senders": [
        {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification", "otp": 123456},
    ],
    "domains": [{"name": "acme.test"}],
    "scheduled_emails": [{"message_id": "<1@mail.test>", "to": "bob@example.test", "scheduled_at": "PT1H"}],
}


@pytest.fixture
def api(make_api):
    return make_api(WORKSPACE)


def test_every_machine_is_listed_with_its_table_and_diagram(api):
    machines = {row["name"]: row for row in api.get("/_mock/machines").json["items"]}

    assert set(machines) == {
        "sender", "domain", "sub_account_plan", "scheduled_email", "delivery", "export", "oauth_grant",
    }  # fmt: skip
    assert machines["sender"]["states"] == ["awaiting_verification", "verified"]
    assert {"event": "verify", "from": "awaiting_verification", "to": "verified"} in machines["sender"]["transitions"]
    assert machines["sender"]["mermaid"].startswith("stateDiagram-v2")


def test_the_instances_of_a_machine_are_listed(api):
    listed = api.get("/_mock/machines/sender").json

    assert (listed["count"], listed["items"][0]["key"]) == (1, 2)


def test_an_instance_shows_state_allowed_events_and_secrets(api):
    assert api.get("/_mock/machines/sender/2").json == {
        "key": 2,
        "account": "acme",
        "state": "awaiting_verification",
        "allowed": ["verify", "expire_otp", "resend_otp", "change_email", "trust", "delete"],
        "email": "ops@acme.test",
        "otp": 123456,
        "otp_expires_at": "2026-01-15T09:15:00Z",
    }


def test_an_event_is_fired_by_hand(api):
    fired = api.post("/_mock/machines/sender/2/expire_otp").json

    assert fired["otp_expires_at"] == "2026-01-15T09:00:00Z"
    assert api.put("/v3/senders/2/validate", json={"otp": 123456}).json["code"] == "OTP code has expired"


def test_a_new_code_is_sent_by_hand(api):
    api.post("/_mock/machines/sender/2/resend_otp")

    code = api.get("/_mock/mailbox?to=ops@acme.test").json["items"][0]["otp"]
    assert api.put("/v3/senders/2/validate", json={"otp": code}).status_code == 204


def test_an_instance_is_deleted_by_hand(api):
    gone = api.post("/_mock/machines/sender/2/delete").json

    assert (gone["state"], gone["allowed"]) == ("[*]", [])
    assert api.get("/v3/senders").json == {"senders": []}


def test_the_address_of_a_deleted_sender_is_free_again(api):
    api.post("/_mock/machines/sender/2/delete")

    assert api.post("/v3/senders", json={"name": "Ops", "email": "ops@acme.test"}).status_code == 201


def test_an_event_that_does_not_apply_is_409_with_what_would(api):
    answer = api.post("/_mock/machines/domain/acme.test/authenticate")

    assert (answer.status_code, answer.json["state"]) == (409, "pending")
    assert answer.json["allowed"] == ["verify_ownership", "dns_published", "delete"]


def test_what_is_fired_by_hand_happens_to_dns_as_well(api):
    api.post("/_mock/machines/domain/acme.test/verify_ownership")

    assert api.get("/_mock/dns/acme.test").json["brevo_code"] == "ok"
    assert api.get("/v3/senders/domains/acme.test").json["verified"] is True


def test_a_key_is_percent_encoded_in_the_address(api):
    fired = api.post("/_mock/machines/scheduled_email/%3C1%40mail.test%3E/fall_due")

    assert fired.json["state"] == "sent"


@pytest.mark.parametrize(
    "path", ["/nothing", "/nothing/1", "/sender/9", "/sender/x", "/sender/9/verify", "/sender/2/explode"]
)
def test_what_is_not_there_is_a_problem(api, path):
    answer = api.request("POST" if path.count("/") == 3 else "GET", f"/_mock/machines{path}")

    assert answer.status_code == (409 if path.endswith("explode") else 404)
    assert answer.content_type == "application/problem+json"
