"""With a control token set, the control API asks for it, whatever the way to it."""

from __future__ import annotations

import json

import pytest

from mockserver.app.control_api import CONTROL_API

TOKEN = "s3cret-tökén"
PROBLEM = "application/problem+json"
GOOD = f"Bearer {TOKEN}".encode().decode("latin-1")  # a header's bytes, as a WSGI server hands them on
PARTS = {
    "name": "default", "machine": "sender", "key": "1", "event": "delete", "domain": "a.test", "identifier": "x",
    "client_id": "crm",
}  # fmt: skip
CALLS = [(call.method, call.path.format(**PARTS), call.is_open) for call in CONTROL_API.calls]
CLOSED = [(method, path) for method, path, is_open in CALLS if not is_open]
#: A file, and a link that an export was given: both are there.
GIVEN = {
    "/_mock/docs/default": "/_mock/docs/start.js",
    "/_mock/docs/contract/default": "/_mock/docs/contract/senders.md",
    "/_mock/exports/default": "/_mock/exports/1-abc.csv",
}
OPEN = [(method, GIVEN.get(path, path)) for method, path, is_open in CALLS if is_open]
WORKSPACE = {
    "exports": [{
        "id": 1, "requested_at": "-PT1H", "url": "http://localhost/_mock/exports/1-abc.csv",
        "state": "notified", "content": "webhook_id\r\n",
        "filters": {"type": "transactional", "event": "allEvents", "notifyURL": "https://hook.test/"},
    }],
}  # fmt: skip


@pytest.fixture(scope="module")
def guarded(make_api, tmp_path_factory):
    """One for all tests here, as nothing is changed."""
    path = tmp_path_factory.mktemp("guarded") / "workspace.yaml"
    path.write_text(json.dumps(WORKSPACE), encoding="utf-8")
    return make_api(str(path), control_token=TOKEN, tls=True)


def refused(answer):
    headers = answer.headers
    return (answer.status_code, answer.content_type, headers.get("WWW-Authenticate")) == (401, PROBLEM, "Bearer")


@pytest.mark.parametrize("prefix", ["", "/w/default", "/w/nowhere"])
def test_a_call_without_the_token_is_refused(guarded, prefix):
    for method, path in CLOSED:
        assert refused(guarded.client.open(prefix + path, method=method)), (method, path)


@pytest.mark.parametrize("prefix", ["", "/w/default"])
def test_open_calls_require_no_token(guarded, prefix):
    for method, path in OPEN:
        assert guarded.client.open(prefix + path, method=method).status_code == 200, (method, path)


def test_open_calls_are_exactly_the_expected_calls():
    names = ("ca", "health", "livez", "readyz", "docs", "docs/control", "docs/start.js", "llms.txt")
    reading = {f"/_mock/{name}" for name in names}
    links = {
        f"/_mock/{name}" for name in ("exports/1-abc.csv", "docs/ledger.md", "docs/lint.md", "docs/contract/senders.md")
    }
    receiving = {(method, "/_mock/receiver/default") for method in ("GET", "POST", "PUT", "PATCH", "DELETE")}

    assert set(OPEN) == {("GET", path) for path in reading | links} | receiving


def test_paths_beside_receivers_and_exports_require_the_token(guarded):
    for method, path in [
        ("GET", "/_mock/receivers/default"), ("GET", "/_mock/receiver/"), ("GET", "/_mock/receiver/a/b"),
        ("GET", "/_mock/exports"), ("GET", "/_mock/exports/"), ("DELETE", "/_mock/exports/1-abc.csv"),
    ]:  # fmt: skip
        assert refused(guarded.client.open(path, method=method))


@pytest.mark.parametrize("header", [GOOD, GOOD.replace("Bearer", "bearer"), GOOD.replace("Bearer", "BEARER")])
def test_the_token_opens_in_whatever_case_the_scheme_is_written(guarded, header):
    assert guarded.client.get("/_mock/state", headers={"Authorization": header}).status_code == 200


def test_a_wrong_scheme_or_token_is_refused(guarded):
    for header in [
        "", "Bearer", "Bearer ", "Bearer wrong", GOOD.removeprefix("Bearer "), GOOD.replace("Bearer", "Basic"),
        GOOD.replace("Bearer", "Token"), f"{GOOD}x", GOOD[:-1], f"{GOOD}, {GOOD}",
        GOOD.replace("Bearer ", "Bearer Bearer "), GOOD.upper(), "Bearer \xff\xfe", "Bearer " + "a" * 5000,
    ]:  # fmt: skip
        assert refused(guarded.client.get("/_mock/state", headers={"Authorization": header}))


def test_guard_cannot_be_bypassed_by_another_path_or_method(guarded):
    for method, path in [
        ("GET", "/_mock/nothing"), ("GET", "/_mock/"), ("DELETE", "/_mock/health"), ("POST", "/_mock/docs"),
        ("GET", "/_mock/docs/../state"), ("GET", "/_mock/health/../state"), ("GET", "/_mock%2fstate"),
        ("GET", "/w/default//_mock/state"), ("HEAD", "/_mock/state"), ("OPTIONS", "/_mock/state"),
    ]:  # fmt: skip
        answer = guarded.client.open(path, method=method)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_call_that_was_refused_has_changed_nothing(guarded):
    guarded.client.post("/_mock/workspaces", json={"name": "one"})
    guarded.client.put("/_mock/clock", json={"frozen": True})

    headers = {"Authorization": GOOD}
    assert guarded.client.get("/_mock/workspaces", headers=headers).json["count"] == 1
    assert guarded.client.get("/_mock/clock", headers=headers).json["frozen"] is False


def test_the_key_of_an_account_is_no_token_and_the_service_asks_for_none(guarded):
    assert refused(guarded.client.get("/_mock/state", headers={"api-key": TOKEN.encode().decode("latin-1")}))
    assert guarded.client.get("/v3/senders", headers={"api-key": "any"}).status_code == 200


def test_without_a_token_set_nothing_is_asked_for(api):
    assert api.client.get("/_mock/state").status_code == 200
    assert api.client.get("/_mock/state", headers={"Authorization": "Basic x"}).status_code == 200
