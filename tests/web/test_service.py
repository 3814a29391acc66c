"""What all answers of the service have in common: headers, bodies, and the refusal of addresses that lead nowhere."""

import uuid

import pytest

CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "*",
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "PUT, POST, GET, DELETE, PATCH, OPTIONS",
}


def test_an_answer_is_compact_json_with_one_trailing_newline(make_api):
    assert make_api("empty").get("/v3/senders/ips").data == b'{"ips":[]}\n'


def test_all_that_a_request_causes_happens_at_its_moment(make_api):
    api = make_api("empty")
    assert not api.workspace.state.clock.frozen

    api.post("/v3/senders", json={"name": "News", "email": "news@acme.test"})

    (exchange,), (mail,) = api.workspace.journal, api.workspace.state.mailbox
    assert {mail.at, *(change.at for change in exchange.transitions)} == {exchange.at}


def test_the_clock_goes_on_after_a_request(make_api):
    api = make_api("empty")

    api.get("/v3/senders")
    api.get("/v3/senders")

    later, earlier = api.workspace.journal
    assert later.at > earlier.at


@pytest.mark.parametrize("path", ["/v3/senders", "/v3/webhooks/1", "/v3/nowhere"])
def test_every_answer_has_type_cors_and_an_id(api, path):
    answer = api.get(path)

    assert answer.headers["Content-Type"] == "application/json"
    assert uuid.UUID(answer.headers["sib-request-id"]).version == 4
    assert {name: answer.headers[name] for name in CORS} == CORS


def test_an_answer_without_a_body_has_neither_type_nor_length(api):
    answer = api.put("/v3/senders/1", json={})

    assert answer.status_code == 204
    assert "Content-Type" not in answer.headers
    assert "Content-Length" not in answer.headers


def test_a_preflight_of_any_path_needs_no_key(api):
    for path in ("/v3/senders", "/v3/senders/1", "/v3/nowhere", "/v3/%00"):
        answer = api.client.options(path, headers={"Origin": "http://app.test"})

        assert (answer.status_code, answer.data) == (204, b"")
        assert {name: answer.headers[name] for name in CORS} == CORS


def test_a_get_may_carry_a_content_type_without_a_body(api):
    assert api.get("/v3/senders", headers={"Content-Type": "application/json"}).status_code == 200


def test_json_is_taken_whatever_its_content_type(api):
    answer = api.post("/v3/senders", data='{"name":"A","email":"a@acme.test"}', content_type="text/plain")

    assert answer.status_code == 201


def test_a_member_that_the_service_does_not_know_is_ignored(api):
    assert api.put("/v3/senders/1", json={"name": "New", "colour": "red"}).status_code == 204


@pytest.mark.parametrize(
    ("body", "name"),
    [({"colour": "red"}, "colour"), ({"ips": [{"domain": "a.test", "ip": "1.2.3.4", "colour": 1}]}, "ips[0].colour")],
)
def test_a_strict_workspace_refuses_an_unknown_member_by_name(make_api, body, name):
    api = make_api({"strict": True, "senders": [{"id": 1, "name": "A", "email": "a@acme.test"}]})

    answer = api.put("/v3/senders/1", json=body)

    assert (answer.status_code, answer.json) == (
        400,
        {"code": "invalid_parameter", "message": f"Unknown attribute {name} in the request"},
    )


def test_a_strict_workspace_looks_into_nested_objects(make_api):
    api = make_api({"strict": True})

    answer = api.post("/v3/webhooks", json={"url": "http://a.test", "events": ["sent"], "auth": {"kind": 1}})

    assert answer.json["message"] == "Unknown attribute auth.kind in the request"


def test_of_a_missing_and_a_bad_member_the_missing_one_is_refused(api):
    answer = api.post("/v3/senders", json={"email": "bad"})

    assert answer.json == {"code": "missing_parameter", "message": "Missing name attribute in the request"}


def test_an_error_of_the_mock_itself_is_a_500_of_the_api(api, monkeypatch, caplog):
    monkeypatch.setattr("mockserver.resources.senders.model.select", lambda *_: 1 / 0)

    answer = api.get("/v3/senders")

    assert (answer.status_code, answer.json["code"]) == (500, "internal_error")
    assert "sib-request-id" in answer.headers
    assert "ZeroDivisionError" in caplog.text


def test_the_same_scenario_seed_and_calls_give_the_same_bytes(make_api):
    def story():
        api = make_api({"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "seed": 3})
        calls = [
            api.post("/v3/senders", json={"name": "A", "email": "a@acme.test"}),
            api.get("/v3/senders"),
            api.post("/v3/senders/domains", json={"name": "acme.test"}),
            api.get("/_mock/mailbox"),
            api.get("/v3/nowhere"),
        ]
        return [(call.status_code, call.data, sorted(call.headers)) for call in calls]

    assert story() == story()


def test_an_extra_read_does_not_shift_the_next_code(make_api):
    def code(reads):
        api = make_api({"seed": 3})
        for _ in range(reads):
            api.get("/v3/senders")
        api.post("/v3/senders", json={"name": "A", "email": "a@acme.test"})
        return api.get("/_mock/mailbox").json["items"][0]["otp"]

    assert code(0) == code(5)


@pytest.mark.parametrize(("sent", "kept"), [("<1@mail.test>", "<1@mail.test>"), (5, "5"), (5.0, "5")])
def test_an_export_takes_a_message_id_as_text_or_as_a_whole_number(make_api, sent, kept):
    api = make_api({"accounts": [{"name": "a", "enterprise": True}]})
    body = {"type": "transactional", "event": "opened", "notifyURL": "http://a.test", "messageId": sent}

    assert api.post("/v3/webhooks/export", json=body).status_code == 202
    assert api.get("/_mock/state").json["accounts"][0]["exports"][0]["filters"]["messageId"] == kept


def test_what_happens_after_a_request_is_not_recorded_as_its_transitions(make_api):
    api = make_api("onboarding")
    api.get("/v3/senders")

    assert api.post("/_mock/machines/sender/2/expire_otp").status_code == 200

    assert api.get("/_mock/requests").json["items"][0]["transitions"] == []
