"""The pages between the question and the way back: signing in, and letting the app in or not."""

from __future__ import annotations

import pytest


@pytest.fixture
def asking(make_realm):
    return make_realm(behaviour={"oauth_login": "form"})


@pytest.fixture
def caller(asking, make_visitor, question):
    visitor = make_visitor(asking)
    visitor.visit(question())
    return visitor


def test_the_way_through_both_pages_gives_a_code(realm, visitor, question):
    visitor.visit(question())
    visitor.press("boss@group.test")
    told = realm.told(visitor.press("Accept"))

    assert told["state"] == "s1"
    tokens = realm.exchange(told["code"]).json
    assert tokens["scope"] == "account:read contacts:read"
    assert realm.works(tokens["access_token"])


def test_the_sign_in_page_names_the_app_and_all_users_those_first_who_can_let_it_in(visitor, question):
    visitor.visit(question())

    assert "Sign in to go on to Shop App" in visitor.form.words
    assert [words.split()[0] for words in visitor.form.buttons] == [
        "boss@group.test", "clerk@group.test", "keeper@shop.test", "both@people.test", "owner@foreign.test",
        "both@people.test",
    ]  # fmt: skip
    assert "group (master, admin)" in next(iter(visitor.form.buttons))
    assert ["of another organization" in words for words in visitor.form.buttons] == [False] * 4 + [True] * 2
    assert visitor.form.asked == []


def test_the_consent_page_says_who_is_asked_for_what_and_by_whom(visitor, question):
    visitor.visit(question())
    visitor.press("keeper@shop.test")

    words = visitor.form.words
    for said in (
        "Shop App asks for access", "keeper@shop.test", "in the account shop", "app.test",
        "See your account, senders, domains and inbound e-mails", "account:read",
        "See your contacts, their lists and attributes", "contacts:read",
    ):  # fmt: skip
        assert said in words
    assert "account:write" not in words
    assert list(visitor.form.buttons) == ["Accept", "Refuse"]


def test_the_user_who_is_chosen_is_the_one_who_signs_in(realm, visitor, question):
    """Where one address is a user of two accounts, the account counts."""
    visitor.visit(question("public-app", code_challenge="x" * 43, code_challenge_method="plain"))
    visitor.press("both@people.test foreign")
    code = realm.told(visitor.press("Accept"))["code"]

    token = realm.exchange(code, "public-app", code_verifier="x" * 43).json["access_token"]

    assert [row["email"] for row in realm.call(token).json["senders"]] == ["news@foreign.test"]
    assert realm.logs("key-foreign") == [("login-success", "both@people.test")]
    assert realm.logs("key-shop") == []


def test_a_foreign_user_of_a_private_app_is_told_to_it(realm, visitor, question):
    for chosen in ["owner@foreign.test", "both@people.test foreign"]:
        visitor.visit(question())

        assert realm.told(visitor.press(chosen))["error"] == "access_denied"


def test_unknown_person_is_not_signed_in(realm, visitor, question):
    for person in [None, "", "nobody", "1003001", "1003001 owner@foreign.test", "9 boss@group.test"]:
        visitor.visit(question())
        answer = visitor.press("boss@group.test", person=person)

        assert answer.status_code == 200
        assert "There is no such user here." in visitor.form.words
        assert realm.logs() == []


def test_an_account_without_users_has_its_own_address(make_realm, make_visitor, story, question):
    account = {"name": "group", "email": "alone@group.test", "users": []}
    realm = make_realm(accounts=[account], oauth_apps=story["oauth_apps"][:1])
    visitor = make_visitor(realm)
    visitor.visit(question())

    assert [words.split()[0] for words in visitor.form.buttons] == ["alone@group.test"]


def test_a_bad_question_is_refused_when_the_form_comes_as_well(realm, visitor, question):
    """The address may have been changed meanwhile, or the app."""
    visitor.visit(question())
    form = {**visitor.form.hidden, "person": "1003001 boss@group.test"}

    assert visitor.client.post(question("nobody"), data=form).status_code == 400
    assert realm.told(visitor.client.post(question(scope="all"), data=form))["error"] == "invalid_scope"
    assert realm.logs() == []


def test_password_page_lists_no_users(caller):
    assert caller.form.asked == ["user", "password"]
    assert "boss@group.test" not in caller.form.words


@pytest.mark.parametrize(
    ("user", "password"),
    [
        ("boss@group.test", "right horse"), ("BOSS@group.test", "right horse"), ("clerk@group.test", "anything"),
        ("keeper@shop.test", "open sesame"),
    ],
)  # fmt: skip
def test_the_right_password_signs_in_and_any_where_the_scenario_gives_none(asking, caller, user, password):
    caller.press("Sign in", user=user, password=password)

    assert asking.told(caller.press("Accept"))["code"]


def test_a_wrong_password_shows_the_page_again(asking, caller):
    for user, password in (
        ("boss@group.test", "wrong horse"), ("boss@group.test", "right horse "), ("boss@group.test", ""),
        ("boss@group.test", None), ("clerk@group.test", ""), ("nobody@group.test", "right horse"), ("", "right horse"),
        (None, None),
    ):  # fmt: skip
        answer = caller.press("Sign in", user=user, password=password)

        assert answer.status_code == 200, (user, password)
        assert "The e-mail or the password is wrong." in caller.form.words
        assert caller.form.asked == ["user", "password"]
        assert not password or password not in answer.text
    assert set(asking.logs()) == {("login-failed", "boss@group.test")}
    assert [asking.logs(key) for key in ("key-shop", "key-foreign")] == [[], []]


def test_password_selects_the_account_among_users_with_one_address(make_realm, make_visitor, question, story):
    for account, password in (("shop", "first"), ("foreign", "second")):
        (row,) = (row for row in story["accounts"] if row["name"] == account)
        row["users"] = [{"email": "both@people.test", "password": password}]
    realm = make_realm(behaviour={"oauth_login": "form"}, accounts=story["accounts"])
    visitor = make_visitor(realm)
    visitor.visit(question("public-app", code_challenge="x" * 43, scope="account:read"))

    visitor.press("Sign in", user="both@people.test", password="second")

    assert "in the account foreign" in visitor.form.words
    assert realm.logs("key-foreign") == [("login-success", "both@people.test")]


def test_after_a_wrong_password_the_right_one_still_works(asking, caller):
    caller.press("Sign in", user="boss@group.test", password="wrong")
    asking.advance("PT1S")
    caller.press("Sign in", user="boss@group.test", password="right horse")

    assert asking.told(caller.press("Accept"))["code"]
    assert asking.logs() == [("login-success", "boss@group.test"), ("login-failed", "boss@group.test")]


def test_a_workspace_that_wants_passwords_takes_no_choice(asking, caller):
    caller.press("Sign in", person="1003001 boss@group.test")

    assert "The e-mail or the password is wrong." in caller.form.words
    assert asking.logs() == []


REALM = "/realms/partner/oauth"


@pytest.mark.parametrize(("later", "status"), [("PT9M59S", 302), ("PT10M", 410)])
def test_a_question_waits_ten_minutes(realm, visitor, later, status, question):
    visitor.visit(question(mock_user="boss@group.test"))
    realm.advance(later)

    assert visitor.press("Accept").status_code == status


def test_two_windows_of_one_browser_both_work(realm, visitor, make_visitor, question):
    """The later page's token is that of the earlier one."""
    other = make_visitor(realm, visitor.client)
    visitor.visit(question(mock_user="boss@group.test"))
    other.visit(question(mock_user="clerk@group.test", state="s2"))

    assert realm.told(visitor.press("Accept"))["state"] == "s1"
    assert realm.told(other.press("Accept"))["state"] == "s2"


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


def test_content_security_policy_limits_where_forms_lead(visitor, question):
    for more, status in [({}, 200), ({"mock_user": "boss@group.test"}, 200), ({"client_id": "nobody"}, 400)]:
        answer = visitor.visit(question(**more))

        assert answer.status_code == status
        policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
        # An app may send its users on from where they come back, and a browser looks at the whole way.
        leads = "'self' http: https:" if status == 200 else "'none'"
        assert policy["form-action"] == leads
        assert policy["base-uri"] == "'none'"
