from urllib.parse import quote

import pytest

WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "senders": [
        {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification", "otp": 123456},
    ],
    "domains": [{"name": "acme.test"}],
    "scheduled_emails": [{"message_id": "<1@mail.test>", "to": "bob@example.test", "scheduled_at": "PT1H"}],
}


pytestmark = pytest.mark.api(WORKSPACE)


def test_every_machine_is_listed_with_its_table_and_diagram(api):
    machines = {row["name"]: row for row in api.get("/_mock/machines").json["items"]}

    assert set(machines) == {
        "sender", "domain", "sub_account_plan", "scheduled_email", "delivery", "export", "oauth_grant", "campaign",
        "process",
    }  # fmt: skip
    assert machines["sender"]["states"] == ["awaiting_verification", "verified"]
    assert {"event": "verify", "from": "awaiting_verification", "to": "verified"} in machines["sender"]["transitions"]
    assert machines["sender"]["mermaid"].startswith("stateDiagram-v2")


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


def test_instance_deleted_by_hand_frees_its_address(api):
    gone = api.post("/_mock/machines/sender/2/delete").json

    assert (gone["state"], gone["allowed"]) == ("[*]", [])
    assert api.get("/v3/senders").json == {"senders": []}
    assert api.post("/v3/senders", json={"name": "Ops", "email": "ops@acme.test"}).status_code == 201


def test_an_event_that_does_not_apply_is_409_with_what_would(api):
    answer = api.post("/_mock/machines/domain/acme.test/authenticate")

    assert (answer.status_code, answer.json["state"]) == (409, "pending")
    assert answer.json["allowed"] == ["verify_ownership", "dns_published", "delete"]


def test_event_fired_by_hand_changes_dns(api):
    api.post("/_mock/machines/domain/acme.test/verify_ownership")

    assert api.get("/_mock/dns/acme.test").json["brevo_code"] == "ok"
    assert api.get("/v3/senders/domains/acme.test").json["verified"] is True


def test_unknown_machines_instances_and_events_are_problems(api):
    for path in ["/nothing", "/nothing/1", "/sender/9", "/sender/x", "/sender/9/verify", "/sender/2/explode"]:
        answer = api.request("POST" if path.count("/") == 3 else "GET", f"/_mock/machines{path}")
        assert answer.status_code == (409 if path.endswith("explode") else 404)
        assert answer.content_type == "application/problem+json"


def test_unknown_instance_has_no_history(api):
    for address in ("nothing/1", "sender/9", "sender/x", "domain/nobody.test"):
        assert api.get(f"/_mock/machines/{address}/history").status_code == 404


# ---------------------------------------------------------------------- history


def steps(api, address):
    return [
        (row["event"], row["from"], row["to"]) for row in api.get(f"/_mock/machines/{address}/history").json["items"]
    ]


def test_the_history_of_an_instance_has_its_transitions_newest_first(api):
    api.post("/_mock/machines/domain/acme.test/verify_ownership")
    api.advance("PT1H")
    api.post("/_mock/machines/domain/acme.test/delete")

    history = api.get("/_mock/machines/domain/acme.test/history").json
    assert [(row["at"], row["event"]) for row in history["items"]] == [
        ("2026-01-15T10:00:00Z", "delete"),
        ("2026-01-15T09:00:00Z", "verify_ownership"),
    ]
    assert (history["count"], history["evicted"]) == (2, 0)


def test_history_begins_with_the_first_transition_survives_deletion_and_ends_with_a_reset(api):
    assert steps(api, "sender/2") == []
    api.post("/_mock/machines/sender/2/delete")
    assert steps(api, "sender/2") == [("delete", "awaiting_verification", "[*]")]
    api.post("/_mock/reset")
    assert steps(api, "sender/2") == []


def test_a_part_of_a_history_is_read(api):
    for _ in range(3):
        api.post("/_mock/machines/sender/2/resend_otp")
    api.post("/_mock/machines/sender/2/expire_otp")

    found = api.get("/_mock/machines/sender/2/history?limit=1&offset=1").json
    assert ([row["event"] for row in found["items"]], found["count"]) == (["resend_otp"], 4)


def test_history_counts_evicted_transitions(make_api):
    api = make_api(WORKSPACE, history_limit=2)
    for _ in range(5):
        api.post("/_mock/machines/sender/2/resend_otp")

    history = api.get("/_mock/machines/sender/2/history").json
    assert (history["count"], history["evicted"]) == (2, 3)


def test_a_history_goes_on_when_a_snapshot_is_restored(api):
    api.post("/_mock/snapshots", json={"name": "before"})
    api.post("/_mock/machines/sender/2/delete")
    api.post("/_mock/snapshots/before/restore")

    assert [event for event, *_ in steps(api, "sender/2")] == ["delete"]


# ---------------------------------------------------------------------- keys in addresses

STRANGE_KEYS = ["<1@mail.test>", "<a/b@mail.test>", "<a//b%2Fc@mail.test>", "<?x=1#y@mail.test>", "<../..@mail.test>"]


@pytest.mark.parametrize("key", STRANGE_KEYS)
def test_any_key_can_stand_in_an_address(make_api, key):
    emails = [{"message_id": key, "to": "bob@example.test", "scheduled_at": "PT1H"}]
    api = make_api({"scheduled_emails": emails})
    address = f"/_mock/machines/scheduled_email/{quote(key, safe='')}"

    assert api.get(address).json["key"] == key
    assert api.post(f"{address}/cancel").json["state"] == "cancelled"
    assert api.get(f"{address}/history").json["items"][0]["key"] == key


def test_the_instances_of_a_machine_are_listed_in_parts_with_the_number_of_all(make_api):
    for query, keys in [
        ("", [1, 2, 3, 4, 5]), ("?limit=2", [1, 2]), ("?limit=2&offset=3", [4, 5]), ("?offset=3", [4, 5]),
        ("?limit=1000&offset=9", []),
    ]:  # fmt: skip
        senders = [{"id": number, "name": "Jo", "email": f"jo{number}@acme.test"} for number in range(1, 6)]
        listed = make_api({"senders": senders}).get(f"/_mock/machines/sender{query}").json
        assert ([row["key"] for row in listed["items"]], listed["count"]) == (keys, 5)


def test_a_part_of_the_instances_that_cannot_be_is_refused(api):
    for query, path in [("limit=0", "limit"), ("limit=1001", "limit"), ("limit=x", "limit"), ("offset=-1", "offset")]:
        refused = api.get(f"/_mock/machines/sender?{query}")
        assert (refused.status_code, [row["path"] for row in refused.json["errors"]]) == (400, [f"/{path}"])
