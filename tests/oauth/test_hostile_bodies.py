"""Hostile bodies: what is no form, or too much of one, or not even in the body."""

from __future__ import annotations

import json

import pytest

OAUTH = "/realms/partner/oauth"
TOKEN = f"{OAUTH}/token"


def short(value):
    text = ascii(value)
    return text if len(text) < 80 else f"{text[:20]} and so on till {text[-40:]}, {len(text)}"


@pytest.fixture
def code(target):
    """A code that is good."""
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
def test_what_is_no_form_is_refused(target, unmoved, body, kind):
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
