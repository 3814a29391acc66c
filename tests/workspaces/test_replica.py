"""A replica (`--replica`) marks the names and keys that it draws, and says where those of another one belong."""

from __future__ import annotations

import re

import pytest

from mockserver import Settings
from mockserver.core.state.identifiers import api_key, is_drawn

DRAWN_BY_B = api_key("0" * 64, "b")
#: Names that a replica `b` draws.
NAMES_OF_B = ["w-b-0123abcd", "key-b-0123456789ab"]


@pytest.fixture
def replica(make_api):
    return make_api(replica="a")


def made(api, **body):
    return api.post("/_mock/workspaces", json=body)


# ---------------------------------------------------------------------- marks


@pytest.mark.parametrize(("name", "drawn"), [("a", 14), ("replica9", 7)])
def test_a_drawn_name_and_key_have_the_mark_over_a_reset_and_a_given_name_stays(make_api, name, drawn):
    replica = make_api(replica=name)
    found = made(replica).json

    assert re.fullmatch(f"w-{name}-[0-9a-f]{{8}}", found["name"])
    assert re.fullmatch(f"xkeysib-[0-9a-f]{{64}}-[0-9A-Za-z]{{{drawn}}}R{name}", found["api_key"])
    assert is_drawn(found["api_key"])
    assert replica.get("/v3/account", key=found["api_key"]).status_code == 200
    assert replica.post(f"/w/{found['name']}/_mock/reset").json["api_key"] == found["api_key"]
    assert made(replica, name="jo").json["name"] == "jo"


def test_a_key_of_a_sub_account_has_the_mark(make_api, story):
    body = {"id": 1000002, "name": "CI"}

    answer = make_api(story, replica="a").post("/v3/corporate/subAccount/key", json=body, key="xkeysib-story-acme")

    assert answer.json["key"].endswith("Ra")


def test_the_workspace_of_a_key_that_a_test_made_up_has_the_mark(make_api):
    api = make_api(replica="a", keys="isolate")

    assert api.get("/v3/account", key="made-up").status_code == 200
    assert re.fullmatch("key-a-[0-9a-f]{12}", api.get("/_mock/workspaces").json["items"][0]["name"])


def test_equal_seeds_and_names_give_two_replicas_different_keys(make_api):
    keys = {made(make_api(replica=name), name="jo", seed=1).json["api_key"] for name in ("a", "b", None)}

    assert len(keys) == 3


def test_health_tells_its_name(replica, api):
    assert replica.get("/_mock/health").json["replica"] == "a"
    assert "replica" not in api.get("/_mock/health").json


# ---------------------------------------------------------------------- what belongs to another replica


def test_a_workspace_of_another_replica_is_misdirected(replica):
    for name in NAMES_OF_B:
        for path in ("/v3/account", "/realms/partner/oauth/authorize", "/shared/1", "/_mock/clock"):
            answer = replica.get(f"/w/{name}{path}")

            assert (answer.status_code, answer.headers["X-Mock-Replica"]) == (421, "b")
            assert f"This is replica a of the mock, but workspace {name} belongs to replica b" in answer.text


def test_foreign_workspace_in_a_header_is_misdirected(replica):
    there = {"X-Mock-Workspace": NAMES_OF_B[0]}

    assert replica.get("/v3/account", headers=there).status_code == 421
    assert replica.get("/_mock/clock", headers=there).status_code == 421


def test_a_key_of_another_replica_is_misdirected_in_the_words_of_its_audience(replica):
    answer = replica.get("/v3/account", key=DRAWN_BY_B)
    called = replica.client.get("/_mock/clock", headers={"api-key": DRAWN_BY_B})

    sentence = "This is replica a of the mock, but the API key belongs to replica b"
    assert answer.json == {"code": "bad_request", "message": sentence}
    assert (called.content_type, called.json["detail"]) == ("application/problem+json", sentence)
    for found in (answer, called):
        assert (found.status_code, found.headers["X-Mock-Replica"]) == (421, "b")
    assert replica.get("/_mock/requests").json["items"][0]["reason"] == sentence


def test_a_key_of_another_replica_opens_nothing_in_a_workspace_that_is_here(replica):
    name = made(replica).json["name"]

    assert replica.get(f"/w/{name}/v3/account", key=DRAWN_BY_B).status_code == 401


def test_removed_workspace_of_this_replica_is_not_misdirected(replica):
    gone = made(replica).json
    replica.delete(f"/_mock/workspaces/{gone['name']}")

    assert replica.get(f"/w/{gone['name']}/_mock/clock").status_code == 404
    assert replica.get("/v3/account", key=gone["api_key"]).status_code == 401


def test_a_key_that_only_looks_marked_is_nobodys(make_api):
    for key in (f"xkeysib-{'0' * 64}-{'x' * 14}Rb", f"{DRAWN_BY_B}\n", "Rb"):
        api = make_api(replica="a", keys="known")

        assert api.client.get("/v3/account", environ_overrides={"HTTP_API_KEY": key}).status_code == 401


def test_a_server_that_is_no_replica_knows_no_other(api):
    assert api.get("/v3/account", key=DRAWN_BY_B).status_code == 401
    assert api.get(f"/w/{NAMES_OF_B[0]}/_mock/clock").status_code == 404
    assert made(api, name=NAMES_OF_B[0]).status_code == 201


def test_a_name_that_another_replica_would_draw_cannot_be_given(replica):
    answer = made(replica, name=NAMES_OF_B[0])

    assert (answer.status_code, answer.headers["X-Mock-Replica"]) == (421, "b")
    assert len(replica.store) == 1


# ---------------------------------------------------------------------- led to any replica

ANYWHERE = {"X-Mock-Replica": "*"}


def test_a_name_that_the_balancer_could_not_see_is_told_to_it(replica):
    answer = replica.post("/_mock/workspaces", json={"name": "jo"}, headers=ANYWHERE)

    assert (answer.status_code, answer.headers["X-Mock-Workspace"]) == (421, "jo")
    assert "send X-Mock-Workspace: jo as well" in answer.json["detail"]
    assert len(replica.store) == 1


@pytest.mark.parametrize(
    ("body", "headers"), [({}, ANYWHERE), ({"name": "jo"}, {**ANYWHERE, "X-Mock-Workspace": "jo"})]
)
def test_a_drawn_name_and_one_that_it_saw_are_made(replica, body, headers):
    assert replica.post("/_mock/workspaces", json=body, headers=headers).status_code == 201


def test_a_name_is_refused_where_something_else_has_led_the_call(replica):
    for root, headers in [("", {"X-Mock-Workspace": "al"}), ("/w/default", {}), ("", {"X-Mock-Replica": "a"})]:
        answer = replica.post(f"{root}/_mock/workspaces", json={"name": "jo"}, headers=headers)

        assert (answer.status_code, answer.json["errors"][0]["path"]) == (400, "/name")
        assert len(replica.store) == 1


# ---------------------------------------------------------------------- the setting


def test_another_name_of_a_replica_is_refused():
    for name in ("", "A", "a-b", "ninechars", "é", "²"):
        with pytest.raises(ValueError, match="replica must be 1 to 8 of the letters a to z and digits"):
            Settings(replica=name)
