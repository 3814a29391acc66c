"""Hostile forms of other sites, browsers and workspaces; headers of pages; comparisons in constant time."""

from __future__ import annotations

import hmac
import re

import pytest

HOME = "https://app.test/callback"
OAUTH = "/realms/partner/oauth"
QUESTION = f"{OAUTH}/authorize?client_id=shop-app&redirect_uri={HOME}&scope=account:read&state=s1"
SIGNED_IN = f"{QUESTION}&mock_user=boss@group.test"


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
