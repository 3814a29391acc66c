"""What a workspace writes of itself is good, and makes the same workspace again."""

import pytest

from mockserver.core.effects import CallOutcome, NoEffects

FROZEN = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}}


@pytest.fixture
def workspace_of(make_api):
    """A factory of workspaces at a moment that stands still."""
    return lambda document=None, **settings: make_api({**FROZEN, **(document or {})}, **settings)


def assert_same(api):
    """A workspace is the same after its state was put in its own place."""
    api.put("/_mock/clock", json={"frozen": True})
    before = api.get("/_mock/state").json
    answer = api.put("/_mock/state", json=before)
    assert answer.status_code == 200, answer.json
    assert api.get("/_mock/state").json == before


def test_a_sub_account_has_a_name_of_its_own(make_api):
    api = make_api("corporate-v2", key="xkeysib-acme")
    number = api.get("/_mock/state").json["resume"]["ids"]["account"]
    taken = [f"sub-{number + 1}", f"sub-{number + 1}-2"]
    api.post("/_mock/seed", json={"accounts": [{"name": name, "id": row} for row, name in enumerate(taken, 77)]})

    made = api.post("/v3/corporate/subAccount", json={"companyName": "x", "email": "a@b.test"})

    assert api.workspace.state.accounts[made.json["id"]].name == f"sub-{number + 1}-3"
    assert_same(api)


def test_an_app_without_scopes_lets_nobody_do_anything(make_api):
    api = make_api("oauth")
    api.post("/_mock/oauth/apps", json={"name": "n", "client_id": "c", "client_secret": "s", "scopes": []})

    form = {"grant_type": "client_credentials", "client_id": "c", "client_secret": "s"}
    assert api.post("/realms/partner/oauth/token", data=form).status_code == 200

    assert_same(api)


def test_an_app_is_called_by_a_long_client_id_as_far_as_a_name_goes(workspace_of):
    api = workspace_of()

    assert api.post("/_mock/oauth/apps", json={"client_id": "x" * 150}).json["name"] == "x" * 100

    assert_same(api)


def test_a_rule_that_is_taken_is_taken_again(workspace_of):
    api = workspace_of()
    for length in range(64_500, 65_300, 25):
        api.post("/_mock/faults", json={"fault": "server_error", "match": {"json": {"a": "x" * length}}})
        assert_same(api)
        api.delete("/_mock/faults")


def test_a_deep_payload_of_an_inbound_mail_can_stand_in_its_call(workspace_of):
    webhook = {"url": "http://127.0.0.1:9/hold", "type": "inbound", "domain": "x.test"}
    api = workspace_of({"behaviour": {"inbound_domain": "any"}, "accounts": [{"name": "a", "webhooks": [webhook]}]})
    payload = {}
    for _ in range(79):
        payload = {"a": payload}

    event = {"type": "inbound", "event": "inboundEmailProcessed", "payload": payload}
    assert api.post("/_mock/trigger", json=event).json["count"] == 1
    api.advance("PT0S")  # waits until nobody has taken the call

    assert_same(api)


def test_an_account_has_no_code_where_each_domain_has_its_own(workspace_of):
    api = workspace_of({"behaviour": {"brevo_code": "domain"}, "accounts": [{"name": "a", "api_keys": ["any"]}]})
    assert api.post("/v3/senders/domains", json={"name": "x.test"}).status_code == 200

    assert_same(api)


def test_unknown_members_of_a_document_are_refused(make_api):
    for document, place in [
        ({"accounts": [{"name": "a", "role": "master", "currency_code": ""}]}, "accounts[0].currency_code: "),
        (
            {"accounts": [{"name": "a", "api_keys": ["k", "l", "k"]}]},
            "accounts[0].api_keys[2]: duplicate API key in this",
        ),
        ({"clock": {"start": "-P1D"}}, "clock.start: invalid value: got '-P1D', expected an RFC 3339 date-time"),
    ]:
        answer = make_api("empty").put("/_mock/state", json=document)

        assert answer.status_code == 400
        assert answer.json["detail"].startswith(place)


def test_missing_state_document_is_refused(make_api):
    for body in ("", "  \n"):
        api = make_api("corporate-v2")
        before = api.get("/_mock/state").json["accounts"]

        assert api.put("/_mock/state", data=body).status_code == 400

        assert api.get("/_mock/state").json["accounts"] == before
        assert api.put("/_mock/state", json={}).status_code == 200


def test_a_running_clock_goes_no_time_ahead_and_is_set_to_its_own_moment_but_to_none_before(make_api):
    api = make_api("standard")

    for body in ({"seconds": 0}, {"by": "PT0S"}):
        assert api.post("/_mock/clock/advance", json=body).status_code == 200
    assert api.put("/_mock/clock", json={"now": "PT0S"}).status_code == 200
    assert api.put("/_mock/clock", json={"now": "-PT1S"}).status_code == 400


def test_ids_do_not_count_past_those_that_can_be_given(workspace_of):
    sender = {"id": 2**62, "name": "n", "email": "a@b.test"}
    api = workspace_of({"accounts": [{"name": "a", "api_keys": ["any"], "senders": [sender]}]})

    refused = api.post("/v3/senders", json={"name": "n", "email": "b@b.test"})

    assert (refused.status_code, refused.json["code"]) == (400, "out_of_range")
    assert_same(api)


def test_a_scenario_does_not_count_past_them_either(make_api):
    for more in ({"senders": [{"name": "n", "email": "b@b.test"}]}, {"generate": {"senders": 1}}):
        document = {"accounts": [{"name": "a", **more}], "resume": {"ids": {"sender": 2**62}}}
        api = make_api("empty")

        answer = api.put("/_mock/state", json=document)

        assert answer.status_code == 400
        assert "sender ids would count up to" in answer.json["detail"]
        api.put("/_mock/state", json={"accounts": [{"name": "a"}], "resume": {"ids": {"sender": 2**62}}})
        assert api.post("/_mock/seed", json={"accounts": document["accounts"]}).status_code == 400


def test_draws_do_not_count_past_the_positions_that_can_be_given(workspace_of):
    positions = dict.fromkeys(("verification_code", "otp", "otp_code", "domain", "brevo_code", "people"), 2**62)
    people = {"accounts": [{"name": "a", "api_keys": ["any"], "generate": {"senders": 1}}]}
    api = workspace_of({**people, "resume": {"draws": positions}})
    api.post("/v3/senders/domains", json={"name": "x.test"})

    assert_same(api)


def test_existing_api_key_is_not_drawn_again(make_api):
    api = make_api("empty")
    document = {"accounts": [{"name": "a"}]}
    api.put("/_mock/state", json=document)
    keys = api.store.within("default", lambda found: [found.state.draw_api_key() for _ in range(3)])

    api.put("/_mock/state", json={"accounts": [{"name": "a", "api_keys": keys}]})

    assert api.workspace.state.draw_api_key() not in keys


def call_made_of(number, **more):
    """A call as a document holds it, each an hour after the one before."""
    target, made = {"url": "http://127.0.0.1:9/hold"}, f"2026-01-14T{number:02}:00:00Z"
    return {"id": number, "target": target, "payloads": [{}], "events": ["delivered"], "created_at": made, **more}


@pytest.mark.parametrize("tried", [True, False])
def test_which_call_goes_first_is_known_when_the_state_was_put_back(workspace_of, tried):
    attempts = [{"at": "2026-01-15T08:00:00Z", "status": 429}] if tried else []
    waiting = {"state": "retrying", "next_at": "PT1H", "attempts": attempts}
    calls = [call_made_of(number, **waiting) for number in (1, 2, 3)]
    hook = {"url": "http://127.0.0.1:9/hold", "events": ["delivered"]}
    account = {"name": "a", "webhooks": [hook], "deliveries": calls}
    api = workspace_of({"accounts": [account]}, deliveries_limit=3)
    for number in (3, 1, 2):
        assert api.post(f"/_mock/machines/delivery/{number}/give_up").status_code == 200
    written = api.get("/_mock/state").json

    def kept():
        api.post("/_mock/trigger", json={"event": "delivered"})
        return [row["id"] for row in api.get("/_mock/deliveries").json["items"]]

    assert kept() == [4, 3, 2]
    assert api.put("/_mock/state", json=written).status_code == 200
    assert kept() == [4, 3, 2]


LAST = 2**62
HOOK = {"url": "http://127.0.0.1:9/hold", "events": ["request", "delivered"]}
INBOUND_HOOK = {"url": "http://127.0.0.1:9/hold", "type": "inbound", "domain": "x.test"}
EXPORT = {
    "id": 1, "requested_at": "PT0S", "ready_at": "PT5M",
    "filters": {"type": "transactional", "event": "allEvents", "notifyURL": "http://127.0.0.1:9/hold"},
}  # fmt: skip
MAIL = {"message_id": "<1@a.test>", "to": "a@b.test", "scheduled_at": "PT5M"}


class Answering(NoEffects):
    """An outside that takes every call, and at once."""

    def call(self, url, job):
        job.done(CallOutcome(200))


@pytest.fixture
def worn_workspace(workspace_of):
    """A workspace in which two more calls can be made, and none after them."""
    resume = {"ids": {"delivery": LAST - 2}}
    account = {"name": "a", "api_keys": ["any"], "webhooks": [HOOK, INBOUND_HOOK], "exports": [EXPORT]}
    api = workspace_of({"accounts": [{**account, "scheduled_emails": [MAIL]}], "resume": resume})
    api.workspace.effects = Answering()
    return api


def calls_of(api):
    return [row["id"] for row in api.get("/_mock/deliveries").json["items"]]


def test_no_call_is_made_behind_the_last_id(worn_workspace, caplog):
    made = [worn_workspace.post("/_mock/trigger", json={"event": "delivered"}).json["count"] for _ in range(3)]
    mail = {"sender": "a@b.test", "recipient": "c@x.test"}

    assert made == [1, 1, 0]
    assert worn_workspace.post("/_mock/inbound", json=mail).json["deliveries"] == []
    assert calls_of(worn_workspace) == [LAST, LAST - 1]
    assert "has no id left for another delivery" in caplog.text
    assert_same(worn_workspace)


@pytest.mark.parametrize("step", ["/_mock/machines/export/1/complete", "/_mock/machines/scheduled_email/{}/fall_due"])
def test_no_call_is_made_behind_the_last_id_by_hand(worn_workspace, step):
    for _ in range(2):
        worn_workspace.post("/_mock/trigger", json={"event": "delivered"})

    assert worn_workspace.post(step.format("%3C1@a.test%3E")).status_code == 200
    assert calls_of(worn_workspace) == [LAST, LAST - 1]
    assert_same(worn_workspace)


def test_no_call_is_made_behind_the_last_id_by_the_clock(worn_workspace):
    worn_workspace.post("/_mock/trigger", json={"event": "delivered"})

    fired = worn_workspace.advance("PT5M")["fired"]

    assert [row["event"] for row in fired] == ["complete", "fall_due", "succeed"]
    assert calls_of(worn_workspace) == [LAST, LAST - 1]
    assert_same(worn_workspace)


def test_rules_begin_anew_behind_the_last_id(workspace_of):
    rule = {"fault": "server_error"}
    api = workspace_of({"faults": [{**rule, "id": "fault-1"}], "resume": {"ids": {"fault": LAST - 1}}})

    made = [api.post("/_mock/faults", json=rule).json["id"] for _ in range(3)]

    assert made == [f"fault-{LAST}", "fault-2", "fault-3"]
    assert_same(api)


def test_a_target_counts_once_for_a_call_however_many_attempts_went_there(workspace_of):
    before = {"url": "http://before.test/" + "x" * 500}

    def held(*targets):
        attempts = [{"at": "PT0S", "status": 500, "target": target} for target in targets]
        call = {"id": 1, "webhook": 1, "target": {"url": "http://a.test"}, "payloads": [{}], "events": ["click"]}
        document = {**FROZEN, "deliveries": [{**call, "created_at": "PT0S", "state": "dropped", "attempts": attempts}]}
        api = workspace_of(document)
        return api.workspace.state.tally.bytes

    assert held(before, before) == held(before, None) > held(None, None) + 500
