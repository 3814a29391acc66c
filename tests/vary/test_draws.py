"""What a seed of `vary` draws, and how it is applied, announced and removed."""

from __future__ import annotations

import json

import pytest
from examples import rounds
from jsonschema import Draft202012Validator

from mockserver.evidence.openapi import document
from mockserver.resources.registry import API_OPERATIONS
from mockserver.scenario.behaviour import BehaviourItem
from mockserver.scenario.faults import FaultItem
from mockserver.scenario.vary import draw, optional_members

SEEDS = range(20)
DRAWS = {row.name: row for seed in SEEDS for row in draw(seed)}
START = {"start": "2026-01-15T09:00:00Z", "frozen": True}
SCENARIO = {"extends": "standard", "clock": START}
#: Reads and writes of an ordinary program, of the scenario `standard`.
CALLS = [
    ("GET", "/v3/account", None),
    ("GET", "/v3/senders", None),
    ("POST", "/v3/senders", {"name": "Shop", "email": "shop@acme.test"}),
    ("GET", "/v3/senders", None),
    ("POST", "/v3/senders/domains", {"name": "new.test"}),
    ("GET", "/v3/senders/domains/new.test", None),
    ("PUT", "/v3/senders/domains/new.test/authenticate", None),
    ("GET", "/v3/senders/domains", None),
    ("POST", "/v3/webhooks", {"url": "https://x.test/hook", "events": ["delivered"], "type": "transactional"}),
    ("POST", "/v3/webhooks", {"url": "https://x.test/hook", "events": ["delivered"], "type": "transactional"}),
    ("GET", "/v3/webhooks", None),
    ("GET", "/v3/webhooks/1", None),
    ("GET", "/v3/organization/activities", None),
    ("GET", "/v3/contacts", None),
    ("GET", "/v3/contacts/lists", None),
    ("GET", "/v3/contacts/attributes", None),
    ("GET", "/v3/smtp/blockedContacts", None),
    ("POST", "/v3/smtp/email", {"sender": {"email": "no@no.test"}, "to": [{"email": "a@b.test"}], "subject": "Hi",
                                "htmlContent": "<p>Hi</p>"}),
    ("DELETE", "/v3/senders/9999", None),
]  # fmt: skip


def run(api):
    return [api.request(method, path, json=body) for method, path, body in CALLS]


def warnings(api):
    items = api.get("/_mock/requests?limit=1000").json["items"]
    return [warning for item in reversed(items) for warning in item["warnings"] if warning.startswith("vary")]


# ---------------------------------------------------------------------- the table


def test_a_seed_draws_two_options_and_two_rules_at_most():
    found = [[next(iter(row.entry)) for row in draw(seed)] for seed in range(-50, 50)]
    assert {tuple(row) for row in found} == {("behaviour", "behaviour", "faults", "faults")}


def test_any_twenty_seeds_in_a_row_draw_everything():
    assert all(
        {row.name for seed in range(start, start + 20) for row in draw(seed)} == DRAWS.keys() for start in (-7, 1, 991)
    )


@pytest.mark.parametrize("row", DRAWS.values(), ids=DRAWS)
def test_a_draw_is_an_entry_that_a_scenario_may_have(row):
    for rule in row.entry.get("faults", ()):
        assert FaultItem().load(rule).id == f"vary-{row.name}"
    default = BehaviourItem().load({})
    loaded = BehaviourItem().load(row.entry.get("behaviour", {}))
    assert (loaded != default) is ("behaviour" in row.entry)


def test_a_draw_tells_its_entry_and_how_sure_it_is():
    assert DRAWS["dkim: cname"].says == "getDomainConfiguration returns CNAME records (behaviour dkim: cname; recorded)"
    assert DRAWS["lost_answer"].says.endswith("(fault lost_answer)")


# ---------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    "seed", [*SEEDS[:5], *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS[5 : rounds(40)])]
)
def test_the_same_seed_gives_the_same_bytes(make_api, seed):
    found = [
        [(row.status_code, row.headers.to_wsgi_list(), row.data) for row in run(make_api({**SCENARIO, "vary": seed}))]
        for _ in range(2)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("row", DRAWS.values(), ids=DRAWS)
def test_an_answer_under_a_draw_is_valid_or_marked_as_a_faults(make_api, row):
    api = make_api({**SCENARIO, **row.entry})
    validated = 0
    for found, exchange in zip(run(api), reversed(list(api.workspace.journal)), strict=True):
        declared = document()["paths"][API_OPERATIONS[exchange.operation].path][exchange.method.lower()]["responses"]
        answer = declared.get(str(found.status_code))
        is_json = found.headers.get("Content-Type", "application/json") == "application/json"
        if answer is None or not is_json:
            assert found.headers["X-Mock-Fault"].startswith("vary-")
            continue
        if "content" in answer:
            schema = answer["content"]["application/json"]["schema"]
            Draft202012Validator({**schema, "components": document()["components"]}).validate(json.loads(found.data))
            validated += 1
    assert validated > len(CALLS) / 2


def test_an_answer_may_lack_optional_members(make_api):
    api = make_api({**SCENARIO, **DRAWS["absent_members"].entry})
    before = make_api(SCENARIO).get("/v3/account").json
    assert before.keys() - api.get("/v3/account").json.keys() == set(optional_members()) & before.keys()
    assert {"address", "planVerticals"} <= before.keys() & set(optional_members())


# ---------------------------------------------------------------------- reads that are late


def create(api):
    return api.post("/v3/senders", json={"name": "Shop", "email": "shop@acme.test"})


@pytest.fixture
def stale(make_api):
    return make_api({**SCENARIO, **DRAWS["stale_read"].entry})


def test_a_read_after_a_write_is_once_as_before(stale):
    before = stale.get("/v3/senders").json
    create(stale)
    assert [stale.get("/v3/senders").json == before for _ in range(2)] == [True, False]


def test_a_read_is_not_stale_without_a_write_or_with_another_query(stale):
    stale.get("/v3/senders")
    assert "X-Mock-Fault" not in stale.get("/v3/senders").headers
    create(stale)
    assert "X-Mock-Fault" not in stale.get("/v3/senders?domain=acme.test").headers


def test_a_row_that_was_just_made_is_once_not_found(make_api):
    api = make_api({**SCENARIO, **DRAWS["late_row"].entry})
    made = api.post("/v3/webhooks", json=CALLS[8][2]).json["id"]
    found = [api.get(f"/v3/webhooks/{made}").status_code for _ in range(2)]
    assert found == [404, 200]


def test_a_row_that_was_there_before_is_found(make_api):
    api = make_api({**SCENARIO, **DRAWS["late_row"].entry})
    create(api)
    webhooks = api.get("/v3/webhooks").json["webhooks"]
    assert api.get(f"/v3/webhooks/{webhooks[0]['id']}").status_code == 200


# ---------------------------------------------------------------------- announcing


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_request_tells_each_draw(make_api, seed):
    api = make_api({**SCENARIO, "vary": seed})
    run(api)
    items = api.get("/_mock/vary").json["items"]
    assert warnings(api) == [f"vary {seed}: {row['says']}" for row in items]
    assert [row["name"] for row in items] == [row.name for row in draw(seed)]


def test_a_refused_key_announces_nothing(make_api):
    api = make_api({**SCENARIO, "vary": 0}, keys="known")
    api.get("/v3/account", key="xkeysib-unknown")
    assert warnings(api) == []


def test_a_state_lists_the_draws_and_is_not_varied_again(make_api):
    api = make_api({**SCENARIO, "vary": 7})
    api.get("/v3/account")
    state = api.get("/_mock/state").json
    assert (state["vary"]["seed"], len(state["vary"]["draws"])) == (7, 4)
    again = make_api(state)
    assert again.get("/_mock/state").json == state
    assert warnings(again) == []


def test_a_reset_varies_again(make_api):
    api = make_api({**SCENARIO, "vary": 7})
    api.delete("/_mock/vary")
    api.post("/_mock/reset")
    assert api.get("/_mock/vary").json["seed"] == 7


# ---------------------------------------------------------------------- the control call


def test_a_control_call_varies_a_running_workspace_and_lists_the_draws(make_api):
    api = make_api(SCENARIO)
    assert api.get("/_mock/vary").json == {"items": [], "count": 0, "seed": None}
    found = api.post("/_mock/vary", json={"seed": 0}).json
    assert (found["seed"], [row["name"] for row in found["items"]]) == (0, [row.name for row in draw(0)])
    assert found == api.get("/_mock/vary").json
    assert api.workspace.state.behaviour.dkim == "cname"


def test_draws_replace_those_of_before(make_api):
    api = make_api(SCENARIO)
    before = api.get("/_mock/state").json
    api.post("/_mock/vary", json={"seed": 0})
    api.post("/_mock/vary", json={"seed": 1})
    assert [row["id"] for row in api.get("/_mock/faults").json["items"]] == [
        "vary-rate_limited",
        "vary-unknown_members",
    ]
    assert api.workspace.state.behaviour.dkim == "txt"
    assert api.delete("/_mock/vary").status_code == 204
    assert api.get("/_mock/state").json == before


def test_any_twenty_seeds_in_a_row_draw_both_readings_under_the_preset_recorded(make_api):
    drawn = {}
    for seed in SEEDS:
        api = make_api({"behaviour": "recorded"})
        for row in api.post("/_mock/vary", json={"seed": seed}).json["items"]:
            drawn[row["name"]] = row["says"]
        api.delete("/_mock/vary")
        assert api.get("/_mock/state").json["behaviour"] == {"preset": "recorded"}

    assert drawn.keys() == {*DRAWS} - {"dkim: cname", "domain_id: hex", "sentence_codes: observed"} | {
        "dkim: txt", "domain_id: integer", "sentence_codes: specification",
    }  # fmt: skip
    assert drawn["dkim: txt"] == "dkim is not as observed live (behaviour dkim: txt; documented)"


def test_the_users_own_options_and_rules_stay(make_api):
    own = {
        "behaviour": {"dkim": "txt", "sentence_codes": "observed"},
        "faults": [{"fault": "latency", "ms": 1, "id": "mine"}],
    }
    api = make_api({**SCENARIO, **own, "vary": 0})
    assert [row["name"] for row in api.get("/_mock/vary").json["items"]] == ["lost_answer", "member_order"]
    assert next(iter(api.workspace.state.faults)).id == "mine"


REFUSED = [(None, "/seed"), ("7", "/seed"), (1.5, "/seed"), (True, "/seed")]


@pytest.mark.parametrize(("seed", "path"), REFUSED)
def test_a_bad_seed_is_refused_with_its_place(make_api, seed, path):
    found = make_api(SCENARIO).post("/_mock/vary", json={"seed": seed})
    assert (found.status_code, [row["path"] for row in found.json["errors"]]) == (400, [path])


def test_a_bad_seed_of_a_scenario_is_refused_with_its_line(make_api):
    found = make_api(SCENARIO).post("/_mock/reset", json={"yaml": "extends: standard\nvary: often\n"})
    assert (found.status_code, found.json["errors"][0]["path"]) == (400, "/vary")
    assert "2" in json.dumps(found.json["errors"][0])


def test_a_workspace_may_be_made_with_a_seed(make_api):
    api = make_api(SCENARIO)
    made = api.post("/_mock/workspaces", json={"vary": 3, "name": "mine"})
    assert made.status_code == 201
    assert api.get("/w/mine/_mock/vary").json["seed"] == 3
