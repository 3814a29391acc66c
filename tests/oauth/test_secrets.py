"""No secret of a sign-in is told by the journal, the stream or the log, however it was sent."""

from __future__ import annotations

import json
from base64 import b64encode
from itertools import product
from urllib.parse import quote, quote_plus

import pytest

from mockserver.control.traffic.stream import STREAM_KINDS, Subscription

PASSWORD, SECRET, VERIFIER = "right horse", "s3cret", "v" * 50
FORM = "application/x-www-form-urlencoded"
TOKEN = "/realms/partner/oauth/token"
#: What an app that does it wrongly may send to the token address: the code is `{}`.
WRONG = [
    ("application/json", '{"grant_type": "authorization_code", "code": "{}", "client_secret": "s3cret"}'),
    (FORM, '{"code": "{}", "client_secret": "s3cret", "code_verifier": "' + VERIFIER + '"}'),
    ("application/json", '{"code": "{}", "client_secret": "s3cret"'),
    ("text/plain", "code={}&client_secret=s3cret&code_verifier=" + VERIFIER),
    ("", "client_secret=s3cret&code={}"),
    (FORM, "c%6Fde={}&client%5Fsecret=s3cret&code%5fverifier=" + VERIFIER),
    (FORM, "CODE={}&Client_Secret=s3cret"),
    (FORM, "code=x,{}&client_secret=a,s3cret&csrf=a%26s3cret"),
    (FORM, "code={}&code={}&client_secret=s3cret&client_secret=s3cret"),
    (
        "multipart/form-data; boundary=x",
        "\r\n".join(f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{{}}' for name in ("code", "csrf")),
    ),
]


@pytest.fixture
def asking(make_api, story, realm):
    """A workspace that wants passwords, and keeps a log."""
    story["accounts"][1]["role"] = "sub_account"
    api = make_api({**story, "behaviour": {"oauth_login": "form", "oauth_public_apps": True}}, log_format="json")
    return type(realm)(api)


@pytest.fixture
def told(asking, capfd):
    """All that is told of a workspace: its journal, its stream, its log."""

    def told():
        journal = asking.api.get("/_mock/requests?limit=1000").json["items"]
        store = asking.api.app.store
        look = Subscription(store, asking.api.workspace, frozenset(STREAM_KINDS), 0)
        asking.api.app.log.close()
        log = capfd.readouterr().err
        assert log.count("\n") >= len(journal) > 0
        return json.dumps(journal, ensure_ascii=False), store.storage.run(look.pull).decode(), log

    return told


def assert_silent(told, *secrets):
    for text in told():
        assert [secret for secret in secrets if secret in text] == []


def forms_of(secret):
    return {secret, quote(secret), quote_plus(secret)}


def test_secrets_of_a_whole_flow_are_redacted(asking, make_visitor, question, told):
    visitor = make_visitor(asking)
    visitor.visit(question("other-app", scope="openid account:read", code_challenge=VERIFIER, nonce="n1"))
    csrf = visitor.form.hidden["csrf"]
    visitor.press(
        "Sign in", user="boss@group.test", password="wrong horse", headers={"Referer": f"http://x/?code={csrf}"}
    )
    visitor.press("Sign in", user="boss@group.test", password=PASSWORD)
    ticket = visitor.form.hidden["ticket"]
    code = asking.told(visitor.press("Accept"))["code"]
    first = asking.exchange(code, "other-app", basic=True, code_verifier=VERIFIER).json
    second = asking.refresh(first["refresh_token"], "other-app").json
    own = asking.post("token", "other-app", grant_type="client_credentials").json
    tokens = [first["id_token"], *(row["access_token"] for row in (first, second, own))]
    for token in tokens:
        asking.call(token)
        asking.post("introspect", "other-app", token=token)
        asking.open("GET", "/realms/partner/oauth/userinfo", token=token)
        asking.open("GET", f"/v3/senders?access_token={token}&page={token}")
    asking.post("revoke", "other-app", token=second["refresh_token"])
    basic = b64encode(f"other-app:{'0ther'}".encode()).decode()
    parts = [part for token in tokens for part in token.split(".")[1:]]

    assert len(set(parts)) == 8
    assert_silent(
        told, csrf, ticket, code, basic, "0ther", "wrong+horse", "wrong horse", *forms_of(PASSWORD), VERIFIER,
        first["refresh_token"], second["refresh_token"], *parts,
    )  # fmt: skip


def test_secrets_of_bad_token_requests_are_redacted(asking, told):
    codes = []
    for kind, body in WRONG:
        for method in ("POST", "PUT"):
            codes.append(asking.code())
            asking.open(method, TOKEN, data=body.replace("{}", codes[-1]), content_type=kind)

    assert_silent(told, *codes, SECRET, VERIFIER)


def test_secrets_in_a_query_or_referer_are_redacted(asking, told):
    codes = []
    for query in ("code={}&client_secret=s3cret", "c%6Fde={}&client%5Fsecret=s3cret", "x=1&code={}#"):
        for path in (TOKEN, "/realms/partner/nowhere", "/v3/senders", "/shared/x"):
            codes.append(asking.code())
            asking.open("GET", path, query_string=query.replace("{}", codes[-1]))
    home = "https://app.test/callback"
    for address in (f"{home}?code={{}}&state=s1", f"{home}?state=s1&code={{}}", "app:/x?c%6fde={}"):
        codes.append(asking.code())
        asking.open("GET", "/shared/x", headers={"Referer": address.replace("{}", codes[-1])})

    assert_silent(told, *codes, SECRET)


def test_plain_challenge_is_redacted(asking, told, question):
    url = question("public-app", code_challenge=VERIFIER, code_challenge_method="plain")
    asking.open("GET", url)
    asking.open("POST", url, headers={"Referer": f"http://localhost{url}"})

    assert_silent(told, VERIFIER)


def test_sign_in_token_in_a_path_is_redacted(asking, told):
    token = asking.api.post("/v3/corporate/subAccount/ssoToken", key="key-group", json={"id": 1003002}).json["token"]
    for kind, method, rest in product(
        ("corporate", "sub-account", "unknown"), ("GET", "HEAD", "POST"), ("", "/", "/more", "?x=1")
    ):
        url = f"/account/login/{kind}/sso/{token}{rest}"
        asking.open(method, url, headers={"Referer": f"http://localhost/w/default{url}"})

    assert_silent(told, token)


def test_journal_shows_fields_that_are_not_secret(realm, last_entry):
    code = realm.code()
    assert last_entry(realm)["answer"]["headers"]["Location"] == "https://app.test/callback?code=***&state=s1"
    assert last_entry(realm)["query"]["mock_user"] == "boss@group.test"

    realm.exchange(code, redirect_uri="https://app.test/callback")
    entry = last_entry(realm)
    assert entry["request"]["body"].split("&") == [
        "client_id=shop-app", "client_secret=***", "grant_type=authorization_code", "code=***",
        "redirect_uri=https://app.test/callback",
    ]  # fmt: skip
    assert entry["answer"]["body"] == {
        "access_token": "***", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "***",
        "scope": "account:read",
    }  # fmt: skip


def test_an_error_keeps_its_code(realm, last_entry):
    realm.exchange("unknown")
    assert last_entry(realm)["answer"]["body"]["error"] == "invalid_grant"

    realm.api.get("/v3/senders/domains/absent.test", key="key-group")
    assert last_entry(realm)["answer"]["body"]["code"] == "document_not_found"


def test_cookies_and_form_secrets_of_sign_in_are_redacted(realm, last_entry, visitor, question):
    visitor.visit(question())
    assert last_entry(realm)["answer"]["headers"]["Set-Cookie"] == "***"

    visitor.press("boss@group.test")
    entry = last_entry(realm)
    assert entry["request"]["headers"]["cookie"] == "***"
    assert "csrf=***" in entry["request"]["body"]
    assert "boss@group.test" in entry["request"]["body"]
    assert 'name="ticket" value=***' in entry["answer"]["body"]
