"""Hostile input to OAuth and its pages: no trick leads a user astray, opens anything or gets markup onto a page."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from urllib.parse import parse_qs, quote, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from markupsafe import escape
from web_page import read

HOME = "https://app.test/callback"
OAUTH = "/realms/partner/oauth"
AUTHORIZE, TOKEN, USERINFO = f"{OAUTH}/authorize", f"{OAUTH}/token", f"{OAUTH}/userinfo"
YES = {"mock_user": "boss@group.test", "mock_consent": "accept"}
QUESTION = f"{AUTHORIZE}?client_id=shop-app&redirect_uri={HOME}&scope=account:read&state=s1"
SIGNED_IN = f"{QUESTION}&mock_user=boss@group.test"
FORM = "application/x-www-form-urlencoded"


def basic(text):
    return "Basic " + b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def encoded(value):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(part):
    return json.loads(urlsafe_b64decode(part + "=="))


def asked(uri=HOME, client="shop-app", scope="account:read", **more):
    """Return a question as a query, in which nothing is encoded twice or put right; None omits a parameter."""
    pairs = {"client_id": client, "redirect_uri": uri, "scope": scope, "state": "s1", **YES, **more}
    return "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs.items() if value is not None)


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


def test_an_address_is_used_as_it_stands(ask, marked):
    answer = ask(asked("myapp:///done", client="marked-app", mock_user=marked.user))
    assert answer.headers["Location"].startswith("myapp:///done?code=")


MORE = [
    "nothing:read", "account", ":read", "account:read:write", "webhooks:read", "account:read webhooks:read", "all",
    "account:read all", "ALL", "Account:read", "account:READ", "account:read\tall", "account:read\nall",
    "account:read\r\nall", "account:read,all", "account:read\tcontacts:read", "account:read\ncontacts:read",
    "account:read\u3000contacts:read", "account:read,contacts:read", "account:read\u00a0all", "account:read\x00",
    "account:*", "*", "openid openId", "<script>", '"account:read"', " ", "", " ".join(f"x{n}" for n in range(5_000)),
]  # fmt: skip
#: Credentials in two places, and wrong credentials: the Authorization header and the form.
TWICE = [
    (basic("shop-app:s3cret"), "client_secret=s3cret"),
    (basic("shop-app:s3cret"), "client_id=shop-app&client_secret=s3cret"),
    (basic("shop-app:s3cret"), "client_id=other-app"), (basic("shop-app:wrong"), "client_secret=s3cret"),
]  # fmt: skip
WRONG = [
    ("Basic ====", ""),
    (basic("shop-app:wrong"), ""), (basic("shop-app:"), ""), (basic("shop-app"), ""), (basic(":s3cret"), ""),
    (basic(""), ""), (basic("shop-app:s3cret\x00"), ""), (basic("shop-app:s3cret\n"), ""),
    (basic(b"shop-app:\xff"), ""), (basic(b"\xff\xfe:s3cret"), ""), (basic("SHOP-APP:s3cret"), ""),
    (basic("shop-app:S3CRET"), ""), (basic("public-app:x"), ""), ("Basic", ""), ("Basic shop-app:s3cret", ""),
    ("Basic \xff\xfe", ""), (basic("shop-app:s3cret")[:-3], ""),
    (f"{basic('shop-app:s3cret')}, {basic('shop-app:s3cret')}", ""), (basic("shop-app:" + "a" * 60_000), ""),
    (f"Bearer {b64encode(b'shop-app:s3cret').decode()}", ""), ("Digest username=shop-app", ""),
    ("", "client_id=shop-app"), ("", "client_id=shop-app&client_secret="),
    ("", "client_id=shop-app&client_secret=s3cret%00"), ("", "client_id=shop-app&client_secret=%F0%9F%99%82"),
    ("", "client_secret=s3cret"), ("", "client_id=nobody&client_secret=s3cret"),
    ("", "client_id=public-app&client_secret=s3cret"),
]  # fmt: skip
MULTIPART = "--x\r\nContent-Disposition: form-data; name=client_id\r\n\r\nshop-app\r\n--x--"
FORM = "application/x-www-form-urlencoded"
GOOD = "client_id=shop-app&client_secret=s3cret&grant_type=client_credentials"
MALFORMED = [
    (json.dumps({"client_id": "shop-app", "client_secret": "s3cret"}), "application/json"),
    (GOOD, "application/json"),
    (GOOD, "text/plain"),
    (GOOD, ""),
    (GOOD, "multipart/form-data; boundary=x"),
    (GOOD, f"{FORM}x"),
    (MULTIPART, "multipart/form-data; boundary=x"),
    (f"{GOOD}&scope=\xff".encode("latin-1"), FORM),
    (f"{GOOD}&scope=é".encode(), FORM),
    (f"{GOOD}&scope=%ff", FORM),
    (f"{GOOD}&%ff=1", FORM),
    (f"{GOOD}&client_id=shop-app", FORM),
    (f"{GOOD}&client_id=", FORM),
    (f"{GOOD}&client_id=other-app", FORM),
    (f"{GOOD}&grant_type=refresh_token", FORM),
    (f"{GOOD}&grant_type=authorization_code&code=x", FORM),
    (f"{GOOD}&client%5Fsecret=s3cret", FORM),
    (f"{GOOD}&x=1&x=2", FORM),
    (GOOD + "".join(f"&x{n}=" for n in range(60)), FORM),
    (GOOD + "&" * 100_000, FORM),
    (b"\x00" * 1_000, "application/octet-stream"),
    (b"\x1f\x8b\x08\x00", FORM),
]  # fmt: skip
GARBAGE = [
    "a" * 9_000 + ".b.c",
    "", ".", "..", "...", "a.b.c", "null", "%00", "a b c", "\xff\xfe\x80", "\x7f\x01", "é.é.é", "=.=.=",
    f"{encoded({'alg': 'RS256'})}..", f"{encoded([])}.{encoded({})}.eA", f"{encoded(None)}.{encoded({})}.eA",
    f"{encoded(b'{')}.{encoded({})}.eA", f"{encoded(b'[' * 4_000)}.{encoded({})}.eA",
    f"{encoded(b'9' * 5_000)}.{encoded({})}.eA", f"{encoded({'alg': 'RS256'})}.{encoded(b'[' * 4_000)}.eA",
    f"{encoded({'alg': 'dir', 'enc': 'A256GCM'})}....", "a" * 50_000, "." * 50_000,
]  # fmt: skip


def question(*pairs, query="{}", **changed):
    """Return a row of an authorization request that is answered with an error page."""
    return "GET", f"{AUTHORIZE}?{query.format(asked(*pairs, **changed))}", {}, 400, PAGE


def form(data, content_type=FORM, *, address="token", status=400, error="invalid_request", **options):
    """Return a row of a form that is refused in the words of OAuth."""
    return "POST", f"{OAUTH}/{address}", {"data": data, "content_type": content_type, **options}, status, error


def proof(header, credentials, status):
    """Return rows of an app that does not prove itself, or in two ways."""
    error = "invalid_client" if status == 401 else "invalid_request"
    for address, told in (("token", "code=x"), ("revoke", "token=x"), ("introspect", "token=x")):
        headers = {"Authorization": header} if header else {}
        data = f"{told}&{credentials}".rstrip("&")
        yield form(data, address=address, status=status, error=error, headers=headers)


PAGE = "an error page, and no redirection"
BY_ITSELF = {"client_id": "shop-app", "client_secret": "s3cret", "grant_type": "client_credentials"}
#: By topic: method, address, what is sent, the status, and the error or `PAGE`.
TABLE = {
    "addresses that are not registered": [
        *(question(uri) for uri in ASTRAY),
        *(question(uri, scope="nothing", response_type="token") for uri in ASTRAY if uri),
        *(question(uri) for uri in ("https://app.test/second", "https://app.test/second?keep=2", HOME.upper())),
        *(question(uri, client="other-app") for uri in ("https://second.test/", "myapp:///done")),
    ],
    "duplicate addresses and apps": [question(query=query) for query in (
        "{}&redirect_uri=https%3A%2F%2Fevil.test%2F", "redirect_uri=https%3A%2F%2Fevil.test%2F&{}",
        "{}&redirect_ur%69=https%3A%2F%2Fevil.test%2F", "{}&redirect_uri=https%3A%2F%2Fapp.test%2Fcallback",
        "{}&redirect_uri=", "{}&redirect_uri=%ff", "{}&client_id=other-app", "client_id=other-app&{}",
        "{}&client_id=%ff")],
    "queries that cannot be read": [question(query=f"{{}}&{query}", state=None) for query in (
        "state=%ff", "state=%ED%A0%80", "%ff=1", "&".join(f"a{n}=1" for n in range(100)))],
    "scopes": [("GET", f"{AUTHORIZE}?{asked(scope=scope)}", {}, 302, "invalid_scope") for scope in MORE],
    "scopes of an app by itself": [
        form({**BY_ITSELF, "scope": scope}, error="invalid_scope") for scope in filter(str.strip, MORE)],
    "credentials in two places": [row for place in TWICE for row in proof(*place, 400)],
    "wrong credentials": [row for place in WRONG for row in proof(*place, 401)],
    "malformed forms": [form(body, kind) for body, kind in MALFORMED],
    "a form over the limit": [form("x=" + "a" * 20_000_000, status=413)],
    "secrets in an address": [
        *((method, f"{OAUTH}/{address}?{GOOD}&code=x&token=x", {}, 405, None)
          for address in ("token", "revoke", "introspect", "consent")
          for method in ("GET", "PUT", "PATCH", "DELETE", "TRACE")),
        ("POST", f"{TOKEN}?{GOOD}", {"data": {"code": "x"}}, 401, "invalid_client"),
    ],
    "garbage in place of a token": [
        *(("GET", path, {"headers": {"Authorization": header}}, 401, None)
          for text in GARBAGE for path in ("/v3/senders", USERINFO)
          for header in (f"Bearer {text}", f"bearer\t{text}", f"Bearer  {text} ", text))],
}  # fmt: skip


@pytest.mark.parametrize("rows", TABLE.values(), ids=TABLE)
def test_bad_requests_are_refused_and_change_nothing(target, unmoved, rows):
    with unmoved(target):
        for method, path, options, status, error in rows:
            answer = target.open(method, path, **options)
            sent = f"{method} {path[-120:]} {str(options)[-200:]}"
            assert answer.status_code == status, sent
            if status == 302:
                assert answer.headers["Location"].startswith(f"{HOME}?"), sent
                told = parse_qs(urlsplit(answer.headers["Location"]).query)
                assert told["error"] == [error], sent
                assert not set(told["error_description"][0]) & set('"\\\r\n\t\x00')
                assert len(told["error_description"][0]) < 1_000
            elif error == PAGE:
                assert (answer.mimetype, "Location" in answer.headers) == ("text/html", False), sent
            elif error is not None:
                assert (answer.json["error"], answer.headers["Cache-Control"]) == (error, "no-store"), sent
                assert ("WWW-Authenticate" in answer.headers) == (status == 401), sent
            elif status == 405:
                assert answer.headers["Allow"] == "POST", sent


def test_huge_members_are_wrong_ones(target, unmoved):
    with unmoved(target):
        for name in ("code", "client_secret", "redirect_uri", "code_verifier", "grant_type", "x"):
            answer = target.post("token", **{"code": "x", name: "a" * 1_000_000})
            assert answer.status_code in (400, 401), name
            assert len(answer.data) < 1_000


def test_garbage_is_no_active_token(target, unmoved):
    missing = {"error": "invalid_request", "error_description": "token is missing"}
    with unmoved(target):
        for text in GARBAGE:
            assert target.post("introspect", token=text).json in ({"active": False}, missing), text[:60]


# ---------------------------------------------------------------------- addresses, states and markup


@pytest.fixture
def ask(target):
    return lambda query: target.open("GET", f"{AUTHORIZE}?{query}")


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


# ---------------------------------------------------------------------- apps


@pytest.fixture
def loot(target, make_visitor):
    """One of all that opens something, all of the same app, and nothing else."""
    target.api.post("/_mock/reset")
    visitor = make_visitor(target)
    asked = f"client_id=shop-app&redirect_uri={HOME}&scope=account:read&mock_user=boss@group.test"
    visitor.visit(f"{AUTHORIZE}?{asked}")
    first = target.tokens(scope="openid account:read")
    second = target.refresh(first["refresh_token"]).json
    return {
        "ticket": visitor.form.hidden["ticket"],
        "code": target.code(),
        "access token": first["access_token"],
        "its id": decoded(first["access_token"].split(".")[1])["jti"],
        "id token": first["id_token"],
        "refresh token": second["refresh_token"],
        "spent token": first["refresh_token"],
        "client id": "shop-app",
        "client secret": "s3cret",
        "csrf": visitor.form.hidden["csrf"],
        "grant": "1",
        "api key": "key-group",
    }


# ---------------------------------------------------------------------- one thing for another


def test_secrets_are_refused_in_place_of_others(target, unmoved, loot, make_visitor):
    visitor = make_visitor(target)
    visitor.visit(f"{AUTHORIZE}?client_id=shop-app&redirect_uri={HOME}&scope=openid&mock_user=boss@group.test")
    form = visitor.form
    with unmoved(target):
        for kind, secret in loot.items():
            if kind != "code":
                assert target.exchange(secret).json["error"] == "invalid_grant", kind
            if kind not in ("refresh token", "spent token"):
                assert target.refresh(secret).json["error"] == "invalid_grant", kind
            if kind != "access token":
                for path in ("/v3/senders", USERINFO):
                    assert target.call(secret, path=path).status_code == 401, kind
            if kind not in ("access token", "refresh token", "spent token"):
                assert target.post("revoke", token=secret).status_code == 200, kind
                assert target.post("introspect", token=secret).json == {"active": False}, kind
            if kind != "ticket":
                visitor.form = form
                answer = visitor.press("Accept", ticket=secret)
                assert (answer.status_code, "Location" in answer.headers) == (410, False), kind
            if kind != "client secret":
                answer = target.exchange(loot["code"], client_secret=secret)
                assert (answer.status_code, answer.json["error"]) == (401, "invalid_client"), kind


# ---------------------------------------------------------------------- one app for another


def test_credentials_of_another_app_are_refused(target, unmoved, loot):
    with unmoved(target):
        for app in ("other-app", "foreign-app", "public-app"):
            told = {"error": "invalid_client"} if app == "public-app" else {"active": False}
            for secret in loot.values():
                assert target.exchange(secret, app).json["error"] == "invalid_grant"
                assert target.refresh(secret, app).json["error"] == "invalid_grant"
                assert told.items() <= target.post("introspect", app, token=secret).json.items()
                assert target.post("revoke", app, token=secret).status_code in (200, 400)
    assert target.works(loot["access token"])


def test_a_public_app_cannot_ask_about_tokens_even_its_own(target, pkce):
    asked, answered = pkce
    token = target.exchange(target.code("public-app", **asked), "public-app", **answered).json["access_token"]
    answer = target.post("introspect", "public-app", token=token)
    assert (answer.status_code, answer.json["error"]) == (401, "invalid_client")


def test_a_refresh_token_that_comes_again_ends_all_that_came_of_it(make_realm):
    realm = make_realm(behaviour={"oauth_rotate_refresh": True})
    first = realm.tokens()
    second = realm.refresh(first["refresh_token"]).json
    third = realm.refresh(second["refresh_token"]).json
    assert realm.refresh(first["refresh_token"]).json["error"] == "invalid_grant"
    for given in (first, second, third):
        assert not realm.works(given["access_token"])
        assert realm.refresh(given["refresh_token"]).json["error"] == "invalid_grant"


def test_authorization_code_needs_its_pkce_verifier(target, unmoved, pkce):
    challenge, right = pkce[0]["code_challenge"], pkce[1]["code_verifier"]
    hashed, plain = {"code_challenge_method": "S256"}, {"code_challenge_method": "plain"}
    wrong = [challenge, None, "", right[:-1], f"{right} ", right.upper(), "é\x00"]
    for asked, verifier in [*((hashed, row) for row in wrong), (plain, right), ({}, right)]:
        for app in ("public-app", "shop-app"):
            code = target.code(app, code_challenge=challenge, **asked)
            with unmoved(target):
                answer = target.exchange(code, app, code_verifier=verifier)
            assert (answer.status_code, answer.json["error"]) == (400, "invalid_grant"), (asked, verifier)


def test_a_verifier_without_a_challenge_shows_that_somebody_took_it_away(target, unmoved, pkce):
    code = target.code()
    with unmoved(target):
        assert target.exchange(code, **pkce[1]).json["error"] == "invalid_grant"
    assert target.exchange(code).status_code == 200


def test_an_app_proves_itself_by_basic_encoded_or_not_and_by_the_form(target):
    shop, secret = "shop-app", "s3cret"
    for header, form in (
        (basic(f"{shop}:{secret}"), {}), (basic("shop%2Dapp:s%33cret"), {"client_id": shop}),
        (basic(f"{shop}:{secret}").replace("Basic", "bASIC"), {}), ("", {"client_id": shop, "client_secret": secret}),
        ("Bearer x", {"client_id": shop, "client_secret": secret}),
    ):  # fmt: skip
        data = {"grant_type": "client_credentials", **form}
        assert target.open("POST", TOKEN, data=data, headers={"Authorization": header}).status_code == 200, header


# ---------------------------------------------------------------------- tokens

FOREIGN = rsa.generate_private_key(65_537, 2048)


@pytest.fixture
def token(target):
    return target.tokens(scope="openid account:read")["access_token"]


@pytest.fixture
def public_key(target):
    return jwt.PyJWK(target.open("GET", "/realms/partner/public-keys").json["keys"][0]).key


def refuses(target, token):
    assert target.call(token).status_code == 401
    assert target.call(token, path=USERINFO).status_code == 401
    assert target.post("introspect", token=token).json == {"active": False}
    assert target.post("revoke", token=token).status_code == 200
    return True


def by_hmac(form):
    """Signed with the public key as if it were a secret (CVE-2016-5431)."""

    def forge(header, claims, signature, key):
        secret = key.public_bytes(*form)
        signed = f"{encoded({'typ': 'JWT', 'alg': 'HS256', 'kid': header['kid']})}.{encoded(claims)}"
        return f"{signed}.{encoded(hmac.digest(secret, signed.encode(), hashlib.sha256))}"

    return forge


def by(key, algorithm="RS256", **more):
    def forge(header, claims, signature, public):
        return jwt.encode(claims, key, algorithm, headers={"kid": header["kid"], **more})

    return forge


def altered(change=lambda signature: signature, *, header=None, **claims):
    """With other claims, members of the header, or another signature."""

    def forge(genuine, content, signature, key):
        return f"{encoded(genuine | (header or {}))}.{encoded(content | claims)}.{change(signature)}"

    return forge


def unsigned(algorithm):
    return altered(lambda signature: "", header={"alg": algorithm})


FORGED = {
    "alg none": unsigned("none"),
    "alg None": unsigned("None"),
    "alg NONE": unsigned("NONE"),
    "no alg": unsigned(None),
    "alg of nothing": unsigned(""),
    "an alg that is a list": unsigned(["RS256"]),
    "an alg that is an object": unsigned({"RS256": 1}),
    "the public key as a secret": by_hmac((Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)),
    "the public key as another secret": by_hmac((Encoding.DER, PublicFormat.PKCS1)),
    "another key": by(FOREIGN),
    "another key by PS256": by(FOREIGN, "PS256"),
    "another key by RS512": by(FOREIGN, "RS512"),
    "another curve": by(ec.generate_private_key(ec.SECP256R1()), "ES256"),
    "another key in its header": by(
        FOREIGN, jwk=jwt.algorithms.RSAAlgorithm.to_jwk(FOREIGN.public_key(), as_dict=True)
    ),
    "another key by its address": by(FOREIGN, jku="http://127.0.0.1:9/keys", x5u="http://127.0.0.1:9/keys"),
    "more scopes": altered(scope="all"),
    "a longer life": altered(exp=32_503_680_000),
    "another user": altered(sub="owner@foreign.test"),
    "another workspace": altered(mock_workspace="other"),
    "another id": altered(jti="x"),
    "another header": altered(header={"x": 1}),
    "a critical header": altered(header={"crit": ["x"], "x": 1}),
    "a detached payload": altered(header={"b64": False, "crit": ["b64"]}),
    "another kid": altered(header={"kid": "../../../dev/null"}),
    "a kid that is a number": altered(header={"kid": 1}),
    "no signature": altered(lambda signature: ""),
    "half a signature": altered(lambda signature: signature[: len(signature) // 2]),
    "another signature": altered(lambda signature: signature[::-1]),
    "a signature that is no Base64": altered(lambda signature: "%" * 342),
}


def test_tokens_that_the_server_did_not_sign_are_refused(target, unmoved, token, public_key):
    header, claims, signature = token.split(".")
    with unmoved(target):
        for name, forge in FORGED.items():
            forged = forge(decoded(header), decoded(claims), signature, public_key)
            assert forged != token
            assert refuses(target, forged), name
    assert target.works(token)


def test_a_token_is_taken_from_the_header_only(target, token):
    for path in ("/v3/senders", USERINFO):
        assert target.open("GET", f"{path}?access_token={token}").status_code == 401
        assert target.open("GET", path, headers={"Cookie": f"access_token={token}"}).status_code == 401
    assert target.open("POST", "/v3/senders", data={"access_token": token}).status_code == 401


def test_a_token_of_a_workspace_that_is_gone_is_none(realm, other_workspace):
    token = other_workspace("one").tokens()["access_token"]
    assert realm.api.delete("/_mock/workspaces/one").status_code == 204
    assert realm.call(token).status_code == 401
    again = other_workspace("one")
    assert refuses(again, token)


@pytest.mark.parametrize(
    "asked",
    [
        {"scope": "account:read"},
        {"user": "clerk@group.test"},
        {"app": "other-app", "scope": "openid account:read account:write"},
    ],
)
def test_a_token_of_before_a_reset_stays_none_when_its_id_is_drawn_again(realm, asked):
    """A workspace's draws begin anew with a reset: the same ids may then stand for other grants."""
    before = realm.tokens(scope="openid account:read account:write")["access_token"]
    assert realm.api.post("/_mock/reset").status_code == 200
    after = realm.tokens(**{"scope": "openid account:read account:write", **asked})["access_token"]
    same = [jwt.decode(token, options={"verify_signature": False})["jti"] for token in (before, after)]
    assert same[0] == same[1]
    assert refuses(realm, before)
    assert realm.works(after)


# ---------------------------------------------------------------------- forms and pages


@pytest.fixture
def before_sign_in(target, make_visitor):
    visitor = make_visitor(target)
    visitor.visit(QUESTION)
    return visitor


@pytest.fixture
def before_consent(target, make_visitor):
    visitor = make_visitor(target)
    visitor.visit(SIGNED_IN)
    return visitor


def refused(answer, status):
    return (answer.status_code, answer.mimetype, "Location" in answer.headers) == (status, "text/html", False)


ELSEWHERE = [
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": ""},
    {"Sec-Fetch-Site": "same-origin, cross-site"}, {"Sec-Fetch-Site": "SAME-ORIGIN"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, {"Origin": "https://evil.test"},
    {"Origin": "http://localhost.evil.test"}, {"Origin": "http://localhost:81"},
    {"Origin": "http://localhost@evil.test"}, {"Origin": "http://evil.test/http://localhost"}, {"Origin": "null"},
    {"Origin": ""}, {"Origin": "localhost"}, {"Origin": "http://"}, {"Origin": "http://["}, {"Origin": "http://[::1"},
    {"Origin": "http://localhost, https://evil.test"}, {"Origin": "\xff\xfe"},
]  # fmt: skip


def test_forms_of_other_sites_are_refused(target, unmoved, before_sign_in, before_consent):
    with unmoved(target):
        for headers in ELSEWHERE:
            for visitor, button in ((before_sign_in, "boss"), (before_consent, "Accept")):
                form = visitor.form
                assert refused(visitor.press(button, headers=headers), 403), headers
                visitor.form = form


def test_forms_of_the_site_itself_are_accepted(target, make_visitor):
    for headers in ({}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {"Origin": "http://localhost"}):
        visitor = make_visitor(target)
        visitor.visit(QUESTION)
        visitor.press("boss", headers=headers)
        assert visitor.press("Accept", headers=headers).headers["Location"].startswith(f"{HOME}?code="), headers


def test_forms_without_the_browsers_own_token_or_cookie_are_refused(target, unmoved, before_sign_in, before_consent):
    with unmoved(target):
        for token in (None, "", "x", "a" * 32, "é" * 32, "\x00", "b" * 100_000):
            for visitor, button in ((before_sign_in, "boss"), (before_consent, "Refuse")):
                form = visitor.form
                assert refused(visitor.press(button, csrf=token), 403), token
                visitor.form = form
        for cookie in (None, "", "x", "a" * 32, "\xff"):
            form = before_consent.form
            before_consent.client.delete_cookie("mockserver_csrf")
            if cookie is not None:
                before_consent.client.set_cookie("mockserver_csrf", cookie)
            assert refused(before_consent.press("Accept"), 403), cookie
            before_consent.form = form


def test_a_browser_chooses_no_token_that_is_not_of_our_form(target):
    answer = target.open("GET", QUESTION, headers={"Cookie": 'mockserver_csrf="><script>alert(1)</script>'})
    assert re.fullmatch(
        r"mockserver_csrf=[0-9A-Za-z]{32}; Path=/; HttpOnly; SameSite=Lax", answer.headers["Set-Cookie"]
    )
    assert "<script>" not in answer.text


def test_csrf_token_of_another_browser_is_refused(target, unmoved, before_consent, make_visitor):
    other = make_visitor(target)
    other.visit(QUESTION)
    with unmoved(target):
        assert refused(before_consent.press("Accept", csrf=other.form.hidden["csrf"]), 403)


@pytest.mark.parametrize("reloads", [False, True])
def test_ticket_of_another_browser_is_refused(target, unmoved, before_consent, make_visitor, reloads):
    if reloads:
        assert target.api.put("/_mock/state", json=target.api.get("/_mock/state").json).status_code == 200
    thief = make_visitor(target)
    thief.visit(SIGNED_IN)
    form = thief.form
    with unmoved(target):
        for decision in ("Accept", "Refuse"):
            thief.form = form
            assert refused(thief.press(decision, ticket=before_consent.form.hidden["ticket"]), 410)
    assert before_consent.press("Accept").status_code == 302


def test_consent_ticket_works_once(target, unmoved, before_consent):
    form = before_consent.form
    assert before_consent.press("Accept").status_code == 302
    with unmoved(target):
        for decision in ("Accept", "Refuse"):
            before_consent.form = form
            assert refused(before_consent.press(decision), 410)


def test_consent_needs_a_valid_decision(target, unmoved, before_consent):
    form = before_consent.form
    with unmoved(target):
        for decision in (None, "", "ACCEPT", "yes", "accept\n", "refuse accept"):
            before_consent.form = form
            assert refused(before_consent.press("Accept", decision=decision), 400), decision


def test_consent_form_of_another_workspace_is_refused(realm, other_workspace, unmoved, make_visitor):
    other = other_workspace("other")
    visitor = make_visitor(realm)
    visitor.visit(SIGNED_IN)
    visitor.form.action = f"/w/other{visitor.form.action}"
    with unmoved(realm), unmoved(other):
        assert refused(visitor.press("Accept"), 410)


def test_the_way_back_is_looked_at_again_when_it_is_taken(realm, unmoved, make_visitor):
    """The app may have been changed while the question waited."""
    visitor = make_visitor(realm)
    visitor.visit(SIGNED_IN)
    change = {"redirect_uris": ["https://app.test/elsewhere"]}
    assert realm.api.put("/_mock/oauth/apps/shop-app", json=change).status_code == 200
    with unmoved(realm):
        assert refused(visitor.press("Accept"), 410)


@pytest.mark.parametrize(
    "uri", [None, "https://evil.test/", "javascript:alert(1)", f"{HOME}\r\nSet-Cookie: a=b"], ids=ascii
)
def test_a_written_state_that_leads_elsewhere_is_not_believed(realm, unmoved, make_visitor, uri):
    visitor = make_visitor(realm)
    visitor.visit(SIGNED_IN)
    state = realm.api.get("/_mock/state").json
    state["accounts"][0]["oauth_grants"][0]["redirect_uri"] = uri
    assert realm.api.put("/_mock/state", json=state).status_code == 200
    with unmoved(realm):
        assert refused(visitor.press("Accept"), 410)


def guarded(answer):
    """Whether an answer to a browser lets it do nothing but what it is there for."""
    policy = dict(part.strip().partition(" ")[::2] for part in answer.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert answer.status_code == 302 or policy["base-uri"] == "'none'"
    assert not {"script-src", "script-src-elem", "connect-src", "object-src"} & policy.keys()
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.content_type == "text/html; charset=utf-8"
    assert "access-control-allow-origin" not in answer.headers
    return True


def test_every_page_and_redirection_is_guarded(target):
    asked = {"email": "boss@group.test"}
    token = target.api.post("/v3/corporate/ssoToken", key="key-group", json=asked).json["token"]
    for path, status in [
        (QUESTION, 200), (SIGNED_IN, 200), (f"{SIGNED_IN}&mock_consent=accept", 302),
        (f"{SIGNED_IN}&mock_consent=refuse", 302), (f"{QUESTION}&response_type=token", 302),
        (f"{QUESTION}&mock_user=nobody", 400), (f"{OAUTH}/authorize", 400), ("/account/login/corporate/sso/x", 404),
        ("/account/login/sub-account/sso/x", 404), ("/account/nothing", 404), ("/shared/x", 404),
        ("/shared/x/content", 404), ("/w/nowhere/shared/x", 404), (f"/account/login/corporate/sso/{token}", 200),
    ]:  # fmt: skip
        answer = target.open("GET", path)
        assert answer.status_code == status, path
        assert guarded(answer)


def test_answers_to_forms_are_guarded(target, make_visitor):
    visitor = make_visitor(target)
    visitor.visit(QUESTION)
    assert guarded(visitor.press("boss"))
    assert guarded(visitor.press("Accept"))
    visitor.visit(QUESTION)
    assert guarded(visitor.press("boss", csrf="x"))


def test_strange_hosts_give_no_strange_pages(target):
    for host in ("[", "[::1", "a b", "<script>", "a;b", "", "@", "é", "evil.test", "x:99999"):
        for path in (QUESTION, SIGNED_IN, f"{OAUTH}/authorize", "/w/nowhere/shared/x"):
            answer = target.open("GET", path, headers={"Host": host.encode().decode("latin-1")})
            assert answer.status_code in (200, 400, 404), host
            assert guarded(answer)
            assert "<script>" not in answer.text


@pytest.fixture
def compared(monkeypatch):
    """All that is compared in a time that tells nothing."""
    found = []
    genuine = hmac.compare_digest

    def compare(one, other):
        found.append({bytes(one), bytes(other)})
        return genuine(one, other)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    return found


def test_secrets_are_compared_in_constant_time(realm, make_realm, make_visitor, compared, pkce):
    """Those of apps by either way, verifiers by either method, the tokens of forms, and passwords."""
    for more, headers in (({}, {"Authorization": basic("shop-app:guess")}), ({"client_secret": "guess"}, {})):
        data = {"client_id": "shop-app", "code": "x", **more}
        assert realm.open("POST", TOKEN, data=data, headers=headers).status_code == 401
        assert {b"guess", b"s3cret"} in compared
        compared.clear()
    challenge, verifier = pkce[0]["code_challenge"], pkce[1]["code_verifier"]
    for method, made in (("plain", verifier), ("S256", challenge)):
        code = realm.code("public-app", code_challenge=challenge, code_challenge_method=method)
        realm.exchange(code, "public-app", **pkce[1])
        assert {made.encode(), challenge.encode()} in compared
    visitor = make_visitor(realm)
    visitor.visit(SIGNED_IN)
    genuine = visitor.form.hidden["csrf"]
    assert visitor.press("Accept", csrf="guess").status_code == 403
    assert {b"guess", genuine.encode()} in compared
    visitor = make_visitor(make_realm(behaviour={"oauth_login": "form"}))
    visitor.visit(QUESTION)
    answer = visitor.press("Sign in", user="boss@group.test", password="guess")
    assert "The e-mail or the password is wrong." in answer.text
    assert {b"guess", b"right horse"} in compared
