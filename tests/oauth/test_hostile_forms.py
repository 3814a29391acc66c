"""Hostile forms: of other sites, of other browsers, of other workspaces, and of yesterday."""

from __future__ import annotations

import re

import pytest

HOME = "https://app.test/callback"
OAUTH = "/realms/partner/oauth"
QUESTION = f"{OAUTH}/authorize?client_id=shop-app&redirect_uri={HOME}&scope=account:read&state=s1"
SIGNED_IN = f"{QUESTION}&mock_user=boss@group.test"


@pytest.fixture
def before_sign_in(target, make_visitor):
    """A browser that is asked who it is."""
    visitor = make_visitor(target)
    visitor.visit(QUESTION)
    return visitor


@pytest.fixture
def before_consent(target, make_visitor):
    """A browser that is asked for consent."""
    visitor = make_visitor(target)
    visitor.visit(SIGNED_IN)
    return visitor


def refused(answer, status):
    return (answer.status_code, answer.mimetype, "Location" in answer.headers) == (status, "text/html", False)


# ---------------------------------------------------------------------- forms of others

ELSEWHERE = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": ""},
    {"Sec-Fetch-Site": "same-origin, cross-site"},
    {"Sec-Fetch-Site": "SAME-ORIGIN"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    {"Origin": "https://evil.test"},
    {"Origin": "http://localhost.evil.test"},
    {"Origin": "http://localhost:81"},
    {"Origin": "http://localhost@evil.test"},
    {"Origin": "http://evil.test/http://localhost"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "localhost"},
    {"Origin": "http://"},
    {"Origin": "http://["},
    {"Origin": "http://[::1"},
    {"Origin": "http://localhost, https://evil.test"},
    {"Origin": "\xff\xfe"},
]


@pytest.mark.parametrize("headers", ELSEWHERE, ids=str)
def test_a_form_of_another_site_is_refused(target, unmoved, before_sign_in, before_consent, headers):
    with unmoved(target):
        assert refused(before_sign_in.press("boss", headers=headers), 403)
        assert refused(before_consent.press("Accept", headers=headers), 403)


@pytest.mark.parametrize(
    "headers",
    [{}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {"Origin": "http://localhost"}],
    ids=str,
)
def test_a_form_of_ones_own_is_not(target, make_visitor, headers):
    visitor = make_visitor(target)
    visitor.visit(QUESTION)
    visitor.press("boss", headers=headers)
    assert visitor.press("Accept", headers=headers).headers["Location"].startswith(f"{HOME}?code=")


@pytest.mark.parametrize(
    "token", [None, "", "x", "a" * 32, "é" * 32, "\x00", "b" * 100_000], ids=lambda text: repr(text)[:9]
)
def test_a_form_without_the_browsers_own_token_is_refused(target, unmoved, before_sign_in, before_consent, token):
    with unmoved(target):
        assert refused(before_sign_in.press("boss", csrf=token), 403)
        assert refused(before_consent.press("Refuse", csrf=token), 403)


@pytest.mark.parametrize("cookie", [None, "", "x", "a" * 32, "\xff"], ids=ascii)
def test_a_form_without_the_browsers_own_cookie_is_refused(target, unmoved, before_consent, cookie):
    before_consent.client.delete_cookie("mockserver_csrf")
    if cookie is not None:
        before_consent.client.set_cookie("mockserver_csrf", cookie)
    with unmoved(target):
        assert refused(before_consent.press("Accept"), 403)


def test_an_empty_token_is_none_even_with_an_empty_cookie(target, unmoved, before_consent):
    before_consent.client.set_cookie("mockserver_csrf", "")
    with unmoved(target):
        assert refused(before_consent.press("Accept", csrf=""), 403)


def test_a_browser_chooses_no_token_that_is_not_of_our_form(target):
    answer = target.open("GET", QUESTION, headers={"Cookie": 'mockserver_csrf="><script>alert(1)</script>'})
    assert re.fullmatch(
        r"mockserver_csrf=[0-9A-Za-z]{32}; Path=/; HttpOnly; SameSite=Lax", answer.headers["Set-Cookie"]
    )
    assert "<script>" not in answer.text


def test_the_token_of_another_browser_is_none(target, unmoved, before_consent, make_visitor):
    other = make_visitor(target)
    other.visit(QUESTION)
    with unmoved(target):
        assert refused(before_consent.press("Accept", csrf=other.form.hidden["csrf"]), 403)


def test_the_ticket_of_another_browser_is_none(target, unmoved, before_consent, make_visitor):
    thief = make_visitor(target)
    thief.visit(SIGNED_IN)
    form = thief.form
    with unmoved(target):
        for decision in ("Accept", "Refuse"):
            thief.form = form
            assert refused(thief.press(decision, ticket=before_consent.form.hidden["ticket"]), 410)
    assert before_consent.press("Accept").status_code == 302


def test_the_ticket_of_another_browser_is_none_after_the_workspace_was_written_and_read(
    target, unmoved, before_consent, make_visitor
):
    state = target.api.get("/_mock/state").json
    assert target.api.put("/_mock/state", json=state).status_code == 200
    ticket = before_consent.form.hidden["ticket"]
    thief = make_visitor(target)
    thief.visit(SIGNED_IN)
    with unmoved(target):
        assert refused(thief.press("Accept", ticket=ticket), 410)
    assert before_consent.press("Accept").status_code == 302


def test_a_ticket_is_answered_once(target, unmoved, before_consent):
    form = before_consent.form
    assert before_consent.press("Accept").status_code == 302
    with unmoved(target):
        for decision in ("Accept", "Refuse"):
            before_consent.form = form
            assert refused(before_consent.press(decision), 410)


def test_two_tabs_of_one_browser_are_answered_each_for_itself(before_consent):
    first = before_consent.form
    before_consent.visit(SIGNED_IN)
    assert "code=" in before_consent.press("Accept").headers["Location"]
    before_consent.form = first
    assert "error=access_denied" in before_consent.press("Refuse").headers["Location"]


@pytest.mark.parametrize("decision", [None, "", "ACCEPT", "yes", "accept\n", "refuse accept"], ids=ascii)
def test_no_answer_is_no_consent(target, unmoved, before_consent, decision):
    with unmoved(target):
        assert refused(before_consent.press("Accept", decision=decision), 400)


def test_a_question_waits_for_ten_minutes(realm, unmoved, make_visitor):
    visitor = make_visitor(realm)
    visitor.visit(SIGNED_IN)
    realm.advance("PT10M")
    with unmoved(realm):
        assert refused(visitor.press("Accept"), 410)


def test_a_form_of_one_workspace_does_nothing_in_another(realm, other_workspace, unmoved, make_visitor):
    other = other_workspace("other")
    visitor = make_visitor(realm)
    visitor.visit(SIGNED_IN)
    visitor.form.action = f"/w/other{visitor.form.action}"
    with unmoved(realm), unmoved(other):
        assert refused(visitor.press("Accept"), 410)


@pytest.mark.parametrize(
    "person", [None, "", "boss@group.test", "1003001 nobody@group.test", "1003003 boss@group.test"]
)
def test_nobody_signs_in_who_is_not_there(target, unmoved, before_sign_in, person):
    with unmoved(target):
        answer = before_sign_in.press("boss", person=person)
    assert (answer.status_code, "There is no such user here." in answer.text) == (200, True)


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
