"""What keeps pages and secrets from those who only look: the headers of every page, and comparing in constant time."""

from __future__ import annotations

import hmac

import pytest

HOME = "https://app.test/callback"
OAUTH = "/realms/partner/oauth"
QUESTION = f"{OAUTH}/authorize?client_id=shop-app&redirect_uri={HOME}&scope=account:read&state=s1"
SIGNED_IN = f"{QUESTION}&mock_user=boss@group.test"


# ---------------------------------------------------------------------- what browsers are told


def guarded(answer):
    """Whether an answer to a browser lets it do nothing but what it is there for."""
    policy = dict(part.strip().partition(" ")[::2] for part in answer.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert not {"script-src", "script-src-elem", "connect-src", "object-src"} & policy.keys()
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.content_type == "text/html; charset=utf-8"
    assert "access-control-allow-origin" not in answer.headers
    return True


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (QUESTION, 200),
        (SIGNED_IN, 200),
        (f"{SIGNED_IN}&mock_consent=accept", 302),
        (f"{SIGNED_IN}&mock_consent=refuse", 302),
        (f"{QUESTION}&response_type=token", 302),
        (f"{QUESTION}&mock_user=nobody", 400),
        (f"{OAUTH}/authorize", 400),
        ("/account/login/corporate/sso/x", 404),
        ("/account/login/sub-account/sso/x", 404),
        ("/account/nothing", 404),
        ("/shared/x", 404),
        ("/shared/x/content", 404),
        ("/w/nowhere/shared/x", 404),
    ],
)
def test_every_page_and_redirection_is_guarded(target, path, status):
    answer = target.open("GET", path)
    assert answer.status_code == status
    assert guarded(answer)


def test_answers_to_forms_are_guarded(target, make_visitor):
    visitor = make_visitor(target)
    visitor.visit(QUESTION)
    assert guarded(visitor.press("boss"))
    assert guarded(visitor.press("Accept"))
    visitor.visit(QUESTION)
    assert guarded(visitor.press("boss", csrf="x"))


@pytest.mark.parametrize(
    "host", ["[", "[::1", "a b", "<script>", "a;b", "", "@", "é", "evil.test", "x:99999"], ids=ascii
)
def test_a_strange_host_gives_no_strange_page(target, host):
    for path in (QUESTION, SIGNED_IN, f"{OAUTH}/authorize", "/w/nowhere/shared/x"):
        answer = target.open("GET", path, headers={"Host": host.encode().decode("latin-1")})
        assert answer.status_code in (200, 400, 404)
        assert guarded(answer)
        assert "<script>" not in answer.text


# ---------------------------------------------------------------------- how secrets are compared


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


@pytest.mark.parametrize("basic", [True, False])
def test_client_secrets_are_compared_in_constant_time(realm, compared, basic):
    form = {} if basic else {"client_secret": "guess"}
    headers = {"Authorization": "Basic c2hvcC1hcHA6Z3Vlc3M="} if basic else {}
    answer = realm.open("POST", f"{OAUTH}/token", data=form | {"client_id": "shop-app", "code": "x"}, headers=headers)
    assert answer.status_code == 401
    assert {b"guess", b"s3cret"} in compared


@pytest.mark.parametrize("method", ["plain", "S256"])
def test_verifiers_are_compared_in_constant_time(realm, compared, pkce, method):
    challenge = pkce[0]["code_challenge"]
    code = realm.code("public-app", code_challenge=challenge, code_challenge_method=method)
    realm.exchange(code, "public-app", **pkce[1])
    made = challenge if method == "S256" else pkce[1]["code_verifier"]
    assert {made.encode(), challenge.encode()} in compared


def test_tokens_of_forms_are_compared_in_constant_time(target, make_visitor, compared):
    visitor = make_visitor(target)
    visitor.visit(SIGNED_IN)
    genuine = visitor.form.hidden["csrf"]
    assert visitor.press("Accept", csrf="guess").status_code == 403
    assert {b"guess", genuine.encode()} in compared


def test_passwords_are_compared_in_constant_time(make_realm, make_visitor, compared):
    visitor = make_visitor(make_realm(behaviour={"oauth_login": "form"}))
    visitor.visit(QUESTION)
    answer = visitor.press("Sign in", user="boss@group.test", password="guess")
    assert "The e-mail or the password is wrong." in answer.text
    assert {b"guess", b"right horse"} in compared
