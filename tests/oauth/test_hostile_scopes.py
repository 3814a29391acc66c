"""Hostile wishes: no way of writing scopes gets an app more than it has, in any of the three places."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

HOME = "https://app.test/callback"


def short(value):
    text = ascii(value)
    return text if len(text) < 60 else f"{text[:50]} and so on, {len(text)}"


MORE = [
    "nothing:read",
    "account",
    ":read",
    "account:read:write",
    "webhooks:read",
    "account:read webhooks:read",
    "all",
    "account:read all",
    "ALL",
    "Account:read",
    "account:READ",
    "account:read\tall",
    "account:read\nall",
    "account:read\r\nall",
    "account:read,all",
    "account:read\tcontacts:read",
    "account:read\ncontacts:read",
    "account:read\u3000contacts:read",
    "account:read,contacts:read",
    "account:read\u00a0all",
    "account:read\x00",
    "account:*",
    "*",
    "openid openId",
    "<script>",
    '"account:read"',
    " ",
    "",
    " ".join(f"x{n}" for n in range(5_000)),
]


@pytest.mark.parametrize("scope", MORE, ids=short)
def test_an_app_gets_no_scopes_that_it_does_not_have(target, unmoved, scope):
    with unmoved(target):
        answer = target.authorize(scope=scope, mock_user="boss@group.test", mock_consent="accept")
    told = parse_qs(urlsplit(answer.headers["Location"]).query)
    assert (answer.headers["Location"].startswith(f"{HOME}?"), told["error"]) == (True, ["invalid_scope"])
    assert not set(told["error_description"][0]) & set('"\\\r\n\t\x00<') - {"<"}
    assert len(told["error_description"][0]) < 1_000


@pytest.mark.parametrize("scope", [scope for scope in MORE if scope.strip()], ids=short)
def test_an_app_by_itself_gets_no_scopes_that_it_does_not_have(target, unmoved, scope):
    with unmoved(target):
        answer = target.post("token", grant_type="client_credentials", scope=scope)
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_scope")


@pytest.mark.parametrize("scope", [*(scope for scope in MORE if scope.strip()), "organization:read"], ids=short)
def test_refreshing_gives_no_scopes_that_an_app_does_not_have(target, unmoved, scope):
    token = target.tokens()["refresh_token"]
    with unmoved(target):
        answer = target.refresh(token, scope=scope)
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_scope")


def test_a_scope_that_is_asked_for_twice_is_given_once(target):
    twice = "account:read  account:read account:read "
    assert target.tokens(scope=twice)["scope"] == "account:read"
    token = target.tokens(scope="account:read contacts:read")["refresh_token"]
    assert target.refresh(token, scope=twice).json["scope"] == "account:read"
