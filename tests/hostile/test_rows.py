"""A workspace holds so many rows and no more, by whatever way they would be added."""

from __future__ import annotations

from base64 import b64encode

import pytest

from mockserver.cli.serving import flags
from mockserver.resources.inbound.model import take
from mockserver.resources.oauth.discovery import TOKEN
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.scenario.schema import MOST_GENERATED
from mockserver.web.service.rate_limit import Windows

LIMIT = 60
MASTER = {
    "clock": {"frozen": True},
    "accounts": [
        {"name": "acme", "role": "master", "enterprise": True},
        {"name": "shop", "role": "sub_account", "of": "acme", "id": 7},
    ],
    "behaviour": {"webhook_limit": 40, "bulk_plan": {"after": "P1D"}},
}


@pytest.fixture
def master(make_api):
    """A master account with a sub-account and an app, in a workspace of few rows."""
    api = make_api("empty", rows_limit=LIMIT)
    assert api.post("/_mock/reset", json={"scenario": MASTER}).status_code == 200
    app = {"name": "app", "client_id": "app", "client_secret": "s" * 32, "redirect_uris": ["https://a.test/cb"]}
    assert api.post("/_mock/oauth/apps", json=app).status_code == 201
    return api


def senders(api, number):
    return api.post("/v3/senders", json={"name": "x", "email": f"a{number}@acme.test"})


def domains(api, number):
    return api.post("/v3/senders/domains", json={"name": f"d{number}.test"})


def webhooks(api, number):
    body = {
        "url": f"https://a.test/{number}", "type": "inbound", "domain": "d.test", "events": ["inboundEmailProcessed"],
    }  # fmt: skip
    if number == 0:
        api.post("/_mock/seed", json={"domains": [{"name": "d.test", "state": "authenticated"}]})
    return api.post("/v3/webhooks", json=body)


def exports(api, _):
    return api.post(
        "/v3/webhooks/export", json={"type": "marketing", "event": "delivered", "notifyURL": "http://127.0.0.1:9/"}
    )


def sub_accounts(api, number):
    return api.post("/v3/corporate/subAccount", json={"companyName": "x", "email": f"s{number}@acme.test"})


def keys(api, _):
    return api.post("/v3/corporate/subAccount/key", json={"id": 7, "name": "x"})


def bulk_plans(api, _):
    body = {"subAccountIds": [7], "credits": {"email": 0}}
    return api.put("/v3/corporate/subAccounts/plan", json=body)


def admin_tokens(api, _):
    return api.post("/v3/corporate/ssoToken", json={"email": api.workspace.state.first_account.email})


def sub_account_tokens(api, _):
    return api.post("/v3/corporate/subAccount/ssoToken", json={"id": 7})


def access_tokens(api, _):
    basic = b64encode(b"app:" + b"s" * 32).decode()
    return api.client.post(
        TOKEN, data={"grant_type": "client_credentials"}, headers={"Authorization": f"Basic {basic}"}
    )


def dns_names(api, number):
    return api.put(f"/_mock/dns/n{number}.test", json={"brevo_code": "ok"})


def revoked_keys(api, number):
    return api.post("/_mock/keys/revoke", json={"key": f"k{number}"})


def apps(api, number):
    return api.post("/_mock/oauth/apps", json={"name": f"a{number}", "redirect_uris": ["https://a.test/cb"]})


def seeded_groups(api, number):
    return api.post("/_mock/seed", json={"groups": [{"id": f"{number:024x}", "name": "x"}]})


def seeded_senders(api, number):
    return api.post("/_mock/seed", json={"generate": {"senders": 7}})


API_WAYS = [
    senders, domains, webhooks, exports, sub_accounts, keys, bulk_plans, admin_tokens, sub_account_tokens,
]  # fmt: skip
CONTROL_WAYS = [dns_names, revoked_keys, apps, seeded_groups, seeded_senders]
WAYS = [*API_WAYS, access_tokens, *CONTROL_WAYS]


def fill(api, way):
    """Add until it is refused; gives the answer that says so."""
    for number in range(LIMIT * 2):
        answer = way(api, number)
        if answer.status_code >= 400:
            assert number > 0, answer.text
            return answer
    pytest.fail(f"{way.__name__} has no end")


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
def test_rows_beyond_the_limit_are_refused_and_change_nothing(master, way):
    answer = fill(master, way)
    requests = master.get("/_mock/requests?limit=1").json["items"]
    kept, state = master.workspace.state.kept(), master.get("/_mock/state").json
    way(master, 1_000)

    assert LIMIT - 10 < kept <= LIMIT
    assert master.workspace.state.kept() == kept
    after = master.get("/_mock/state").json
    assert {**after, "resume": None} == {**state, "resume": None}
    if way in API_WAYS:
        assert (answer.status_code, answer.json["code"]) == (400, "out_of_range")
        assert "--rows-limit" in requests[0]["reason"]
    elif way in CONTROL_WAYS:
        assert answer.status_code == 409
        assert "--rows-limit" in answer.json["detail"]


def test_what_is_there_can_still_be_changed_and_deleted_where_a_workspace_is_full(master):
    fill(master, senders)
    first = master.get("/v3/senders").json["senders"][0]["id"]

    assert master.put(f"/v3/senders/{first}", json={"name": "new"}).status_code < 300
    for row in master.get("/v3/senders").json["senders"]:
        assert master.delete(f"/v3/senders/{row['id']}").status_code == 204
    assert senders(master, 2_000).status_code == 201


def test_all_operations_that_create_something_are_held_to_the_limit():
    creating = {name for name, operation in ALL_OPERATIONS.items() if name.startswith("create")}
    also = {
        "exportWebhooksHistory", "updateSubAccountsPlan", "importContacts",
        "oauthSignIn", "oauthTokenCode", "oauthTokenRefresh", "oauthTokenClientCredentials",
    }  # fmt: skip

    assert {name for name, operation in ALL_OPERATIONS.items() if operation.adds} == creating | also


def test_rows_of_a_sub_account_that_is_gone_count_no_longer(master):
    before, key = master.workspace.state.kept(), keys(master, 0).json["key"]
    for number in range(5):
        assert master.post("/v3/senders", json={"name": "x", "email": f"a{number}@b.test"}, key=key).status_code == 201
    account = master.workspace.state.account_of(key)
    assert account.record(Windows)
    assert master.delete("/v3/corporate/subAccount/7").status_code == 204

    # The account and what its master knew of it have gone, and its key is remembered as one that is refused.
    assert master.workspace.state.kept() <= before - 1 + len(master.workspace.state.revoked_keys)
    assert not any(isinstance(name, tuple) and name[0] == 7 for name in master.workspace.state.record(Windows))


def test_the_oldest_entries_of_a_log_go_where_a_workspace_is_full(master):
    fill(master, senders)
    store = master.store
    kept = master.workspace.state.kept()
    for number in range(LIMIT):
        take(store, b"Subject: %d\n\n" % number, "a@b.test", ["x@in.acme.test"])

    assert kept < master.workspace.state.kept() == LIMIT


def test_a_scenario_of_more_rows_than_there_may_be_is_refused(make_api):
    api = make_api({"clock": {"frozen": True}}, rows_limit=20)
    before = api.get("/_mock/state").json
    answers = [
        api.post("/_mock/reset", json={"scenario": {"generate": {"senders": 100}}}),
        api.put("/_mock/state", json={"senders": [{"name": "x", "email": f"a{n}@b.test"} for n in range(30)]}),
        api.post("/_mock/seed", json={"dns": {f"n{n}.test": {"brevo_code": "ok"} for n in range(30)}}),
    ]

    assert [answer.status_code for answer in answers] == [400, 400, 409]
    assert all("--rows-limit" in answer.json["detail"] for answer in answers)
    assert api.get("/_mock/state").json == before


def page(number, size):
    return {"campaigns": [{"id": number, "name": "x", "kind": "email_campaign", "html": "x" * size}]}


def test_a_workspace_holds_so_many_bytes_of_documents(make_api):
    api = make_api("empty", documents_bytes_limit=100_000)
    answers = [api.post("/_mock/seed", json=page(number, 30_000)) for number in range(1, 5)]
    refused = [
        api.put("/_mock/state", json=page(1, 100_001)),
        api.post("/_mock/reset", json={"scenario": page(1, 100_001)}),
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 409]
    assert [answer.status_code for answer in refused] == [400, 400]
    assert all("--documents-bytes-limit" in answer.json["detail"] for answer in (answers[-1], *refused))
    assert [row["id"] for row in api.get("/_mock/state").json["accounts"][0]["campaigns"]] == [1, 2, 3]


def test_a_text_that_aliases_repeat_counts_as_often_as_it_stands_there(make_api):
    api = make_api("empty", documents_bytes_limit=100_000)
    rows = "\n".join(f"- {{id: {number}, name: x, html: *long}}" for number in range(1, 20))
    text = f"description: &long {'x' * 10_000}\ncampaigns:\n{rows}\n"
    answer = api.post("/_mock/seed", data=text, headers={"Content-Type": "application/yaml"})

    assert (answer.status_code, "--documents-bytes-limit" in answer.json["detail"]) == (409, True)


def test_what_was_deleted_makes_room_for_documents(make_api):
    api = make_api("empty", documents_bytes_limit=100_000)
    for number in range(1, 400):
        document = {"senders": [{"id": number, "name": "x" * 1_000, "email": "a@b.test"}]}
        assert api.post("/_mock/seed", json=document).status_code == 200
        assert api.delete(f"/v3/senders/{number}").status_code == 204


def test_what_is_put_in_the_place_of_a_state_makes_room_for_documents(make_api):
    api = make_api("empty", documents_bytes_limit=100_000)
    answers = [api.put("/_mock/state", json=page(number, 90_000)) for number in (1, 2, 3)]

    assert [answer.status_code for answer in answers] == [200, 200, 200]


def test_generated_rows_count_beside_those_that_are_written(make_api):
    api = make_api("empty", rows_limit=100)
    written = [{"name": "x", "email": f"a{number}@b.test"} for number in range(60)]
    answer = api.put("/_mock/state", json={"senders": written, "generate": {"domains": 60}})

    assert answer.status_code == 400
    assert "--rows-limit" in answer.json["detail"]


def test_each_sub_account_that_waits_for_a_change_of_plans_counts(master):
    before = master.workspace.state.kept()
    body = {"subAccountIds": [7], "credits": {"email": 0}}
    answers = [master.put("/v3/corporate/subAccounts/plan", json=body) for _ in range(3)]
    waiting = master.workspace.state.kept()
    master.advance("P2D")

    assert {answer.status_code for answer in answers} <= {200, 202, 204}
    assert waiting - before == 6
    assert master.workspace.state.kept() - before <= 3


def test_a_full_workspace_can_be_kept_and_restored(master):
    fill(master, senders)
    assert master.post("/_mock/snapshots", json={"name": "full"}).status_code == 201
    assert master.post("/_mock/snapshots/full/restore").status_code == 200

    assert master.get("/v3/senders").json["senders"]


def test_the_limit_of_rows_leaves_room_for_whatever_can_be_generated():
    flag = next(option for option in flags() if option.name == "rows_limit")

    assert flag.type.min == MOST_GENERATED
    assert flag.default > MOST_GENERATED


@pytest.mark.parametrize(
    "addition",
    [
        {"accounts": [{"name": "acme", "role": "master", "users": [{"email": f"u{n}@acme.test"} for n in range(400)]}]},
        {"accounts": [{"name": "acme", "role": "master", "plan": [{"type": "free", "credits": 1}] * 400}]},
    ],
    ids=["users", "plan"],
)
def test_lists_of_an_account_grow_no_longer_than_they_may(master, addition):
    statuses = {master.post("/_mock/seed", json=addition).status_code for _ in range(2)}
    state = master.get("/_mock/state").json
    answer = master.post("/_mock/seed", json=addition)

    assert (statuses, answer.status_code) == ({200}, 400)
    assert "1,000" in answer.json["detail"]
    assert master.get("/_mock/state").json == state
