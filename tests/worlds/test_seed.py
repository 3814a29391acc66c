"""What is added to a running world: behind what is there, or not at all."""

from __future__ import annotations

import pytest

from mockserver.resources.senders.model import Sender


@pytest.fixture
def world(make_api, new_world, story):
    return new_world(make_api(), story)


def seed(world, document, **options):
    return world.post("/_mock/seed", document, **options)


def emails(world, **options):
    return [row["email"] for row in world.get("/v3/senders", **options).json["senders"]]


def ids(world):
    return [row["id"] for row in world.get("/v3/senders").json["senders"]]


def sender(email, **more):
    return {"name": "S", "email": email, **more}


def account(world, name):
    return next(row for row in world.get("/_mock/state").json["accounts"] if row["name"] == name)


# ---------------------------------------------------------------------- what it adds


def test_what_is_added_stands_behind_what_is_there(world):
    before = world.state
    answer = seed(world, {"senders": [sender("a@b.test"), sender("c@d.test")]})

    assert answer.status_code == 200
    assert answer.json["accounts"] == world.get(f"/_mock/workspaces/{world.name}").json["accounts"]
    assert emails(world) == ["news@acme.test", "a@b.test", "c@d.test"]
    after = world.state
    changed = {key for key in after if after[key] != before[key]}
    assert changed == {"accounts", "resume"}
    assert after["accounts"][1:] == before["accounts"][1:]


def test_journal_mailbox_snapshots_and_clock_go_on(world):
    world.new_sender("x@acme.test")
    world.post("/_mock/snapshots", {"name": "s"})
    world.post("/_mock/clock/advance", {"by": "PT5M"})
    before = world.journal, world.get("/_mock/mailbox").json, world.get("/_mock/clock").json["now"]

    seed(world, {"senders": [sender("a@b.test")]})

    assert (world.journal, world.get("/_mock/mailbox").json, world.get("/_mock/clock").json["now"]) == before
    assert world.get("/_mock/snapshots").json["count"] == 1


def test_ids_go_on_past_those_that_are_gone(world):
    made = [world.new_sender(f"{n}@a.test").json["id"] for n in range(3)]
    for number in made:
        world.delete(f"/v3/senders/{number}")

    seed(world, {"senders": [sender("a@b.test")]})

    assert made == [2, 3, 4]
    assert ids(world) == [1, 5]
    assert world.new_sender("z@z.test").json["id"] == 6


def test_codes_go_on_and_none_comes_twice(world):
    world.new_sender("x@acme.test")
    seed(world, {"senders": [sender("a@b.test", state="awaiting_verification")]})
    world.new_sender("y@acme.test")

    codes = [row["otp"] for row in account(world, "acme")["senders"] if row.get("otp")]
    assert len(codes) == len(set(codes)) == 3


def test_the_code_of_one_who_waits_still_verifies(world):
    number = world.new_sender("x@acme.test").json["id"]
    code = world.get("/_mock/mailbox").json["items"][0]["otp"]

    seed(world, {"senders": [sender("a@b.test")]})

    assert world.put(f"/v3/senders/{number}/validate", {"otp": code}).status_code == 204


def test_what_waits_goes_on_waiting(world):
    number = world.new_sender("x@acme.test").json["id"]
    world.post("/_mock/clock/advance", {"by": "PT5M"})
    seed(world, {"senders": [sender("a@b.test")]})

    fired = world.post("/_mock/clock/advance", {"by": "PT10M"}).json["fired"]

    assert [(row["event"], row["key"], row["at"]) for row in fired] == [("expire_otp", number, "2026-01-15T09:15:00Z")]


def test_the_rate_window_goes_on(world):
    left = [int(world.get("/v3/senders").headers["x-sib-ratelimit-remaining"])]
    seed(world, {"senders": [sender("a@b.test")]})
    left.append(int(world.get("/v3/senders").headers["x-sib-ratelimit-remaining"]))

    assert left[1] == left[0] - 1


def test_no_row_that_is_there_is_touched(world):
    """So it costs what it adds, however much there is."""
    before = list(world.api.store.get(world.name).first_account.table(Sender).values())
    seed(world, {"senders": [sender("a@b.test")]})

    after = list(world.api.store.get(world.name).first_account.table(Sender).values())
    assert len(after) == len(before) + 1
    assert all(row is same for row, same in zip(after, before, strict=False))


def test_those_who_look_on_see_no_reset(world):
    seed(world, {"senders": [sender("a@b.test")]})

    assert "reset" not in [happening.kind for happening in world.api.store.get(world.name).feed.after(0)]


def test_made_up_data_goes_on_too(world):
    for _ in range(2):
        assert seed(world, {"generate": {"senders": 20, "domains": 5}}).status_code == 200

    rows = account(world, "acme")
    found = [row["email"] for row in rows["senders"]]
    assert len(found) == len(set(found)) == 41
    assert len({row["name"] for row in rows["domains"]}) == 11


def test_instants_count_from_now(world):
    world.post("/_mock/clock/advance", {"by": "PT1H"})
    seed(world, {"senders": [sender("a@b.test", state="awaiting_verification", otp=123456, otp_expires_at="PT5M")]})

    assert account(world, "acme")["senders"][1]["otp_expires_at"] == "2026-01-15T10:05:00Z"


# ---------------------------------------------------------------------- whom it adds to


def test_it_adds_to_the_account_behind_the_key_else_to_the_first(world):
    seed(world, {"senders": [sender("a@b.test")]}, headers={"api-key": world.keys["eu"]})
    seed(world, {"senders": [sender("c@d.test")]})
    seed(world, {"senders": [sender("e@f.test")]}, headers={"api-key": "xkeysib-nobody"})

    assert emails(world, key=world.keys["eu"]) == ["a@b.test"]
    assert emails(world) == ["news@acme.test", "c@d.test", "e@f.test"]


def test_accounts_are_found_by_name_and_new_ones_get_keys_and_ids(world):
    document = {
        "accounts": [
            {"name": "eu", "senders": [sender("a@b.test")], "company_name": "Europe"},
            {"name": "new", "email": "new@new.test", "senders": [sender("c@d.test")]},
            {"name": "asia", "role": "sub_account", "of": "acme", "assigned": {"credits": {"email": 10}}},
        ]
    }
    assert seed(world, document).status_code == 200

    keys = world.keys
    assert emails(world, key=keys["eu"]) == ["a@b.test"]
    assert account(world, "eu")["company_name"] == "Europe"
    assert emails(world, key=keys["new"]) == ["c@d.test"]
    assert (account(world, "new")["id"], account(world, "asia")["id"]) == (1000005, 1000006)
    assert world.get("/v3/corporate/subAccount/1000006").status_code == 200


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


def test_dns_behaviour_and_faults_are_added(world):
    document = {
        "dns": {"b.test": {"brevo_code": "ok"}},
        "behaviour": {"otp_lifetime": "PT1M", "rate_limit": {"enforce": True}},
        "faults": [{"fault": "server_error", "times": 1}, {"fault": "latency", "ms": 1, "id": "slow"}],
    }
    world.put("/_mock/dns/a.test", {"brevo_code": "ok"})
    world.post("/_mock/faults", {"fault": "unavailable", "times": 1})
    assert world.get("/v3/account").status_code == 503

    assert seed(world, document).status_code == 200

    state = world.state
    assert state["dns"].keys() >= {"a.test", "b.test"}
    assert state["behaviour"] == {
        "otp_lifetime": "PT1M",
        "bulk_plan": {"after": "PT1H"},
        "authenticate_domain": {"after": "PT1H"},
        "export": {"after": "PT1H"},
        "rate_limit": {"tier": "general", "enforce": True},
    }
    assert [(row["id"], row["hits"]) for row in state["faults"]] == [("fault-1", 1), ("fault-2", 0), ("slow", 0)]
    assert world.get("/v3/account").status_code == 500


def test_one_of_several_forms_of_a_behaviour_takes_the_place_of_another(world):
    assert seed(world, {"behaviour": {"authenticate_domain": {"attempts": 2}}}).status_code == 200
    assert world.state["behaviour"]["authenticate_domain"] == {"attempts": 2}
    assert seed(world, {"behaviour": {"authenticate_domain": "immediate"}}).status_code == 200
    assert "authenticate_domain" not in world.state["behaviour"]


def test_yaml_is_taken_too(world):
    body = "senders:\n- {name: A, email: a@b.test}\n"

    answer = world.ask("POST", "/_mock/seed", data=body, content_type="application/yaml")

    assert (answer.status_code, emails(world)[-1]) == (200, "a@b.test")


def test_a_change_of_plans_that_is_added_is_applied_when_it_is_due(world):
    change = {"id": 9, "due": "P1D", "change": {"credits": {"email": 10}}, "members": [1000002]}
    document = {
        "accounts": [
            {"name": "acme", "bulk_plans": [change]},
            {"name": "eu", "plan_state": "change_pending"},
        ]
    }
    assert seed(world, document).status_code == 200
    world.post("/_mock/clock/advance", {"by": "P1D"})

    assert "bulk_plans" not in account(world, "acme")
    assert account(world, "eu")["assigned"]["credits"]["email"] == 10


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


@pytest.mark.parametrize(("document", "pointer"), TAKEN.values(), ids=TAKEN)
def test_what_is_there_already_is_409_with_its_place_and_changes_nothing(world, document, pointer):
    world.post("/_mock/faults", {"fault": "unavailable", "id": "f"})
    before = world.state

    answer = seed(world, document)

    assert (answer.status_code, [row["path"] for row in answer.json["errors"]]) == (409, [pointer])
    assert world.state == before


def test_a_pool_is_not_made_smaller_than_what_is_assigned(world):
    assert seed(world, {"accounts": [{"name": "eu", "assigned": {"credits": {"email": 500}}}]}).status_code == 200
    before = world.state

    answer = seed(world, {"accounts": [{"name": "acme", "pool": {"credits": {"email": 100}}}]})

    assert (answer.status_code, answer.json["errors"][0]["path"]) == (400, "/accounts/0/pool")
    assert world.state == before


def test_a_key_that_opens_another_account_is_409(make_api, default_world, story):
    world = default_world(make_api(story))
    answer = seed(world, {"accounts": [{"name": "n", "api_keys": ["new", "xkeysib-story-eu"]}]})

    assert (answer.status_code, answer.json["errors"][0]["path"]) == (409, "/accounts/0/api_keys/1")


MISTAKES = {
    "nothing": ({}, {""}),
    "an unknown member": ({"sendrs": []}, {"/sendrs"}),
    "several": ({"senders": [{"name": 7}], "x": 1}, {"/senders/0/name", "/senders/0/email", "/x"}),
    "no list": ({"senders": {"name": "A"}}, {"/senders"}),
    "what a world has once": ({"clock": {}, "seed": 1, "resume": {}}, {"/clock", "/seed", "/resume"}),
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
    "of two kinds": ({"senders": [sender("news@acme.test"), {"name": 1}]}, {"/senders/1/name", "/senders/1/email"}),
}


@pytest.mark.parametrize(("document", "pointers"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_400_with_their_places_and_change_nothing(world, document, pointers):
    before = world.state, world.keys

    answer = seed(world, document)

    assert (answer.status_code, answer.content_type) == (400, "application/problem+json")
    assert {row["path"] for row in answer.json["errors"]} == pointers
    assert (world.state, world.keys) == before


@pytest.mark.parametrize("raw", [b"[]", b"7", b"{", b"\xff", b"null", b'"text"'])
def test_what_is_no_document_is_400_and_changes_nothing(world, raw):
    before = world.state

    assert world.post("/_mock/seed", data=raw, content_type="application/json").status_code == 400
    assert world.state == before
