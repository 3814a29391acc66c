"""Hostile apps: stolen secrets, secrets in the wrong place, and malformed or huge bodies."""

from __future__ import annotations

import json
from base64 import b64encode

import jwt
import pytest

HOME = "https://app.test/callback"
OAUTH = "/realms/partner/oauth"
TOKEN = f"{OAUTH}/token"


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
        "its id": jwt.decode(first["access_token"], options={"verify_signature": False})["jti"],
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
    visitor.visit(f"{OAUTH}/authorize?client_id=shop-app&redirect_uri={HOME}&scope=openid&mock_user=boss@group.test")
    form = visitor.form
    with unmoved(target):
        for kind, secret in loot.items():
            if kind != "code":
                assert target.exchange(secret).json["error"] == "invalid_grant", kind
            if kind not in ("refresh token", "spent token"):
                assert target.refresh(secret).json["error"] == "invalid_grant", kind
            if kind != "access token":
                for path in ("/v3/senders", f"{OAUTH}/userinfo"):
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
    challenge, good = pkce[0]["code_challenge"], pkce[1]["code_verifier"]
    hashed, plain = {"code_challenge_method": "S256"}, {"code_challenge_method": "plain"}
    wrong = [challenge, None, "", good[:-1], f"{good} ", good.upper(), "é\x00"]
    for asked, verifier in [*((hashed, row) for row in wrong), (plain, good), ({}, good)]:
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


def test_an_app_proves_itself_in_one_way_and_rightly(target, unmoved, loot):
    with unmoved(target):
        for header, form, status in [*((*row, 400) for row in TWICE), *((*row, 401) for row in WRONG)]:
            token = f"token={loot['refresh token']}"
            for address, asked in (("token", f"code={loot['code']}"), ("revoke", token), ("introspect", token)):
                headers = {"Authorization": header} if header else {}
                data = f"{asked}&{form}".rstrip("&")
                answer = target.open("POST", f"{OAUTH}/{address}", data=data, content_type=FORM, headers=headers)
                error = "invalid_client" if status == 401 else "invalid_request"
                assert (answer.status_code, answer.json["error"]) == (status, error), (header[:80], form)
                assert ("WWW-Authenticate" in answer.headers) == (status == 401)


def test_an_app_proves_itself_by_basic_encoded_or_not_and_by_the_form(target):
    shop, secret = "shop-app", "s3cret"
    for header, form in (
        (basic(f"{shop}:{secret}"), {}), (basic("shop%2Dapp:s%33cret"), {"client_id": shop}),
        (basic(f"{shop}:{secret}").replace("Basic", "bASIC"), {}), ("", {"client_id": shop, "client_secret": secret}),
        ("Bearer x", {"client_id": shop, "client_secret": secret}),
    ):  # fmt: skip
        data = {"grant_type": "client_credentials", **form}
        assert target.open("POST", TOKEN, data=data, headers={"Authorization": header}).status_code == 200, header


@pytest.fixture
def code(target):
    return target.code()


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


def test_malformed_forms_are_refused(target, unmoved):
    with unmoved(target):
        for body, kind in MALFORMED:
            answer = target.open("POST", TOKEN, data=body, content_type=kind)
            assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), (body[-80:], kind)
            assert answer.headers["Cache-Control"] == "no-store"


def test_huge_members_are_wrong_ones(target, unmoved):
    with unmoved(target):
        for name in ("code", "client_secret", "redirect_uri", "code_verifier", "grant_type", "x"):
            answer = target.post("token", **{"code": "x", name: "a" * 1_000_000})
            assert answer.status_code in (400, 401), name
            assert len(answer.data) < 1_000


def test_a_body_over_the_limit_is_refused_in_the_words_of_oauth(target, unmoved):
    with unmoved(target):
        answer = target.open("POST", TOKEN, data="x=" + "a" * 20_000_000, content_type=FORM)
    assert (answer.status_code, answer.json["error"]) == (413, "invalid_request")


def test_secrets_are_posted_and_never_asked_for_by_an_address(target, unmoved, code):
    with unmoved(target):
        for address in ("token", "revoke", "introspect", "consent"):
            for method in ("GET", "PUT", "PATCH", "DELETE", "TRACE"):
                answer = target.open(method, f"{OAUTH}/{address}?{GOOD}&code={code}&token={code}")
                assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_a_query_beside_the_form_counts_for_nothing(target, unmoved, code):
    with unmoved(target):
        answer = target.open("POST", f"{TOKEN}?{GOOD}", data={"code": code})
    assert (answer.status_code, answer.json["error"]) == (401, "invalid_client")
