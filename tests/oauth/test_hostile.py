"""Hostile questions: no trick leads a user astray, asks for more than the app has, or gets markup onto a page."""

from __future__ import annotations

from urllib.parse import parse_qs, quote, urlsplit

import jwt
import pytest
from markupsafe import escape
from web_page import read

HOME = "https://app.test/callback"
AUTHORIZE = "/realms/partner/oauth/authorize"
YES = {"mock_user": "boss@group.test", "mock_consent": "accept"}


def asked(uri=HOME, client="shop-app", scope="account:read", **more):
    """A question as a query, in which nothing is encoded twice or put right."""
    pairs = {"client_id": client, "redirect_uri": uri, "scope": scope, "state": "s1", **YES, **more}
    return "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs.items())


@pytest.fixture
def ask(target):
    return lambda query: target.open("GET", f"{AUTHORIZE}?{query}")


#: `\u0430` is a Cyrillic letter that looks like an a.
ASTRAY = [
    "https://evil.test/callback", "https://app.test.evil.test/callback", "https://evil.test#app.test/callback",
    "https://evil.test?https://app.test/callback", "https://xapp.test/callback", "https://app.test./callback",
    "https://app.test:443/callback", "https://app.test:8443/callback", "http://app.test/callback",
    "HTTPS://app.test/callback", "https://APP.test/callback", "https://app.test/Callback",
    "https://app.test/callback/", "https://app.test/callback.", "https://app.test/callback#",
    "https://app.test/callback#fragment", "https://app.test/callback?",
    "https://app.test/callback?next=https://evil.test", "https://app.test/callback&next=1",
    "https://app.test/callback;x", "https://app.test/callback/../admin", "https://app.test/callback/..",
    "https://app.test/./callback", "https://app.test//callback", "https://app.test/%63allback",
    "https://app.test/callback%2f..%2fadmin", "https%3A%2F%2Fapp.test%2Fcallback",
    "https%253A%252F%252Fapp.test%252Fcallback", "https://user@app.test/callback",
    "https://app.test@evil.test/callback", "https://app.test:x@evil.test/callback",
    "https://evil.test\\@app.test/callback", "https://app.test\\callback", "https:\\\\app.test\\callback",
    "//app.test/callback", "/callback", "callback", "app.test/callback", "https:app.test/callback",
    " https://app.test/callback", "https://app.test/callback ", "https://app.test/callback\r\nSet-Cookie: a=b",
    "https://app.test/callback\x00", "https://app.test/\tcallback", "https://\u0430pp.test/callback",
    "https://app.test/callback, https://evil.test/", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>",
    "http://127.0.0.1:10/callback", "http://localhost:9/callback", "", "https://app.test/callback" + "a" * 8_192,
]  # fmt: skip


def test_no_user_is_sent_to_an_address_that_is_not_registered(ask, unmoved, target):
    with unmoved(target):
        for uri in ASTRAY:
            answer = ask(asked(uri))
            assert (answer.status_code, answer.mimetype, "Location" in answer.headers) == (400, "text/html", False), uri
            answer = ask(asked(uri, scope="nothing", response_type="token"))
            assert not uri or (answer.status_code, "Location" in answer.headers) == (400, False), uri


def test_duplicate_addresses_and_apps_are_refused_on_a_page(ask, unmoved, target):
    with unmoved(target):
        for query in (
            "{}&redirect_uri=https%3A%2F%2Fevil.test%2F", "redirect_uri=https%3A%2F%2Fevil.test%2F&{}",
            "{}&redirect_ur%69=https%3A%2F%2Fevil.test%2F", "{}&redirect_uri=https%3A%2F%2Fapp.test%2Fcallback",
            "{}&redirect_uri=", "{}&redirect_uri=%ff", "{}&client_id=other-app", "client_id=other-app&{}",
            "{}&client_id=%ff",
        ):  # fmt: skip
            answer = ask(query.format(asked()))
            assert (answer.status_code, "Location" in answer.headers) == (400, False), query


def test_an_address_counts_with_its_query_for_its_own_app_only(ask):
    for uri in ("https://app.test/second", "https://app.test/second?keep=2", HOME.upper()):
        assert ask(asked(uri)).status_code == 400
    for uri in ("https://second.test/", "myapp:///done"):
        assert ask(asked(uri, client="other-app")).status_code == 400


def test_an_address_is_used_as_it_stands(ask, marked):
    answer = ask(asked("myapp:///done", client="marked-app", mock_user=marked.user))
    assert answer.headers["Location"].startswith("myapp:///done?code=")


UNSAFE = [
    "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:x",
    "about:blank", "view-source:x", "https:", "https://", "https:///callback", "https:app.test", "//app.test/",
    "/callback", "callback", "", " ", "https://app.test/#", "https://app.test/#x", "https://user@app.test/",
    "https://user:pass@app.test/", "https://app.test\\@evil.test/", "https://app.test/\\evil", "https://a b.test/",
    "https://app.test/a b", "https://app.test/\r\nX: y", "https://app.test/\x00", "\thttps://app.test/",
    "java\tscript:alert(1)", "https://app.test:port/", "https://app.test:99999/", "https://[::1/", "https://é.test/",
    "https://app.test;script-src/", "https://app.test,x/", "https://'none'/", "https://*/", "https://a%2eb/",
    "https://<b>/", "1app:/x", "https://app.test/" + "a" * 2_000,
]  # fmt: skip


def test_an_address_that_could_lead_astray_is_not_registered(target, unmoved):
    with unmoved(target):
        for uri in UNSAFE:
            app = {"client_id": "new-app", "redirect_uris": [HOME, uri]}
            answers = [
                target.api.post("/_mock/oauth/apps", json=app),
                target.api.put("/_mock/oauth/apps/shop-app", json={"redirect_uris": [uri]}),
                target.api.post("/_mock/seed", json={"oauth_apps": [app]}),
            ]
            assert [answer.status_code for answer in answers] == [400, 400, 400], uri
            assert [row["path"] for row in answers[0].json["errors"]] == ["/redirect_uris/1"]


TEXTS = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)", "{{ 7 * 7 }}",
    "{% raw %}", "a\r\nSet-Cookie: evil=1\r\n\r\n<b>", "a\nLocation: https://evil.test/", "\x00\x01\x1f\x7f",
    "\u2028\u2029\u202e\ufeff", "&code=evil&state=other#frag", "%0d%0aX: y", "%", "+ +", "日本語 🙂", "a" * 8_192, " ",
]  # fmt: skip


def assert_plain(answer, text):
    """No header was broken, and the page holds no elements but its own."""
    assert all("\r" not in value and "\n" not in value for _, value in answer.headers)
    assert not {name for name, _ in answer.headers} & {"X", "X-Evil"}
    assert "evil=1" not in answer.headers.get("Set-Cookie", "")
    found = read(answer.text).all()
    assert not {each.tag for each in found} & {"script", "img", "b", "iframe"}
    assert not [name for each in found for name in each.attributes if name.startswith("on")]
    if "<" in text:
        assert text not in answer.text


def test_a_state_comes_back_as_it_was_sent(ask, target, make_visitor):
    for text in TEXTS:
        for query in (asked(state=text), asked(state=text, mock_consent="refuse"), asked(state=text, scope="nothing")):
            answer = ask(query)
            location = answer.headers["Location"]
            assert (answer.status_code, answer.text) == (302, "")
            assert location.isascii()
            assert location.isprintable()
            assert " " not in location
            assert urlsplit(location)[:3] == urlsplit(HOME)[:3]
            told = parse_qs(urlsplit(location).query, keep_blank_values=True)
            assert told["state"] == [text]
            assert set(told) in ({"code", "state"}, {"error", "error_description", "state"})
            assert_plain(answer, text)
        visitor = make_visitor(target)
        visitor.visit(f"{AUTHORIZE}?{asked(state=text, mock_consent='')}")
        answer = visitor.press("Accept")
        assert parse_qs(urlsplit(answer.headers["Location"]).query)["state"] == [text]
        assert_plain(answer, text)


def test_parameters_of_authorize_never_become_markup_or_headers(ask):
    for name in (
        "state", "client", "uri", "scope", "response_type", "code_challenge", "code_challenge_method", "nonce",
        "mock_user", "mock_consent", "another",
    ):  # fmt: skip
        for text in TEXTS:
            answer = ask(asked(**{name: text}))
            assert answer.status_code in (302, 400) or (name == "mock_user" and answer.status_code == 200), (name, text)
            assert_plain(answer, text)


def test_a_nonce_stands_in_the_id_token_as_it_was_sent(target):
    for text in TEXTS:
        token = target.tokens(scope="openid", nonce=text)["id_token"]
        assert jwt.decode(token, options={"verify_signature": False})["nonce"] == text


def test_queries_that_cannot_be_read_for_certain_are_refused(ask, unmoved, target):
    with unmoved(target):
        for query in ("state=%ff", "state=%ED%A0%80", "%ff=1", "&".join(f"a{n}=1" for n in range(100))):
            answer = ask(f"{asked().replace('state=s1&', '')}&{query}")
            assert (answer.status_code, answer.mimetype) == (400, "text/html"), query


def test_names_of_a_workspace_are_escaped_on_its_pages(target, make_visitor, marked):
    visitor = make_visitor(target)
    page = visitor.visit(f"{AUTHORIZE}?{asked(client='marked-app', mock_user='', mock_consent='')}")
    assert escape(marked.app) in page.text
    assert escape(marked.user) in page.text
    consent = visitor.press(marked.user)
    for name in (marked.app, marked.user, marked.account):
        assert escape(name) in consent.text
    for answer in (page, consent):
        for name in marked:
            assert_plain(answer, name)


MORE = [
    "nothing:read", "account", ":read", "account:read:write", "webhooks:read", "account:read webhooks:read", "all",
    "account:read all", "ALL", "Account:read", "account:READ", "account:read\tall", "account:read\nall",
    "account:read\r\nall", "account:read,all", "account:read\tcontacts:read", "account:read\ncontacts:read",
    "account:read\u3000contacts:read", "account:read,contacts:read", "account:read\u00a0all", "account:read\x00",
    "account:*", "*", "openid openId", "<script>", '"account:read"', " ", "", " ".join(f"x{n}" for n in range(5_000)),
]  # fmt: skip


def test_an_app_gets_no_scopes_that_it_does_not_have(target, unmoved):
    with unmoved(target):
        for scope in MORE:
            answer = target.authorize(scope=scope, mock_user="boss@group.test", mock_consent="accept")
            told = parse_qs(urlsplit(answer.headers["Location"]).query)
            assert (answer.headers["Location"].startswith(f"{HOME}?"), told["error"]) == (True, ["invalid_scope"]), (
                scope
            )
            assert not set(told["error_description"][0]) & set('"\\\r\n\t\x00<') - {"<"}
            assert len(told["error_description"][0]) < 1_000


def test_an_app_by_itself_gets_no_scopes_that_it_does_not_have(target, unmoved):
    token = target.tokens()["refresh_token"]
    with unmoved(target):
        for scope in filter(str.strip, MORE):
            for answer in (
                target.post("token", grant_type="client_credentials", scope=scope), target.refresh(token, scope=scope)
            ):  # fmt: skip
                assert (answer.status_code, answer.json["error"]) == (400, "invalid_scope"), scope
        assert target.refresh(token, scope="organization:read").json["error"] == "invalid_scope"


def test_a_scope_that_is_asked_for_twice_is_given_once(target):
    twice = "account:read  account:read account:read "
    assert target.tokens(scope=twice)["scope"] == "account:read"
    token = target.tokens(scope="account:read contacts:read")["refresh_token"]
    assert target.refresh(token, scope=twice).json["scope"] == "account:read"
