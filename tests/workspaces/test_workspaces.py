"""A workspace per test: made, listed, found by its address, dropped, and never seen by another one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mockserver.core.state.identifiers import is_drawn


def create(api, **wanted):
    return api.post("/_mock/workspaces", json=wanted)


def names(api, query=""):
    return [row["name"] for row in api.get(f"/_mock/workspaces{query}").json["items"]]


# ---------------------------------------------------------------------- making one


def test_a_fresh_workspace_is_described_in_full(api):
    answer = create(api, scenario="corporate-v2", name="mine")
    described = answer.json
    keys = [row.pop("api_key") for row in described["accounts"]]

    assert answer.status_code == 201
    assert described == {
        "name": "mine",
        "api_key": keys[0],
        "scenario": "corporate-v2",
        "url": "http://localhost/w/mine/v3",
        "accounts": [
            {"name": "acme", "role": "master"},
            {"name": "acme-admin", "role": "admin"},
            {"name": "eu", "role": "sub_account"},
            {"name": "us", "role": "sub_account"},
            {"name": "labs", "role": "sub_account"},
        ],
    }
    assert len(set(keys)) == 5
    assert all(map(is_drawn, keys))
    assert api.get("/_mock/workspaces/mine").json["accounts"][4]["api_key"] == keys[4]


def test_workspace_without_scenario_gets_the_server_scenario(make_api):
    assert create(make_api("onboarding")).json["scenario"] == "onboarding"


@pytest.mark.parametrize("kind", ["name", "path"])
@pytest.mark.parametrize("before", [{}, {"scenario": "empty"}], ids=["own", "another"])
def test_a_strict_workspace_is_laid_over_the_servers_own_scenario(make_api, tmp_path, kind, before):
    """Whatever that is, and whatever the default workspace has become."""
    (tmp_path / "below.yaml").write_text("accounts: [{name: mine}]\n")
    (tmp_path / "own.yaml").write_text("extends: below\nstrict: false\n")
    api = make_api("own" if kind == "name" else str(tmp_path / "own.yaml"), scenarios=str(tmp_path))
    api.post("/_mock/reset", json=before)

    made = create(api, strict=True).json

    for _ in range(2):
        state = api.get(f"/w/{made['name']}/_mock/state").json
        assert (state["strict"], [row["name"] for row in state["accounts"]]) == (True, ["mine"])
        api.post(f"/w/{made['name']}/_mock/reset")
    assert api.get(f"/w/{create(api).json['name']}/_mock/state").json["strict"] is False


def test_workspace_with_another_scenario_can_be_strict_and_keeps_the_name_of_its_scenario(api, story):
    for scenario in ("onboarding", story, {"extends": "empty", "strict": False}):
        made = create(api, scenario=scenario, strict=True).json
        assert made["scenario"] == scenario if isinstance(scenario, str) else made["scenario"] == "document"
        for _ in range(2):
            assert api.get(f"/w/{made['name']}/_mock/state").json["strict"] is True
            assert api.post(f"/w/{made['name']}/_mock/reset").json["scenario"] == made["scenario"]


def test_a_document_may_come_as_yaml(api):
    body = "name: y\nscenario:\n  accounts:\n  - {name: from-yaml}\n"
    answer = api.post("/_mock/workspaces", data=body, content_type="application/yaml")

    assert (answer.status_code, answer.json["accounts"][0]["name"]) == (201, "from-yaml")


def test_workspaces_without_a_name_get_different_ones(api):
    assert len({create(api).json["name"] for _ in range(20)}) == 20


@pytest.mark.parametrize(("seed", "same"), [(7, True), (8, False)])
def test_the_seed_decides_over_what_is_drawn(make_api, new_workspace, seed, same):
    codes = []
    for chosen in (7, seed):
        workspace = new_workspace(make_api("empty"), seed=chosen)
        workspace.new_sender("a@acme.test")
        codes.append(workspace.get("/_mock/mailbox").json["items"][0]["otp"])

    assert (codes[0] == codes[1]) is same


def test_a_name_that_is_taken_is_409_and_leaves_its_workspace_alone(api, new_workspace, story):
    workspace = new_workspace(api, story, name="mine")
    workspace.new_sender("a@acme.test")
    before = workspace.state

    answers = [create(api, name="mine"), create(api, name="default")]

    assert [(row.status_code, row.content_type) for row in answers] == [(409, "application/problem+json")] * 2
    assert workspace.state == before
    assert len(api.store) == 2


def test_mistakes_are_named_and_make_nothing(api):
    for body, paths in [
        ({"name": ""}, ["/name"]),
        ({"name": "a/b"}, ["/name"]),
        ({"name": "a\n"}, ["/name"]),
        ({"name": "-a"}, ["/name"]),
        ({"name": "a" * 65}, ["/name"]),
        ({"seed": "x", "name": 1}, ["/seed", "/name"]),
        ({"seed": 1.5}, ["/seed"]),
        ({"scenario": "nothing"}, ["/scenario"]),
        ({"scenario": 7}, ["/scenario"]),
        ({"sed": 1}, ["/sed"]),
    ]:
        answer = create(api, **body)

        assert (answer.status_code, sorted(row["path"] for row in answer.json["errors"])) == (400, sorted(paths))
        assert len(api.store) == 1


def test_a_bad_document_names_every_mistake_and_makes_nothing(api):
    answer = create(api, scenario={"accounts": [{"nmae": "a"}], "sed": 1}, name="mine")

    assert {row["path"] for row in answer.json["errors"]} == {"/accounts/0/nmae", "/accounts/0/name", "/sed"}
    assert api.get("/_mock/workspaces/mine").status_code == 404


# ---------------------------------------------------------------------- listing and dropping


def test_the_one_used_last_is_listed_first(api, new_workspace):
    workspaces = {name: new_workspace(api, "empty", name=name) for name in ("a", "b", "c")}
    workspaces["a"].get("/v3/senders")

    assert names(api) == ["a", "c", "b", "default"]


def test_to_look_at_the_list_is_no_use_of_a_workspace(api, new_workspace):
    for name in ("a", "b"):
        new_workspace(api, "empty", name=name)
    api.get("/_mock/ui/workspaces")
    assert api.store.peek("nowhere") is None

    assert names(api) == ["b", "a", "default"]


def test_long_lists_are_read_in_parts_with_the_count_of_all(api, new_workspace):
    for number in range(6):
        new_workspace(api, "empty", name=f"w{number}")

    part = api.get("/_mock/workspaces?limit=2&offset=3").json

    assert ([row["name"] for row in part["items"]], part["count"]) == (["w2", "w1"], 7)
    assert api.get("/_mock/workspaces?offset=7").json["items"] == []


def test_a_query_that_makes_no_sense_is_400(api):
    for query in ("limit=0", "limit=1001", "offset=-1", "limit=x", "what=1"):
        assert api.get(f"/_mock/workspaces?{query}").status_code == 400


def test_the_list_is_searched_by_a_part_of_the_name(api, new_workspace):
    for name in ("a-1", "b-1", "B-2"):
        new_workspace(api, "empty", name=name)

    for part, found in {
        "": ["B-2", "b-1", "a-1", "default"],
        "B-": ["B-2", "b-1"],
        "1": ["b-1", "a-1"],
        "%": [],
    }.items():
        assert names(api, f"?name={part}&limit=9") == found


def test_workspace_list_shows_age_clock_and_content(api, new_workspace, story):
    before = datetime.now(UTC)
    workspace = new_workspace(api, story, name="mine")
    workspace.new_sender("a@acme.test")
    workspace.post("/_mock/trigger", {"event": "hardBounce"})
    workspace.post("/_mock/faults", {"fault": "unavailable"})
    workspace.post("/_mock/snapshots", {})
    workspace.get("/v3/no%20where")

    listed = api.get("/_mock/workspaces").json["items"][0]
    made_at, last = datetime.fromisoformat(listed["made_at"]), listed["last_request"]

    assert api.get("/_mock/workspaces/mine").json["counts"] == listed["counts"]
    assert before <= made_at <= datetime.now(UTC)
    assert (listed["clock"]["now"], listed["clock"]["frozen"]) == ("2026-01-15T09:00:00Z", True)
    assert before <= datetime.fromisoformat(last.pop("real_at")) <= datetime.now(UTC)
    assert last == {
        "id": api.get("/w/mine/_mock/requests?limit=1").json["items"][0]["id"],
        "at": "2026-01-15T09:00:00Z", "method": "GET", "path": "/v3/no where", "operation": None, "status": 503,
    }  # fmt: skip
    counts = {"requests": 2, "mails": 1, "deliveries": 1, "faults": 1, "stubs": 0, "snapshots": 1}
    assert listed["counts"] == {**counts, "rows": api.store.get("mine").state.kept()}


def test_a_workspace_is_as_old_after_a_reset_and_has_had_no_request_since(api, new_workspace):
    workspace = new_workspace(api, "empty", name="mine")
    workspace.get("/v3/account")
    before = api.get("/_mock/workspaces/mine").json
    workspace.post("/_mock/reset", {})

    after = api.get("/_mock/workspaces/mine").json
    assert (after["made_at"], after["last_request"], after["counts"]["requests"]) == (before["made_at"], None, 0)


def test_a_workspace_that_is_dropped_is_gone(api, new_workspace):
    workspace = new_workspace(api, name="mine")

    answers = [api.delete("/_mock/workspaces/mine").status_code for _ in range(2)]

    assert answers == [204, 404]
    assert names(api) == ["default"]
    assert workspace.get("/v3/senders").status_code == 401
    assert api.get("/w/mine/_mock/clock").json["detail"] == "unknown workspace 'mine'; it was deleted"


def test_the_default_workspace_lives_at_the_root_and_at_its_own_address_and_cannot_be_dropped(api, default_workspace):
    workspace = default_workspace(api)
    assert (workspace.described["url"], workspace.key) == ("http://localhost/v3", "xkeysib-acme")
    workspace.new_sender("a@acme.test")
    assert "a@acme.test" in [row["email"] for row in api.get("/v3/senders", key="xkeysib-acme").json["senders"]]

    answer = api.delete("/_mock/workspaces/default")
    assert (answer.status_code, answer.content_type) == (409, "application/problem+json")
    assert names(api) == ["default"]


def test_a_name_can_be_used_again_for_a_workspace_that_knows_nothing_of_the_first(api, new_workspace):
    first = new_workspace(api, "empty", name="mine")
    first.new_sender("a@acme.test")
    api.delete("/_mock/workspaces/mine")

    again = new_workspace(api, "empty", name="mine")

    assert again.get("/v3/senders").json["senders"] == []
    assert (len(again.journal), again.key) == (1, first.key)


# ---------------------------------------------------------------------- addresses


def test_every_address_works_below_the_workspaces_own(api, new_workspace):
    workspace = new_workspace(api, "empty", name="mine")
    created = workspace.new_sender("a@acme.test")

    assert created.status_code == 201
    assert workspace.get("/_mock/mailbox").json["items"][0]["to"] == "a@acme.test"
    assert workspace.get("/").status_code == 200
    assert workspace.get("/_mock/docs").status_code == 200
    assert workspace.get("/v3/nowhere").status_code == 404
    assert [row["path"] for row in workspace.journal] == ["/v3/nowhere", "/v3/senders"]


def test_the_address_decides_over_the_header_and_the_header_over_the_key(api, new_workspace):
    one, two, three = (new_workspace(api, "empty", name=name) for name in ("one", "two", "three"))
    for workspace in (one, two, three):
        workspace.new_sender(f"{workspace.name}@a.test")

    def seen(path="/_mock/mailbox", **headers):
        return api.client.get(path, headers=headers).json["items"][0]["to"]

    both = {"X-Mock-Workspace": "two", "api-key": three.key}
    assert seen("/w/one/_mock/mailbox", **both) == "one@a.test"
    assert seen(**both) == "two@a.test"
    assert seen(**{"api-key": three.key}) == "three@a.test"


def test_an_unknown_name_is_404_and_makes_nothing(make_api, new_workspace):
    api = make_api(keys="isolate")
    for address in ("/w/nowhere/_mock/clock", "/w//_mock/clock", "/w/Default/_mock/clock"):
        answer = api.get(address)

        assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert api.get("/w/nowhere/v3/senders", key="made-up").status_code == 404
    assert names(api) == ["default"]
    assert api.get("/w/nowhere/v3/senders", key=new_workspace(api).key).status_code == 401


# ---------------------------------------------------------------------- one workspace only


def test_requests_to_a_workspace_change_no_other_workspace(
    make_api, new_workspace, default_workspace, random_user, story
):
    api = make_api(story)
    busy, idle, default = new_workspace(api, story), new_workspace(api, story), default_workspace(api)
    idle.new_sender("a@acme.test")

    def seen():
        return [
            (workspace.state, workspace.journal, workspace.get("/_mock/mailbox").json) for workspace in (idle, default)
        ]

    before = seen()

    random_user(busy, 5).play(120)
    for path in ("/_mock/snapshots", "/_mock/reset"):
        assert busy.post(path, {}).status_code in (200, 201)

    assert seen() == before
    assert idle.get("/_mock/snapshots").json["items"] == []


# ---------------------------------------------------------------------- labels


def labelled(api):
    """Make three workspaces; the test of the second has failed."""
    for name, label in (("w1", "tests/test_a.py::test_One"), ("w2", "tests/test_a.py::test_two"), ("w3", None)):
        api.post("/_mock/workspaces", json={"name": name} if label is None else {"name": name, "label": label})
    assert api.request("PATCH", "/_mock/workspaces/w2", json={"outcome": "failed"}).status_code == 200


def test_workspace_shows_its_label_and_the_outcome_of_its_test(api):
    labelled(api)
    api.request("PATCH", "/_mock/workspaces/w3", json={"label": "by hand"})

    shown = [api.get(f"/_mock/workspaces/{name}").json for name in ("w1", "w2", "w3", "default")]

    assert [(row.get("label"), row.get("outcome")) for row in shown] == [
        ("tests/test_a.py::test_One", None), ("tests/test_a.py::test_two", "failed"), ("by hand", None), (None, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("label=ONE", ["w1"]), ("label=test_a.py", ["w2", "w1"]), ("outcome=failed", ["w2"]),
        ("outcome=passed", []), ("label=test_a&name=w1", ["w1"]), ("label=nothing", []),
    ],
)  # fmt: skip
def test_workspaces_are_found_by_label_and_outcome(api, query, found):
    labelled(api)

    answer = api.get(f"/_mock/workspaces?{query}").json

    assert (sorted(row["name"] for row in answer["items"]), answer["count"]) == (sorted(found), len(found))


def test_label_survives_a_reset(api):
    labelled(api)
    api.post("/w/w2/_mock/reset", json={})

    shown = api.get("/_mock/workspaces/w2").json

    assert (shown["label"], shown["outcome"]) == ("tests/test_a.py::test_two", "failed")


@pytest.mark.parametrize(
    ("body", "path"), [({"label": "x" * 501}, "/label"), ({"outcome": "maybe"}, "/outcome"), ({"name": "x"}, "/name")]
)
def test_wrong_label_or_outcome_is_refused(api, body, path):
    labelled(api)

    answer = api.request("PATCH", "/_mock/workspaces/w1", json=body)

    assert (answer.status_code, [row["path"] for row in answer.json["errors"]]) == (400, [path])
    assert api.get("/_mock/workspaces/w1").json["label"] == "tests/test_a.py::test_One"


# ---------------------------------------------------------------------- copies


def test_copy_has_the_state_of_the_workspace_and_keys_of_its_own(api, new_workspace):
    first = new_workspace(api, "onboarding", name="first")
    first.new_sender("a@acme.test")
    made = api.post("/_mock/workspaces", json={"name": "copy", "copy_of": "first"})

    states = [api.get(f"/w/{name}/_mock/machines/sender").json["items"] for name in ("first", "copy")]

    assert made.status_code == 201
    assert states[0] == states[1] != []
    assert made.json["api_key"] != api.get("/_mock/workspaces/first").json["api_key"]


@pytest.mark.parametrize(
    ("body", "status"), [({"copy_of": "nothing"}, 404), ({"copy_of": "default", "scenario": "empty"}, 400)]
)
def test_copy_of_nothing_or_with_a_scenario_is_refused(api, body, status):
    assert api.post("/_mock/workspaces", json=body).status_code == status
    assert names(api) == ["default"]


def test_an_unknown_name_is_shown_in_part_if_it_is_long(api):
    refused = api.post("/_mock/workspaces", json={"copy_of": "x" * 100_000})

    assert refused.status_code == 404
    assert "(100,000 characters)" in refused.json["detail"]
    assert len(refused.data) < 500
