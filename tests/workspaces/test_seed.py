"""What is added to a running workspace: behind what is there, or not at all."""

from __future__ import annotations

import pytest

from mockserver.resources.senders.model import Sender


def seed(workspace, document, **options):
    return workspace.post("/_mock/seed", document, **options)


def emails(workspace, **options):
    return [row["email"] for row in workspace.get("/v3/senders", **options).json["senders"]]


def ids(workspace):
    return [row["id"] for row in workspace.get("/v3/senders").json["senders"]]


def sender(email, **more):
    return {"name": "S", "email": email, **more}


def account(workspace, name):
    return next(row for row in workspace.get("/_mock/state").json["accounts"] if row["name"] == name)


# ---------------------------------------------------------------------- what it adds


def test_seeded_rows_come_behind_existing_rows(workspace):
    before = workspace.state
    answer = seed(workspace, {"senders": [sender("a@b.test"), sender("c@d.test")]})

    assert answer.status_code == 200
    assert answer.json["accounts"] == workspace.get(f"/_mock/workspaces/{workspace.name}").json["accounts"]
    assert emails(workspace) == ["news@acme.test", "a@b.test", "c@d.test"]
    after = workspace.state
    changed = {key for key in after if after[key] != before[key]}
    assert changed == {"accounts", "resume"}
    assert after["accounts"][1:] == before["accounts"][1:]


def test_journal_mailbox_snapshots_clock_codes_and_rate_window_go_on(workspace):
    def there():
        return workspace.journal, [workspace.get(f"/_mock/{name}").json for name in ("mailbox", "snapshots")]

    made = workspace.new_sender("x@acme.test")
    code = workspace.get("/_mock/mailbox").json["items"][0]["otp"]
    workspace.post("/_mock/snapshots", {"name": "s"})
    workspace.post("/_mock/clock/advance", {"by": "PT5M"})
    before = there(), workspace.get("/_mock/clock").json["now"]

    seed(workspace, {"senders": [sender("a@b.test")]})

    assert (there(), workspace.get("/_mock/clock").json["now"]) == before
    assert "reset" not in [occurrence.kind for occurrence in workspace.api.store.get(workspace.name).feed.after(0)]
    verified = workspace.put(f"/v3/senders/{made.json['id']}/validate", {"otp": code})
    assert verified.status_code == 204
    left = [int(answer.headers["x-sib-ratelimit-remaining"]) for answer in (made, verified)]
    assert left[1] == left[0] - 1


def test_ids_go_on_past_those_that_are_gone(workspace):
    made = [workspace.new_sender(f"{n}@a.test").json["id"] for n in range(3)]
    for number in made:
        workspace.delete(f"/v3/senders/{number}")

    seed(workspace, {"senders": [sender("a@b.test")]})

    assert made == [2, 3, 4]
    assert ids(workspace) == [1, 5]
    assert workspace.new_sender("z@z.test").json["id"] == 6


def test_codes_go_on_and_none_comes_twice(workspace):
    workspace.new_sender("x@acme.test")
    seed(workspace, {"senders": [sender("a@b.test", state="awaiting_verification")]})
    workspace.new_sender("y@acme.test")

    codes = [row["otp"] for row in account(workspace, "acme")["senders"] if row.get("otp")]
    assert len(codes) == len(set(codes)) == 3


def test_pending_timers_survive_seeding(workspace):
    number = workspace.new_sender("x@acme.test").json["id"]
    workspace.post("/_mock/clock/advance", {"by": "PT5M"})
    seed(workspace, {"senders": [sender("a@b.test")]})

    fired = workspace.post("/_mock/clock/advance", {"by": "PT10M"}).json["fired"]

    assert [(row["event"], row["key"], row["at"]) for row in fired] == [("expire_otp", number, "2026-01-15T09:15:00Z")]


def test_existing_rows_are_not_touched_by_a_seed(workspace):
    """So it costs what it adds, however much there is."""
    before = list(workspace.api.store.get(workspace.name).state.first_account.table(Sender).values())
    seed(workspace, {"senders": [sender("a@b.test")]})

    after = list(workspace.api.store.get(workspace.name).state.first_account.table(Sender).values())
    assert len(after) == len(before) + 1
    assert all(row is same for row, same in zip(after, before, strict=False))


def test_a_second_seed_goes_on_with_made_up_data(workspace):
    for _ in range(2):
        assert seed(workspace, {"generate": {"senders": 20, "domains": 5}}).status_code == 200

    rows = account(workspace, "acme")
    found = [row["email"] for row in rows["senders"]]
    assert len(found) == len(set(found)) == 41
    assert len({row["name"] for row in rows["domains"]}) == 11


def test_relative_instants_of_a_seed_count_from_the_clock(workspace):
    workspace.post("/_mock/clock/advance", {"by": "PT1H"})
    seed(workspace, {"senders": [sender("a@b.test", state="awaiting_verification", otp=123456, otp_expires_at="PT5M")]})

    assert account(workspace, "acme")["senders"][1]["otp_expires_at"] == "2026-01-15T10:05:00Z"


# ---------------------------------------------------------------------- whom it adds to


def test_a_seed_adds_to_the_account_behind_the_key_else_to_the_first(workspace):
    seed(workspace, {"senders": [sender("a@b.test")]}, headers={"api-key": workspace.keys["eu"]})
    seed(workspace, {"senders": [sender("c@d.test")]})
    seed(workspace, {"senders": [sender("e@f.test")]}, headers={"api-key": "xkeysib-nobody"})

    assert emails(workspace, key=workspace.keys["eu"]) == ["a@b.test"]
    assert emails(workspace) == ["news@acme.test", "c@d.test", "e@f.test"]


def test_accounts_are_found_by_name_and_new_ones_get_keys_and_ids(workspace):
    document = {
        "accounts": [
            {"name": "eu", "senders": [sender("a@b.test")], "company_name": "Europe"},
            {"name": "new", "email": "new@new.test", "senders": [sender("c@d.test")]},
            {"name": "asia", "role": "sub_account", "of": "acme", "assigned": {"credits": {"email": 10}}},
        ]
    }
    assert seed(workspace, document).status_code == 200

    keys = workspace.keys
    assert emails(workspace, key=keys["eu"]) == ["a@b.test"]
    assert account(workspace, "eu")["company_name"] == "Europe"
    assert emails(workspace, key=keys["new"]) == ["c@d.test"]
    assert (account(workspace, "new")["id"], account(workspace, "asia")["id"]) == (1000005, 1000006)
    assert workspace.get("/v3/corporate/subAccount/1000006").status_code == 200


@pytest.mark.parametrize(
    "said", [{}, {"role": "master"}, {"role": "admin", "of": "acme"}, {"role": "sub_account", "of": "acme"}]
)
def test_a_new_account_of_which_nothing_is_said_is_what_a_scenario_makes_of_it(make_api, said):
    added = make_api("corporate-v2")
    document = {**added.get("/_mock/state").json, "resume": {}}
    document["accounts"].append({"name": "new", "id": 7, "api_keys": ["new"], **said})
    loaded = make_api("corporate-v2")
    assert loaded.put("/_mock/state", json=document).status_code == 200

    assert added.post("/_mock/seed", json={"accounts": document["accounts"][-1:]}).status_code == 200

    varying = {"created_at", "organization_id", "user_id"}
    found = [account(api, "new") for api in (added, loaded)]
    assert {name: value for name, value in found[0].items() if name not in varying} == {
        name: value for name, value in found[1].items() if name not in varying
    }
    assert added.put("/_mock/state", json=added.get("/_mock/state").json).status_code == 200


def test_the_solution_stays_where_there_are_masters(make_api):
    api = make_api("corporate-v2")

    assert api.post("/_mock/seed", json={"solution": "v2"}).status_code == 200
    assert api.post("/_mock/seed", json={"solution": "v1"}).json["errors"][0]["path"] == "/solution"


def test_dns_behaviour_and_faults_are_added(workspace):
    document = {
        "dns": {"b.test": {"brevo_code": "ok"}},
        "behaviour": {"otp_lifetime": "PT1M", "rate_limit": {"enforce": True}},
        "faults": [{"fault": "server_error", "times": 1}, {"fault": "latency", "ms": 1, "id": "slow"}],
    }
    workspace.put("/_mock/dns/a.test", {"brevo_code": "ok"})
    workspace.post("/_mock/faults", {"fault": "unavailable", "times": 1})
    assert workspace.get("/v3/account").status_code == 503

    assert seed(workspace, document).status_code == 200

    state = workspace.state
    assert state["dns"].keys() >= {"a.test", "b.test"}
    assert state["behaviour"] == {
        "preset": "documented",
        "otp_lifetime": "PT1M",
        "bulk_plan": {"after": "PT1H"},
        "authenticate_domain": {"after": "PT1H"},
        "export": {"after": "PT1H"},
        "rate_limit": {"tier": "general", "enforce": True},
    }
    assert [(row["id"], row["hits"]) for row in state["faults"]] == [("fault-1", 1), ("fault-2", 0), ("slow", 0)]
    assert workspace.get("/v3/account").status_code == 500


def test_seeded_behaviour_replaces_its_other_form(workspace):
    assert seed(workspace, {"behaviour": {"authenticate_domain": {"attempts": 2}}}).status_code == 200
    assert workspace.state["behaviour"]["authenticate_domain"] == {"attempts": 2}
    assert seed(workspace, {"behaviour": {"authenticate_domain": "immediate"}}).status_code == 200
    assert "authenticate_domain" not in workspace.state["behaviour"]


def test_seed_is_accepted_as_yaml(workspace):
    body = "senders:\n- {name: A, email: a@b.test}\n"

    answer = workspace.ask("POST", "/_mock/seed", data=body, content_type="application/yaml")

    assert (answer.status_code, emails(workspace)[-1]) == (200, "a@b.test")


def test_a_change_of_plans_that_is_added_is_applied_when_it_is_due(workspace):
    change = {"id": 9, "due": "P1D", "change": {"credits": {"email": 10}}, "members": [1000002]}
    document = {
        "accounts": [
            {"name": "acme", "bulk_plans": [change]},
            {"name": "eu", "plan_state": "change_pending"},
        ]
    }
    assert seed(workspace, document).status_code == 200
    workspace.post("/_mock/clock/advance", {"by": "P1D"})

    assert "bulk_plans" not in account(workspace, "acme")
    assert account(workspace, "eu")["assigned"]["credits"]["email"] == 10


# ---------------------------------------------------------------------- what is there already

CHANGE = {"id": 9, "due": "P0D", "change": {}, "members": [1000002]}
TAKEN = {
    "a sender's id": ({"senders": [sender("a@b.test"), sender("c@d.test", id=1)]}, "/senders/1/id"),
    "a sender's address": ({"senders": [sender("NEWS@acme.test")]}, "/senders/0/email"),
    "a domain": ({"domains": [{"name": "b.test"}, {"name": "ACME.test"}]}, "/domains/1/name"),
    "a webhook": ({"webhooks": [{"id": 1, "url": "http://127.0.0.1:9", "events": ["click"]}]}, "/webhooks/0/id"),
    "an account's id": ({"accounts": [{"name": "n"}, {"name": "m", "id": 1000002}]}, "/accounts/1/id"),
    "an account that comes twice": ({"accounts": [{"name": "eu"}, {"name": "eu"}]}, "/accounts/1/name"),
    "a new account that comes twice": ({"accounts": [{"name": "n"}, {"name": "n"}]}, "/accounts/1/name"),
    "a change of plans": (
        {
            "accounts": [
                {"name": "acme", "bulk_plans": [CHANGE, CHANGE]},
                {"name": "eu", "plan_state": "change_pending"},
            ]
        },
        "/accounts/0/bulk_plans/1/id",
    ),
    "a sender of another account": (
        {"accounts": [{"name": "eu", "senders": [sender("a@b.test"), sender("c@d.test", id=1)]}]},
        "/accounts/0/senders/1/id",
    ),
    "a fault": ({"faults": [{"fault": "unavailable"}, {"fault": "unavailable", "id": "f"}]}, "/faults/1/id"),
    "twice in itself": ({"senders": [sender("a@b.test"), sender("a@b.test")]}, "/senders/1/email"),
}


def test_duplicate_rows_are_409_with_their_place_and_change_nothing(workspace):
    workspace.post("/_mock/faults", {"fault": "unavailable", "id": "f"})
    before = workspace.state

    for name, (document, pointer) in TAKEN.items():
        answer = seed(workspace, document)

        assert (answer.status_code, [row["path"] for row in answer.json["errors"]]) == (409, [pointer]), name
    assert workspace.state == before


def test_a_pool_is_not_made_smaller_than_what_is_assigned(workspace):
    assert seed(workspace, {"accounts": [{"name": "eu", "assigned": {"credits": {"email": 500}}}]}).status_code == 200
    before = workspace.state

    answer = seed(workspace, {"accounts": [{"name": "acme", "pool": {"credits": {"email": 100}}}]})

    assert (answer.status_code, answer.json["errors"][0]["path"]) == (400, "/accounts/0/pool")
    assert workspace.state == before


def test_a_key_that_opens_another_account_is_409(make_api, default_workspace, story):
    workspace = default_workspace(make_api(story))
    answer = seed(workspace, {"accounts": [{"name": "n", "api_keys": ["new", "xkeysib-story-eu"]}]})

    assert (answer.status_code, answer.json["errors"][0]["path"]) == (409, "/accounts/0/api_keys/1")


MISTAKES = {
    "nothing": ({}, {""}),
    "an unknown member": ({"sendrs": []}, {"/sendrs"}),
    "several": ({"senders": [{"name": 7}], "x": 1}, {"/senders/0/name", "/senders/0/email", "/x"}),
    "no list": ({"senders": {"name": "A"}}, {"/senders"}),
    "what a workspace has once": ({"clock": {}, "seed": 1, "resume": {}}, {"/clock", "/seed", "/resume"}),
    "another scenario": ({"extends": "empty"}, {"/extends"}),
    "an account of another kind": (
        {"accounts": [{"name": "eu", "role": "master", "id": 7, "of": "us"}]},
        {"/accounts/0/role", "/accounts/0/id", "/accounts/0/of"},
    ),
    "a pool that holds less than what is assigned": (
        {
            "accounts": [
                {"name": "eu", "assigned": {"credits": {"email": 500}}},
                {"name": "acme", "pool": {"credits": {"email": 100}}},
            ]
        },
        {"/accounts/0/assigned"},
    ),
    "a change of a plan for a sub-account that waits for none": (
        {"accounts": [{"name": "acme", "bulk_plans": [{"id": 9, "due": "P0D", "change": {}, "members": [2003001]}]}]},
        {"/accounts/0/bulk_plans/0/members"},
    ),
    "a change of the plan of no sub-account": (
        {"accounts": [{"name": "acme", "bulk_plans": [{"id": 9, "due": "P0D", "change": {}, "members": [7]}]}]},
        {"/accounts/0/bulk_plans/0/members"},
    ),
    "more rows than are generated at once": (
        {"generate": {"senders": 150_000}, "accounts": [{"name": "eu", "generate": {"domains": 50_001}}]},
        {"/generate"},
    ),
    "an account without a name": ({"accounts": [{"email": "a@b.test"}]}, {"/accounts/0/name"}),
    "a master that is not there": (
        {"accounts": [{"name": "x"}, {"name": "n", "role": "sub_account", "of": "nobody"}]},
        {"/accounts/1/of"},
    ),
    "more than the pool holds": (
        {"accounts": [{"name": "eu", "assigned": {"credits": {"email": 5000}}}]},
        {"/accounts/0/assigned"},
    ),
    "a plan of no sub-account": ({"assigned": {"credits": {"email": 5}}}, {"/assigned"}),
    "a fault that is none": ({"faults": [{"fault": "x"}]}, {"/faults/0/fault"}),
    "a behaviour that is none": ({"behaviour": {"otp_lifetime": "soon"}}, {"/behaviour/otp_lifetime"}),
    "of two kinds": (
        {"senders": [sender("news@acme.test"), {"name": 1}]},
        {"/senders/0/email", "/senders/1/name", "/senders/1/email"},
    ),
}


def test_mistakes_are_400_with_their_places_and_change_nothing(workspace):
    before = workspace.state, workspace.keys

    for name, (document, pointers) in MISTAKES.items():
        answer = seed(workspace, document)

        assert (answer.status_code, answer.content_type) == (400, "application/problem+json"), name
        assert {row["path"] for row in answer.json["errors"]} == pointers, name
    for raw in (b"[]", b"7", b"{", b"\xff", b"null", b'"text"'):
        assert workspace.post("/_mock/seed", data=raw, content_type="application/json").status_code == 400, raw
    assert (workspace.state, workspace.keys) == before
