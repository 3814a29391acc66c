"""The forms of the pages: answered once, sent by nobody else, and what the pages around them hold."""

from __future__ import annotations

import pytest

REALM = "/realms/partner/oauth"


# ---------------------------------------------------------------------- one answer to each question


def test_a_question_is_answered_once(realm, visitor, question):
    visitor.visit(question(mock_user="boss@group.test"))
    form = visitor.form
    code = realm.told(visitor.press("Accept"))["code"]
    visitor.form = form
    again = visitor.press("Refuse")

    assert again.status_code == 410
    assert "Location" not in again.headers
    assert realm.exchange(code).status_code == 200


@pytest.mark.parametrize(("later", "status"), [("PT9M59S", 302), ("PT10M", 410)])
def test_a_question_waits_ten_minutes(realm, visitor, later, status, question):
    visitor.visit(question(mock_user="boss@group.test"))
    realm.advance(later)

    assert visitor.press("Accept").status_code == status


@pytest.mark.parametrize("ticket", [None, "", "nonsense"])
def test_an_unknown_question_cannot_be_answered(visitor, ticket, question):
    visitor.visit(question(mock_user="boss@group.test"))

    assert visitor.press("Accept", ticket=ticket).status_code == 410


def test_a_code_is_no_ticket(realm, visitor, question):
    code = realm.code()
    visitor.visit(question(mock_user="boss@group.test"))

    assert visitor.press("Accept", ticket=code).status_code == 410


@pytest.mark.parametrize("decision", [None, "", "ACCEPT", "yes"])
def test_an_answer_is_one_of_two_and_another_leaves_the_question_open(realm, visitor, decision, question):
    visitor.visit(question(mock_user="boss@group.test"))
    form = visitor.form

    assert visitor.press("Accept", decision=decision).status_code == 400
    visitor.form = form
    assert realm.told(visitor.press("Accept"))["code"]


def test_two_windows_of_one_browser_both_work(realm, visitor, make_visitor, question):
    """The later page's token is that of the earlier one."""
    other = make_visitor(realm, visitor.client)
    visitor.visit(question(mock_user="boss@group.test"))
    other.visit(question(mock_user="clerk@group.test", state="s2"))

    assert realm.told(visitor.press("Accept"))["state"] == "s1"
    assert realm.told(other.press("Accept"))["state"] == "s2"


# ---------------------------------------------------------------------- forms that are not ours


@pytest.fixture(params=["sign-in", "consent"])
def waiting(request, realm, visitor, question):
    """A browser before one of the pages, and the words of a button there."""
    first = request.param == "sign-in"
    visitor.visit(question() if first else question(mock_user="boss@group.test"))
    return visitor, "boss@group.test" if first else "Accept"


def is_turned_away(answer):
    assert answer.status_code == 403, answer.text
    assert answer.content_type == "text/html; charset=utf-8"
    assert "Location" not in answer.headers
    return True


@pytest.mark.parametrize("token", [None, "", "x", "x" * 32, "é"])
def test_a_form_needs_its_token(waiting, token):
    visitor, button = waiting

    assert is_turned_away(visitor.press(button, csrf=token))


def test_a_form_needs_the_browser_that_the_page_was_shown_to(realm, waiting, make_visitor, question):
    visitor, button = waiting
    thief = make_visitor(realm)
    thief.form, thief._here = visitor.form, question()  # noqa: SLF001  # as if it had the page

    assert is_turned_away(thief.press(button))


def test_a_form_needs_the_token_of_this_browser_and_not_of_another(realm, waiting, make_visitor, question):
    visitor, button = waiting
    other = make_visitor(realm)
    other.visit(question())

    assert is_turned_away(visitor.press(button, csrf=other.form.hidden["csrf"]))


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.test"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
    ],
)
def test_a_form_from_another_site_is_turned_away(waiting, headers):
    visitor, button = waiting

    assert is_turned_away(visitor.press(button, headers=headers))


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://localhost"}])
def test_a_form_from_here_is_taken(waiting, headers):
    visitor, button = waiting

    assert visitor.press(button, headers=headers).status_code in (200, 302)


def test_a_form_that_is_turned_away_changes_nothing(realm, visitor, question):
    visitor.visit(question())
    visitor.press("boss@group.test", csrf="x")

    assert realm.logs() == []


def test_no_script_reads_the_cookie_and_no_other_site_sends_it(realm):
    cookie = realm.authorize().headers["Set-Cookie"]

    assert cookie.startswith("mockserver_csrf=")
    assert {part.strip() for part in cookie.split(";")[1:]} == {"Path=/", "HttpOnly", "SameSite=Lax"}


def test_the_forms_stay_in_their_workspace(realm, story, make_visitor, question):
    """Under the address of a workspace all that follows has it as well, the cookie included."""
    realm.api.post("/_mock/workspaces", json={"name": "side", "scenario": story})
    visitor = make_visitor(realm)

    first = visitor.visit(f"/w/side{question()}")
    assert "Path=/w/side;" in first.headers["Set-Cookie"]
    visitor.press("boss@group.test")
    assert visitor.form.action == f"/w/side{REALM}/consent"
    code = realm.told(visitor.press("Accept"))["code"]

    assert realm.exchange(code).status_code == 400
    credentials = {"client_id": "shop-app", "client_secret": "s3cret"}
    assert realm.open("POST", f"/w/side{REALM}/token", data={"code": code, **credentials}).status_code == 200


# ---------------------------------------------------------------------- what pages hold


def test_names_are_escaped_on_both_pages(make_realm, make_visitor, story, question):
    mean = "<script>alert(1)</script>\"'&"
    app = {**story["oauth_apps"][0], "name": mean}
    realm = make_realm(oauth_apps=[app])
    visitor = make_visitor(realm)

    answers = [visitor.visit(question()), visitor.press("boss@group.test")]

    for answer in answers:
        assert "<script" not in answer.text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text


@pytest.mark.parametrize(
    ("more", "status"),
    [({}, 200), ({"mock_user": "boss@group.test"}, 200), ({"client_id": "nobody"}, 400)],
    ids=["sign-in", "consent", "refusal"],
)
def test_pages_let_a_browser_do_nothing_else(visitor, more, status, question):
    answer = visitor.visit(question(**more))

    assert answer.status_code == status
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
    # An app may send its users on from where they come back, and a browser looks at the whole way.
    leads = "'self' http: https:" if status == 200 else "'none'"
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["form-action"] == leads
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "This is a" in answer.text
    assert "<script" not in answer.text
