"""When an access token opens nothing, what the journal says of it, and in which workspace it is looked for."""

from __future__ import annotations

import base64
import json

import pytest
from stepped import held_elsewhere

from mockserver.core.workspaces import storage


def decoded(part):
    return json.loads(base64.urlsafe_b64decode(part + "=="))


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def expired(realm, _):
    token = realm.tokens()["access_token"]
    realm.advance("PT1H")
    return token


def revoked(realm, _):
    token = realm.tokens()["access_token"]
    assert realm.post("revoke", token=token).status_code == 200
    return token


def with_its_grant(realm, _):
    tokens = realm.tokens()
    assert realm.post("revoke", token=tokens["refresh_token"]).status_code == 200
    return tokens["access_token"]


def with_its_code(realm, _):
    code = realm.code()
    token = realm.exchange(code).json["access_token"]
    assert realm.exchange(code).status_code == 400
    return token


def of_a_reset_workspace(realm, _):
    token = realm.tokens()["access_token"]
    realm.api.post("/_mock/reset")
    return token


def of_a_dropped_workspace(realm, other_workspace):
    token = other_workspace("gone").tokens()["access_token"]
    assert realm.api.delete("/_mock/workspaces/gone").status_code == 204
    return token


def of_a_deleted_account(realm, _):
    for row in (state := realm.api.get("/_mock/state").json)["accounts"]:
        row["role"] = "sub_account" if row["name"] == "shop" else row["role"]
    state["oauth_apps"][0]["account"] = "shop"
    state["accounts"][1].pop("plan")
    assert realm.api.put("/_mock/state", json=state).status_code == 200
    token = realm.tokens(user="keeper@shop.test")["access_token"]
    assert realm.api.delete("/v3/corporate/subAccount/1003002", key="key-group").status_code == 204
    return token


def with_another_signature(realm, _):
    head, content, signature = realm.tokens()["access_token"].split(".")
    return f"{head}.{content}.{signature[:9]}{'A' if signature[9] != 'A' else 'B'}{signature[10:]}"


def unsigned(realm, _):
    _, content, _ = realm.tokens()["access_token"].split(".")
    return f"{encoded({'alg': 'none', 'typ': 'JWT'})}.{content}."


def about_a_user(realm, _):
    return realm.tokens("other-app", scope="openid account:read")["id_token"]


OVER = "the token or its grant was revoked, its account deleted, or workspace default reset"
BAD = {
    "expired": (expired, "it expired at 2026-01-15T10:00:00Z; the workspace's clock shows 2026-01-15T10:00:00Z"),
    "revoked": (revoked, OVER),
    "with its grant": (with_its_grant, OVER),
    "with its code": (with_its_code, OVER),
    "of a reset workspace": (of_a_reset_workspace, OVER),
    "of a deleted account": (of_a_deleted_account, OVER),
    "of a dropped workspace": (of_a_dropped_workspace, "workspace gone no longer exists"),
    "another signature": (with_another_signature, "not signed by this server (Signature verification failed)"),
    "unsigned": (unsigned, "not signed by this server (The specified alg value is not allowed)"),
    "a refresh token": (
        lambda realm, _: realm.tokens()["refresh_token"],
        "not a signed token (1 part between dots, expected 3)",
    ),
    "about a user": (about_a_user, "it is an ID token"),
    "immense": (lambda *_: "x.y." + "z" * 9_000, "not signed by this server (longer than 8,192 characters)"),
    "an API key": (lambda *_: "key-group", "it is an API key, which is sent in the header api-key"),
    "an API key of nobody": (lambda *_: "xkeysib-x", "it is an API key, which is sent in the header api-key"),
}


@pytest.mark.parametrize(("make", "reason"), BAD.values(), ids=BAD)
def test_a_token_that_is_not_good_is_refused_and_the_journal_says_why(realm, other_workspace, make, reason):
    answer = realm.call(make(realm, other_workspace))

    assert (answer.status_code, answer.json) == (401, {"code": "unauthorized", "message": "Invalid access token"})
    entry = realm.api.get("/_mock/requests").json["items"][0]
    assert entry["reason"] == f"invalid access token: {reason}"
    assert entry["request"]["headers"]["authorization"] == "***"


def test_other_authorization_schemes_are_refused(realm):
    for value in ("Basic YTpi", "Token {}", "{}", "Bearer", "", "Bearertoken {}"):
        header = value.format(realm.tokens()["access_token"])
        answer = realm.open("GET", "/v3/senders", headers={"Authorization": header})

        assert (answer.status_code, answer.json["code"]) == (401, "unauthorized")


def test_a_token_finds_its_own_workspace_at_the_bare_root(realm, other_workspace):
    other = other_workspace("other")
    token = other.tokens(user="keeper@shop.test")["access_token"]

    assert [row["email"] for row in realm.call(token).json["senders"]] == ["news@shop.test"]
    entry = realm.api.get("/w/other/_mock/requests").json["items"][0]
    assert (entry["operation"], entry["account"]) == ("getSenders", "shop")


@pytest.mark.parametrize(("home", "elsewhere"), [("", "/w/other"), ("/w/other", "/w/default"), ("/w/other", "/w/more")])
def test_a_token_is_refused_at_the_address_of_another_workspace(realm, other_workspace, home, elsewhere):
    for name in ("other", "more"):
        other_workspace(name)
    token = type(realm)(realm.api, home).tokens()["access_token"]

    assert realm.call(token, path=f"{elsewhere}/v3/senders").status_code == 401
    names = (home.removeprefix("/w/") or "default", elsewhere.removeprefix("/w/"))
    reason = realm.api.get(f"{elsewhere}/_mock/requests").json["items"][0]["reason"]
    assert reason.endswith(f"it belongs to workspace {names[0]}, but the request is for workspace {names[1]}")


def test_a_token_is_refused_at_the_address_of_another_workspace_while_its_own_is_busy(
    realm, other_workspace, monkeypatch
):
    """Otherwise two such requests would wait for each other."""
    monkeypatch.setattr(storage, "_PATIENCE_S", 0.01)
    token = realm.tokens()["access_token"]
    other_workspace("other")
    with held_elsewhere(realm.api.app.store.storage, realm.api.workspace):
        assert realm.call(token, path="/w/other/v3/senders").status_code == 401


def test_two_workspaces_of_one_story_and_seed_share_no_token(realm, other_workspace):
    one, other = (other_workspace(name).tokens()["access_token"] for name in ("one", "two"))

    assert decoded(one.split(".")[1])["jti"] != decoded(other.split(".")[1])["jti"]


def test_a_token_of_another_replica_is_misdirected(make_realm):
    token = make_realm(settings={"replica": "b"}).tokens()["access_token"]

    answer = make_realm(settings={"replica": "a"}).call(token)

    assert (answer.status_code, answer.headers["X-Mock-Replica"]) == (421, "b")
    assert answer.json["message"] == "This is replica a of the mock, but the access token belongs to replica b"


def test_a_token_works_at_its_server_and_names_its_replica(make_realm):
    for settings in ({"replica": "a"}, {}):
        realm = make_realm(settings=settings)
        token = realm.tokens()["access_token"]

        assert decoded(token.split(".")[1]).get("mock_replica") == settings.get("replica")
        assert realm.works(token)


def test_a_token_that_names_no_other_replica_is_refused(make_realm):
    for content in [
        encoded({"mock_replica": "a"}), encoded({"mock_replica": "b\r\nx: y"}), encoded({"mock_replica": ["b"]}),
        encoded(["mock_replica"]), base64.urlsafe_b64encode(b"[" * 5_000).decode(), "%", "A" * 9_000,
    ]:  # fmt: skip
        head = encoded({"alg": "RS256", "typ": "at+jwt"})

        assert make_realm(settings={"replica": "a"}).call(f"{head}.{content}.AAAA").status_code == 401
