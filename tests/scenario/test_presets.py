"""The presets of `behaviour`: what is documented, and what was observed live."""

import pytest

from mockserver import MockServer
from mockserver.core.state.behaviour import DOCUMENTED, OBSERVED, PRESETS, RECORDED, Behaviour
from mockserver.scenario.behaviour import BehaviourItem
from mockserver.settings import Settings, declared

OBSERVED_DIFFERENTLY = {
    "dkim": "cname", "domain_id": "hex", "sentence_codes": "observed", "send_empty_members": "refuse",
}  # fmt: skip


def behaviour(api, workspace="default"):
    return api.get(f"/w/{workspace}/_mock/state").json["behaviour"]


def switches(api):
    """Return what the workspace does, by switch."""
    return api.workspace.state.behaviour._asdict()


# ---------------------------------------------------------------------- the presets


def test_documented_is_the_default():
    assert PRESETS[DOCUMENTED] == Behaviour()


def test_recorded_differs_where_the_service_was_observed_to_differ():
    documented, recorded = (BehaviourItem().dump(PRESETS[name]) for name in (DOCUMENTED, RECORDED))

    differing = {name: value for name, value in recorded.items() if value != documented[name]}

    assert differing == {**OBSERVED_DIFFERENTLY, "preset": "recorded"}
    assert all(row.source for row in OBSERVED.values())


def test_the_setting_takes_every_preset():
    (row,) = (row for row in declared() if row.name == "behaviour")

    assert row.declaration.type.choices == tuple(PRESETS)
    assert Settings().behaviour == DOCUMENTED


# ---------------------------------------------------------------------- who wins


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("recorded", {"preset": "recorded"}),
        ({"preset": "recorded"}, {"preset": "recorded"}),
        ({"preset": "recorded", "dkim": "txt"}, {"preset": "recorded", "dkim": "txt"}),
        ({"dkim": "cname"}, {"preset": "documented", "dkim": "cname"}),
        ("documented", {"preset": "documented"}),
    ],
)
def test_a_scenario_names_a_preset_and_its_switches_win(make_api, written, expected):
    assert behaviour(make_api({"behaviour": written})) == expected


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ("recorded", {"dkim": "txt"}, {"preset": "recorded", "dkim": "txt"}),
        ({"dkim": "txt", "webhook_limit": 1}, "recorded", {"preset": "recorded", "dkim": "txt", "webhook_limit": 1}),
        ("recorded", "documented", {"preset": "documented"}),
        ("recorded", {}, {"preset": "recorded"}),
    ],
)
def test_a_scenario_over_another_one_changes_the_preset_or_single_switches(make_api, tmp_path, lower, upper, expected):
    (tmp_path / "lower.yaml").write_text(f"behaviour: {lower}\n".replace("'", ""))

    assert behaviour(make_api({"extends": "lower", "behaviour": upper}, scenarios=str(tmp_path))) == expected


@pytest.mark.parametrize(
    ("scenario", "preset"),
    [
        ({}, "recorded"),
        ({"behaviour": {"otp_lifetime": "PT1M"}}, "recorded"),
        ({"behaviour": "documented"}, "documented"),
    ],
)
def test_the_setting_is_for_scenarios_without_a_preset(make_api, scenario, preset):
    api = make_api(scenario, behaviour="recorded")
    api.post("/_mock/workspaces", json={"name": "made", "scenario": scenario})
    reset = api.post("/_mock/reset", json={"scenario": scenario})

    assert reset.status_code == 200
    assert [behaviour(api, name)["preset"] for name in ("default", "made")] == [preset, preset]


def test_a_workspace_is_made_with_a_preset_and_keeps_the_switches_of_its_scenario(make_api):
    api = make_api()
    made = {"name": "made", "scenario": {"behaviour": {"preset": "documented", "dkim": "txt"}}, "behaviour": "recorded"}

    assert api.post("/_mock/workspaces", json=made).status_code == 201
    assert behaviour(api, "made") == {"preset": "recorded", "dkim": "txt"}
    api.post("/w/made/_mock/reset")
    assert behaviour(api, "made") == {"preset": "recorded", "dkim": "txt"}


def test_a_seeded_preset_changes_the_switches_that_had_the_value_of_the_former_preset(make_api):
    api = make_api({"behaviour": {"webhook_limit": 3}})

    assert api.post("/_mock/seed", json={"behaviour": "recorded"}).status_code == 200
    assert behaviour(api) == {"preset": "recorded", "webhook_limit": 3}
    assert switches(api)["dkim"] == "cname"


# ---------------------------------------------------------------------- dumps


@pytest.mark.parametrize("setting", PRESETS)
@pytest.mark.parametrize(
    "written", ["documented", "recorded", {"preset": "recorded", "dkim": "txt"}, {"dkim": "cname"}, {"dkim": "txt"}]
)
def test_a_dumped_state_loads_to_the_same_behaviour_under_any_setting(make_api, written, setting):
    api, other = make_api({"behaviour": written}), make_api(behaviour=setting)

    assert other.put("/_mock/state", json=api.get("/_mock/state").json).status_code == 200
    assert switches(other) == switches(api)


def test_a_snapshot_keeps_the_preset(make_api):
    api = make_api("empty", behaviour="recorded")
    api.post("/_mock/snapshots", json={"name": "before"})
    api.post("/_mock/seed", json={"behaviour": "documented"})

    api.post("/_mock/snapshots/before/restore")

    assert behaviour(api) == {"preset": "recorded"}


# ---------------------------------------------------------------------- mistakes


@pytest.mark.parametrize("written", ["live", {"preset": "live"}])
def test_an_unknown_preset_is_refused_with_the_known_presets(make_api, written):
    answer = make_api().post("/_mock/reset", json={"scenario": {"behaviour": written}})

    assert answer.status_code == 400
    assert answer.json["errors"] == [
        {
            "path": "/behaviour/preset",
            "message": "unknown value: got 'live', expected one of: documented, recorded",
        }
    ]


def test_an_unknown_preset_of_a_new_workspace_is_refused(make_api):
    answer = make_api().post("/_mock/workspaces", json={"behaviour": "live"})

    assert answer.status_code == 400
    assert "got 'live', expected one of: documented, recorded" in answer.json["errors"][0]["message"]


def test_an_unknown_preset_of_a_server_is_refused():
    with pytest.raises(ValueError, match="behaviour must be documented or recorded, not 'live'"):
        MockServer(behaviour="live")


# ---------------------------------------------------------------------- a provider for Terraform


class Provider:
    """Does what a provider for Terraform did that was written by the documents, and collects its mistakes."""

    def __init__(self, api):
        self.api, self.surprises = api, []

    def apply(self, domain):
        """Create a domain, publish its DKIM record, and create a sender of the domain."""
        created = self.api.post("/v3/senders/domains", json={"name": domain}).json
        if not isinstance(created["id"], int):
            self.surprises.append("the id is no integer")
        found = self.api.get(f"/v3/senders/domains/{domain}").json["dns_records"]
        if not found.get("dkim_record"):
            self.surprises.append("there is no DKIM record to publish")
        answer = self.api.post("/v3/senders", json={"name": "Shop", "email": f"shop@{domain}"})
        if answer.status_code != 201 and answer.json["code"] != "DMARC policy requires domain authentication":
            self.surprises.append(f"the sender is refused: {answer.json['code']}")
        return self.surprises


def test_a_provider_by_the_documents_meets_nothing_unexpected_by_default(make_api):
    assert Provider(make_api()).apply("strict.test") == []


def test_a_provider_by_the_documents_meets_what_the_service_does_with_the_preset_recorded(make_api):
    assert Provider(make_api(behaviour="recorded")).apply("strict.test") == [
        "the id is no integer",
        "there is no DKIM record to publish",
        "the sender is refused: bad_request",
    ]


def test_the_pair_of_records_comes_with_the_preset_recorded(make_api):
    api = make_api({"behaviour": "recorded"})

    records = api.post("/v3/senders/domains", json={"name": "a.test"}).json["dns_records"]

    assert [records[name]["type"] for name in ("dkim1Record", "dkim2Record")] == ["CNAME", "CNAME"]
