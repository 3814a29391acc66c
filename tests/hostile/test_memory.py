"""What callers send is kept only as far as the limits go, whatever they send."""

from __future__ import annotations

import gc
import sys
import types
import urllib.parse
from urllib.parse import urlsplit

import pytest

from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.inbound.model import take
from mockserver.resources.oauth.section import AppChange

KB = 1024
LIMITS = {
    "journal_bytes_limit": 200 * KB, "feed_bytes_limit": 200 * KB, "mailbox_bytes_limit": 200 * KB,
    "deliveries_bytes_limit": 200 * KB, "snapshots_bytes_limit": 400 * KB, "receivers_bytes_limit": 200 * KB,
}  # fmt: skip
#: What a workspace takes that nobody has sent anything to, and its tables grow to.
ITSELF = 600 * KB
INBOUND = {
    "url": "http://127.0.0.1:9/x", "type": "inbound", "domain": "in.acme.test", "events": ["inboundEmailProcessed"],
}  # fmt: skip
MARKETING = {"url": "http://127.0.0.1:9/x", "type": "marketing", "events": ["delivered"]}


def large_bodies(api, number):
    api.post("/v3/senders", json={"name": f"{number}" + "x" * 40 * KB, "email": "a"})


def large_values(api, number):
    api.post("/v3/senders", json={"name": number, "x": [[]] * 2_000})


def long_headers(api, number):
    api.get("/v3/senders", headers={"x-long": f"{number}" + "x" * 20 * KB})


def many_headers(api, number):
    api.get("/v3/senders", headers={f"x-{number}-{index}": "x" for index in range(200)})


def long_queries(api, number):
    api.get(f"/v3/senders?a={number}{'x' * 20 * KB}")


def matched_values(api, number):
    match = {"query": {"x": 1}, "headers": {"x": "1"}}
    api.put("/_mock/faults", json={"items": [{"fault": "timeout", "match": match}]})
    api.get(f"/v3/senders?x=1&{number}{'a&' * 10 * KB}", headers={f"x-{index}": str(number) for index in range(50)})


def long_paths(api, number):
    api.get(f"/v3/{number}{'ä' * 10 * KB}")


def many_unknown_members(api, number):
    api.post("/v3/senders", json={f"m{number}-{index}": 1 for index in range(300)})


def calls_of_receivers(api, number):
    api.post(f"/_mock/receiver/r{number % 90}", data=f"{number}" + "x" * 30 * KB)


def headers_of_receivers(api, number):
    api.post("/_mock/receiver/r", headers={f"x-{number}-{index}": "x" * 100 for index in range(100)})


def triggered_payloads(api, number):
    payload = {"x": [str(number)] * 2_000, "y": f"{number}" + "y" * 20 * KB}
    assert (
        api.post("/_mock/trigger", json={"type": "marketing", "event": "delivered", "payload": payload}).status_code
        < 300
    )


def triggers_of_many_headers(api, number):
    """Each version of a webhook tells of something, and its calls keep what they carry."""
    headers = [{"key": f"x-{number}-{index}", "value": "x" * 100} for index in range(100)]
    (row,) = (row for row in api.get("/v3/webhooks?type=marketing").json["webhooks"])
    assert api.put(f"/v3/webhooks/{row['id']}", json={"headers": headers}).status_code == 204
    assert api.post("/_mock/trigger", json={"type": "marketing", "event": "delivered"}).status_code == 200


def webhooks_of_large_headers(api, number):
    headers = [{"key": f"x-{number}-{index}", "value": f"{number}" + "x" * 4_000} for index in range(100)]
    body = {"url": "http://127.0.0.1:9/x", "events": ["delivered"], "headers": headers}
    assert api.post("/v3/webhooks", json=body).status_code == 400


def apps_of_scopes_many_times(api, number):
    body = {"client_id": f"a{number}", "client_secret": "s", "scopes": ["account:read"] * 20_000}
    assert api.post("/_mock/oauth/apps", json=body).status_code == 201


def apps_of_many_addresses(api, number):
    uris = [f"https://{number}.test/{index}" for index in range(1_000)]
    assert api.post("/_mock/oauth/apps", json={"redirect_uris": uris}).status_code == 400


def questions_with_long_states(api, number):
    if not number:
        app = {"client_id": "a", "redirect_uris": ["https://a.test/"], "scopes": ["all"]}
        state = {"oauth_apps": [app], "accounts": [{"name": "a", "users": [{"email": "u@a.test"}]}]}
        assert api.put("/_mock/state", json=state).status_code == 200
    asked = "client_id=a&redirect_uri=https://a.test/&scope=all&mock_user=u@a.test"
    long = f"{number}" + "s" * 30 * KB
    assert api.get(f"/realms/partner/oauth/authorize?{asked}&state={long}").status_code == 302
    assert api.get(f"/realms/partner/oauth/authorize?{asked}&nonce={long}").status_code == 302


def tiny_deliveries(api, number):
    rows = [
        {"id": number * 20 + index + 1, "target": {"url": "http://a.b"}, "payloads": [{}], "events": [""],
         "created_at": "P0D", "state": "dropped", "attempts": [{"at": "P0D", "error": "x" * 100}] * 3}
        for index in range(20)
    ]  # fmt: skip
    assert api.post("/_mock/seed", json={"deliveries": rows}).status_code == 200


def windows_of_deleted_webhooks(api, number):
    hook = {**MARKETING, "batched": True, "events": ["opened"]}
    made = api.post("/v3/webhooks", json=hook).json["id"]
    payload = {"x": "y" * 20 * KB}
    api.post("/_mock/trigger", json={"type": "marketing", "event": "opened", "payload": payload})
    assert api.delete(f"/v3/webhooks/{made}").status_code == 204


def mails(api, number):
    raw = b"Subject: %d\n\n" % number + b"x" * 30 * KB
    take(api.app.store, raw, "a@b.test", ["x@in.acme.test"])


def attachments(api, number):
    part = b"\n--b\nContent-Type: image/png; name=%d.png\n\n" % number + b"x" * 20 * KB
    raw = b"Content-Type: multipart/mixed; boundary=b\n" + part * 2 + b"\n--b--\n"
    take(api.app.store, raw, "a@b.test", ["x@in.acme.test"])


def snapshots(api, number):
    api.post("/_mock/seed", json={"dns": {f"{number}.test": {"brevo_code": "ok"}}})
    api.post("/_mock/snapshots", json={})


def sent_mails(api, number):
    api.post("/v3/senders", json={"name": f"{number}" + "x" * 9_000, "email": f"a{number % 5}@acme.test"})
    for row in api.get("/v3/senders").json["senders"]:
        api.delete(f"/v3/senders/{row['id']}")


def revoked_keys(api, number):
    api.post("/_mock/keys/revoke", json={"key": f"{number}" + "k" * 490})


def rules_by_chance(api, number):
    rules = [{"fault": "server_error", "probability": 0, "id": f"{number}-{index}"} for index in range(200)]
    api.put("/_mock/faults", json={"items": rules})
    api.get("/v3/senders")


FLOWS = [
    rules_by_chance, large_bodies, large_values, long_headers, many_headers, long_queries, matched_values, long_paths,
    many_unknown_members, calls_of_receivers, headers_of_receivers, triggered_payloads,
    webhooks_of_large_headers, apps_of_scopes_many_times, apps_of_many_addresses, questions_with_long_states,
    triggers_of_many_headers, tiny_deliveries, windows_of_deleted_webhooks, mails, attachments, snapshots,
    sent_mails, revoked_keys,
]  # fmt: skip
_SHARED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)


def held(workspace):
    """How many bytes a workspace takes, with all that only it leads to."""
    own = {
        name: value
        for name, value in vars(workspace).items()
        if name not in ("parts", "outside", "meter", "on_key", "lock")
    }
    seen, found, left = set(), 0, [own]
    while left:
        one = left.pop()
        if id(one) in seen or isinstance(one, (*_SHARED, Workspace)):
            continue
        seen.add(id(one))
        found += sys.getsizeof(one)
        left += gc.get_referents(one)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("flow", FLOWS, ids=[flow.__name__ for flow in FLOWS])
def test_a_workspace_takes_no_more_than_its_limits(make_api, flow):
    api = make_api("empty", **LIMITS)
    assert api.post("/_mock/seed", json={"webhooks": [INBOUND, MARKETING]}).status_code < 300
    for number in range(100):
        flow(api, number)

    assert held(api.workspace) < sum(LIMITS.values()) + ITSELF


def test_snapshots_beyond_their_limit_are_refused_and_say_if_deleting_helps(make_api):
    for limit, statuses in ((10_000, [409]), (40_000, [201, 409])):
        api = make_api("empty", snapshots_bytes_limit=limit)
        api.post("/_mock/seed", json={"senders": [{"name": "x" * 20_000, "email": "a@acme.test"}]})
        answers = [api.post("/_mock/snapshots", json={}) for _ in statuses]

        assert [answer.status_code for answer in answers] == statuses
        assert len(api.get("/_mock/snapshots").json["items"]) == len(statuses) - 1
        assert "--snapshots-bytes-limit" in answers[-1].json["detail"]
        assert answers[-1].json["detail"].endswith("delete some") == (len(statuses) == 2)


def test_a_payload_that_is_too_large_is_told_in_its_place(make_api):
    api = make_api("empty", deliveries_bytes_limit=40_000)
    api.post("/_mock/seed", json={"webhooks": [MARKETING]})
    body = {"type": "marketing", "event": "delivered", "payload": {"x": "x" * 20_000}}
    answer = api.post("/_mock/trigger", json=body)

    assert answer.status_code == 200
    assert len(answer.json["items"]) == 1
    assert held(api.workspace) < 40_000 + ITSELF + 200 * KB


def test_a_text_that_is_too_long_is_refused(make_api):
    api = make_api("empty")
    answer = api.post("/v3/senders", json={"name": "x" * 10_001, "email": "a@acme.test"})

    assert (answer.status_code, answer.json["code"]) == (400, "invalid_parameter")
    assert "Longer than 10,000 characters" in answer.json["message"]


def test_an_address_that_is_refused_as_too_long_is_not_kept():
    kept = urllib.parse.urlsplit.cache_info().misses
    flaws = AppChange().validate({"redirect_uris": ["https://long.test/" + "x" * 100_000]})

    assert flaws == {"redirect_uris": {0: ["Longer than maximum length 2000."]}}
    assert urllib.parse.urlsplit.cache_info().misses == kept


def test_a_call_of_a_receiver_that_is_too_large_is_kept_without_its_body(make_api):
    api = make_api("empty", receivers_bytes_limit=40_000)
    for size in (10, 20_000):
        api.post("/_mock/receiver/r", data="x" * size)
    found = api.get("/_mock/receivers/r").json

    assert [row["body"] for row in found["items"]] == ["20,000 bytes, too many to be kept", "x" * 10]


def test_bodies_of_a_receiver_that_are_not_good_json_are_shown_as_text(make_api):
    api = make_api("empty")
    for body in (b'{"id":12345678901234567890123}', rb'{"s":"\ud800"}', b"[" * 300 + b"]" * 300, b"\xff"):
        api.post("/_mock/receiver/r", data=body)
        answer = api.get("/_mock/receivers/r")
        assert (answer.status_code, answer.json["items"][0]["body"]) == (200, body.decode(errors="replace"))


def test_the_calls_of_an_account_that_is_gone_count_no_longer(make_api):
    api = make_api("corporate-v2")
    api.post("/_mock/seed", json={"accounts": [{"name": "eu", "webhooks": [MARKETING]}]})
    api.post("/_mock/trigger", json={"type": "marketing", "event": "delivered", "account": "eu"})
    kept = api.workspace.state.tally.bytes
    (number,) = (row.id for row in api.workspace.state.accounts.values() if row.name == "eu")
    api.delete(f"/v3/corporate/subAccount/{number}")

    assert (kept > 0, api.workspace.state.tally.bytes) == (True, 0)


def test_files_of_the_history_go_for_newer_ones(make_api):
    api = make_api("empty", **LIMITS)
    rows = [
        {"id": index + 1, "target": {"url": "http://a.b"}, "payloads": [{}], "events": ["click"], "created_at": "P0D",
         "state": "dropped", "webhook": 1, "kind": "marketing", "attempts": [{"at": "P0D", "error": "x"}]}
        for index in range(100)
    ]  # fmt: skip
    behaviour = {"export": {"after": "PT0S"}}
    account = {"name": "a", "enterprise": True, "api_keys": ["a"], "deliveries": rows}
    assert api.put("/_mock/state", json={"behaviour": behaviour, "accounts": [account]}).status_code == 200
    body = {"type": "marketing", "event": "allEvents", "notifyURL": "http://127.0.0.1:9/n"}
    for _ in range(300):
        assert api.post("/v3/webhooks/export", json=body, headers={"api-key": "a"}).status_code == 202
    urls = [row["url"] for row in api.get("/_mock/machines/export?limit=1000").json["items"]]
    first, last = (api.get(urlsplit(url).path) for url in sorted(urls)[:: len(urls) - 1])

    assert held(api.workspace) < sum(LIMITS.values()) + ITSELF + 300 * KB
    assert (first.status_code, "was evicted" in first.json["detail"], last.status_code) == (404, True, 200)
