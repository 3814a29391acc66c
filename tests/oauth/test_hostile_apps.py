"""Hostile apps: stolen secrets, secrets in the wrong place, and malformed or huge bodies."""

from __future__ import annotations

import json
from base64 import b64encode

import jwt
import pytest

HOME = "https://app.test/callback"
OAUTH = "/realms/partner/oauth"
TOKEN = f"{OAUTH}/token"


def short(value):
    text = ascii(value)
    return text if len(text) < 80 else f"{text[:20]} and so on till {text[-40:]}, {len(text)}"


def claims_of(token):
    return jwt.decode(token, options={"verify_signature": False})


@pytest.fixture
def loot(target, make_visitor):
    """One of all that opens something, all of the same app, and nothing else."""
    target.api.post("/_mock/reset")
    visitor = make_visitor(target)
    asked = f"client_id=shop-app&redirect_uri={HOME}&scope=account:read&mock_user=boss@group.test"
    visitor.visit(f"{OAUTH}/authorize?{asked}")
    first = target.tokens(scope="openid account:read")
    second = target.refresh(first["refresh_token"]).json
    return {
        "ticket": visitor.form.hidden["ticket"],
        "code": target.code(),
        "access token": first["access_token"],
        "its id": claims_of(first["access_token"])["jti"],
        "id token": first["id_token"],
        "refresh token": second["refresh_token"],
        "spent token": first["refresh_token"],
        "client id": "shop-app",
        "client secret": "s3cret",
        "csrf": visitor.form.hidden["csrf"],
        "grant": "1",
        "api key": "key-group",
    }


KINDS = ["ticket", "code", "access token", "its id", "id token", "refresh token", "spent token", "client id",
         "client secret", "csrf", "grant", "api key"]  # fmt: skip


def but(*kinds):
    return [kind for kind in KINDS if kind not in kinds]


@pytest.mark.parametrize("kind", but("code"))
def test_other_secrets_are_refused_as_codes(target, unmoved, loot, kind):
    with unmoved(target):
        answer = target.exchange(loot[kind])
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_grant")


@pytest.mark.parametrize("kind", but("refresh token", "spent token"))
def test_other_secrets_are_refused_as_refresh_tokens(target, unmoved, loot, kind):
    with unmoved(target):
        answer = target.refresh(loot[kind])
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_grant")


@pytest.mark.parametrize("kind", but("access token"))
def test_other_secrets_are_refused_as_access_tokens(target, unmoved, loot, kind):
    with unmoved(target):
        for path in ("/v3/senders", f"{OAUTH}/userinfo"):
            assert target.call(loot[kind], path=path).status_code == 401


@pytest.mark.parametrize("kind", but("access token", "refresh token", "spent token"))
def test_other_secrets_cannot_be_revoked_or_introspected(target, unmoved, loot, kind):
    with unmoved(target):
        assert target.post("revoke", token=loot[kind]).status_code == 200
        assert target.post("introspect", token=loot[kind]).json == {"active": False}


@pytest.mark.parametrize("kind", but("ticket"))
def test_other_secrets_are_refused_as_tickets(target, unmoved, loot, make_visitor, kind):
    visitor = make_visitor(target)
    visitor.visit(f"{OAUTH}/authorize?client_id=shop-app&redirect_uri={HOME}&scope=openid&mock_user=boss@group.test")
    with unmoved(target):
        answer = visitor.press("Accept", ticket=loot[kind])
    assert (answer.status_code, "Location" in answer.headers) == (410, False)


@pytest.mark.parametrize("kind", but("client secret"))
def test_other_secrets_are_refused_as_client_secrets(target, unmoved, loot, kind):
    with unmoved(target):
        answer = target.exchange(loot["code"], client_secret=loot[kind])
    assert (answer.status_code, answer.json["error"]) == (401, "invalid_client")


@pytest.mark.parametrize("app", ["other-app", "foreign-app", "public-app"])
def test_an_app_can_do_nothing_with_what_another_one_was_given(target, unmoved, loot, app):
    with unmoved(target):
        for kind in KINDS:
            assert target.exchange(loot[kind], app).json["error"] == "invalid_grant"
            assert target.refresh(loot[kind], app).json["error"] == "invalid_grant"
            answer = target.post("introspect", app, token=loot[kind]).json
            assert answer == {"active": False} or (app, answer["error"]) == ("public-app", "invalid_client")
            assert target.post("revoke", app, token=loot[kind]).status_code in (200, 400)
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


VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


@pytest.mark.parametrize(
    ("asked", "verifier"),
    [
        pytest.param({"code_challenge_method": "S256"}, CHALLENGE, id="the challenge itself"),
        pytest.param({"code_challenge_method": "S256"}, None, id="none"),
        pytest.param({"code_challenge_method": "S256"}, "", id="an empty one"),
        pytest.param({"code_challenge_method": "S256"}, VERIFIER[:-1], id="a shorter one"),
        pytest.param({"code_challenge_method": "S256"}, f"{VERIFIER} ", id="a longer one"),
        pytest.param({"code_challenge_method": "S256"}, VERIFIER.upper(), id="another case"),
        pytest.param({"code_challenge_method": "S256"}, "é\x00", id="no ASCII"),
        pytest.param({"code_challenge_method": "plain"}, VERIFIER, id="what a plain one is the hash of"),
        pytest.param({}, VERIFIER, id="plain is what is meant without a method"),
    ],
)
def test_a_code_is_nothing_without_its_verifier(target, unmoved, asked, verifier):
    for app in ("public-app", "shop-app"):
        code = target.code(app, code_challenge=CHALLENGE, **asked)
        with unmoved(target):
            answer = target.exchange(code, app, code_verifier=verifier)
        assert (answer.status_code, answer.json["error"]) == (400, "invalid_grant")


def test_a_verifier_without_a_challenge_shows_that_somebody_took_it_away(target, unmoved):
    code = target.code()
    with unmoved(target):
        assert target.exchange(code, code_verifier=VERIFIER).json["error"] == "invalid_grant"
    assert target.exchange(code).status_code == 200


def basic(text):
    return "Basic " + b64encode(text if isinstance(text, bytes) else text.encode()).decode()


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


@pytest.mark.parametrize(
    ("header", "form", "status"), [*((*row, 400) for row in TWICE), *((*row, 401) for row in WRONG)], ids=short
)
def test_an_app_proves_itself_in_one_way_and_rightly(target, unmoved, loot, header, form, status):
    headers = {"Authorization": header} if header else {}
    kind = "application/x-www-form-urlencoded"
    with unmoved(target):
        token = f"token={loot['refresh token']}"
        for address, asked in (("token", f"code={loot['code']}"), ("revoke", token), ("introspect", token)):
            data = f"{asked}&{form}".rstrip("&")
            answer = target.open("POST", f"{OAUTH}/{address}", data=data, content_type=kind, headers=headers)
            error = "invalid_client" if status == 401 else "invalid_request"
            assert (answer.status_code, answer.json["error"]) == (status, error)
            assert ("WWW-Authenticate" in answer.headers) == (status == 401)


@pytest.fixture
def code(target):
    return target.code()


MULTIPART = "--x\r\nContent-Disposition: form-data; name=client_id\r\n\r\nshop-app\r\n--x--"
FORM = "application/x-www-form-urlencoded"
GOOD = "client_id=shop-app&client_secret=s3cret&grant_type=client_credentials"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
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
    ],
    ids=short,
)  # fmt: skip
def test_malformed_form_is_refused(target, unmoved, body, kind):
    with unmoved(target):
        answer = target.open("POST", TOKEN, data=body, content_type=kind)
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_request")
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("name", ["code", "client_secret", "redirect_uri", "code_verifier", "grant_type", "x"])
def test_a_huge_member_is_just_a_wrong_one(target, unmoved, name):
    form = {"code": "x", name: "a" * 1_000_000}
    with unmoved(target):
        answer = target.post("token", **form)
    assert answer.status_code in (400, 401)
    assert len(answer.data) < 1_000


def test_a_body_over_the_limit_is_refused_in_the_words_of_oauth(target, unmoved):
    with unmoved(target):
        answer = target.open("POST", TOKEN, data="x=" + "a" * 20_000_000, content_type=FORM)
    assert (answer.status_code, answer.json["error"]) == (413, "invalid_request")


@pytest.mark.parametrize("address", ["token", "revoke", "introspect", "consent"])
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "TRACE"])
def test_secrets_are_posted_and_never_asked_for_by_an_address(target, unmoved, code, address, method):
    with unmoved(target):
        answer = target.open(method, f"{OAUTH}/{address}?{GOOD}&code={code}&token={code}")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_a_query_beside_the_form_counts_for_nothing(target, unmoved, code):
    with unmoved(target):
        answer = target.open("POST", f"{TOKEN}?{GOOD}", data={"code": code})
    assert (answer.status_code, answer.json["error"]) == (401, "invalid_client")
