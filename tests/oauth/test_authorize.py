"""The question of an app and the way back, without the pages (contract/oauth#oauthAuthorize)."""

from __future__ import annotations

import pytest

from mockserver.resources.oauth.model import Grant


def is_page(answer, status=400):
    """Whether an answer is a page, which leads nowhere."""
    assert answer.status_code == status, answer.text
    assert answer.content_type == "text/html; charset=utf-8"
    assert "Location" not in answer.headers
    return True


def is_sent_back(realm, answer, error, state="s1"):
    """Whether the app is told an error, in the words of RFC 6749, 4.1.2.1."""
    told = realm.told(answer)
    assert told.pop("error_description")
    assert told == {"error": error, "state": state} if state is not None else told == {"error": error}
    return True


# ---------------------------------------------------------------------- the way back


def test_consent_sends_the_user_back_with_code_and_state(realm):
    answer = realm.authorize(mock_user="boss@group.test", mock_consent="accept", state="s 1/é&x=y")

    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("https://app.test/callback?code=")
    assert set(realm.told(answer)) == {"code", "state"}
    assert realm.told(answer)["state"] == "s 1/é&x=y"


def test_refusal_sends_the_user_back_with_an_error(realm):
    answer = realm.authorize(mock_user="boss@group.test", mock_consent="refuse")

    assert is_sent_back(realm, answer, "access_denied")


@pytest.mark.parametrize("state", [None, ""])
@pytest.mark.parametrize("consent", ["accept", "refuse"])
def test_without_state_none_comes_back(realm, consent, state):
    answer = realm.authorize(mock_user="boss@group.test", mock_consent=consent, state=state)

    assert "state" not in realm.told(answer)


def test_a_registered_query_stays(realm):
    """RFC 6749, 3.1.2."""
    uri = "https://app.test/second?keep=1"
    answer = realm.authorize(mock_user="boss@group.test", mock_consent="accept", redirect_uri=uri)

    assert answer.headers["Location"].startswith(f"{uri}&code=")


def test_the_redirection_is_not_kept(realm):
    answer = realm.authorize(mock_user="boss@group.test", mock_consent="accept")

    assert answer.headers["Cache-Control"] == "no-store"


def test_each_consent_gives_a_code_of_its_own(realm):
    assert len({realm.code() for _ in range(5)}) == 5


@pytest.mark.parametrize("email", ["boss@group.test", "BOSS@Group.Test"])
def test_mock_user_is_compared_without_case(realm, email):
    assert realm.code(user=email)


# ---------------------------------------------------------------------- who asks, and where the answer goes


@pytest.mark.parametrize("client", [None, "", "nobody", "SHOP-APP", "shop-app "])
def test_an_unknown_app_gets_a_page(realm, client):
    answer = realm.authorize(client, mock_user="boss@group.test", mock_consent="accept")

    assert is_page(answer)


@pytest.mark.parametrize("uri", [None, "", "https://evil.test/", "https://app.test/callback/", "https://app.test"])
def test_an_address_that_is_not_registered_gets_a_page(realm, uri):
    """Even for an error: nobody is sent there."""
    for more in ({}, {"response_type": "token"}, {"scope": "nonsense"}):
        answer = realm.authorize(redirect_uri=uri, mock_user="boss@group.test", mock_consent="accept", **more)
        assert is_page(answer)


def test_an_app_without_addresses_can_ask_nobody(make_realm):
    realm = make_realm(oauth_apps=[{"client_id": "mute", "client_secret": "s"}])

    assert is_page(realm.authorize("mute", mock_user="boss@group.test", mock_consent="accept"))


def test_a_refused_question_makes_no_code(realm):
    realm.authorize(redirect_uri="https://evil.test/", mock_user="boss@group.test", mock_consent="accept")

    assert not [row for account in realm.api.workspace.state.accounts.values() for row in account.table(Grant)]


# ---------------------------------------------------------------------- what is asked for


@pytest.mark.parametrize("kind", [None, ""])
def test_response_type_may_be_absent(realm, kind):
    """The specification does not list it."""
    assert realm.code(response_type=kind)


@pytest.mark.parametrize("kind", ["token", "code token", "id_token", "CODE"])
def test_another_response_type_is_told_to_the_app(realm, kind):
    answer = realm.authorize(response_type=kind, mock_user="boss@group.test", mock_consent="accept")

    assert is_sent_back(realm, answer, "unsupported_response_type")


@pytest.mark.parametrize(
    "scope",
    [None, "", " ", "nonsense", "account:read nonsense", "Account:read", "webhooks:read", "all", "account:read,all"],
)
def test_a_scope_that_the_app_may_not_ask_for_is_told_to_it(realm, scope):
    answer = realm.authorize(scope=scope, mock_user="boss@group.test", mock_consent="accept")

    assert is_sent_back(realm, answer, "invalid_scope")


def test_an_error_without_state_has_none(realm):
    answer = realm.authorize(scope="nonsense", state=None)

    assert is_sent_back(realm, answer, "invalid_scope", state=None)


@pytest.mark.parametrize("scope", ["openid", "profile", "email", "offline_access"])
def test_any_app_may_ask_who_signs_in(realm, scope):
    assert realm.tokens(scope=scope)["scope"] == scope


def test_an_app_with_all_may_ask_for_anything(realm):
    assert realm.tokens("other-app", scope="webhooks:read crm:write")["scope"] == "webhooks:read crm:write"


def test_scopes_are_given_once_each_in_their_order(realm):
    scope = "contacts:read  account:read contacts:read"

    assert realm.tokens(scope=scope)["scope"] == "contacts:read account:read"


# ---------------------------------------------------------------------- proof keys (RFC 7636)


def test_a_public_app_needs_a_challenge(realm):
    answer = realm.authorize("public-app", mock_user="boss@group.test", mock_consent="accept")

    assert is_sent_back(realm, answer, "invalid_request")


@pytest.mark.parametrize(
    "asked",
    [
        {"code_challenge": "x" * 42},
        {"code_challenge": "x" * 129},
        {"code_challenge": "x" * 42 + "="},
        {"code_challenge": "x" * 43, "code_challenge_method": "s256"},
        {"code_challenge": "x" * 43, "code_challenge_method": "S512"},
        {"code_challenge_method": "S256"},
    ],
)
@pytest.mark.parametrize("app", ["shop-app", "public-app"])
def test_a_challenge_that_is_none_is_told_to_the_app(realm, app, asked):
    answer = realm.authorize(app, mock_user="boss@group.test", mock_consent="accept", **asked)

    assert is_sent_back(realm, answer, "invalid_request")


@pytest.mark.parametrize("name", ["state", "nonce"])
def test_what_is_too_long_to_be_kept_is_told_to_the_app(realm, name):
    long = {"state": "s1", name: "x" * 8_193}

    assert is_sent_back(realm, realm.authorize(mock_user="boss@group.test", **long), "invalid_request", long["state"])
    assert realm.code(**{name: "x" * 8_192})


# ---------------------------------------------------------------------- whom the shortcuts name


def test_mock_user_must_be_somebody(realm):
    """It is the tester's mistake, so a page tells it, with the names that there are."""
    answer = realm.authorize(mock_user="nobody@group.test", mock_consent="accept")

    assert is_page(answer)
    assert "boss@group.test" in answer.text


@pytest.mark.parametrize("user", [{}, {"mock_user": "boss@group.test"}])
def test_mock_consent_must_be_one_of_two(realm, user):
    assert is_page(realm.authorize(mock_consent="maybe", **user))


def test_mock_user_alone_still_asks_for_consent(realm):
    answer = realm.authorize(mock_user="boss@group.test")

    assert is_page(answer, 200)
    assert "Shop App asks for access" in answer.text


def test_mock_consent_alone_still_asks_who_it_is(realm):
    answer = realm.authorize(mock_consent="accept")

    assert is_page(answer, 200)
    assert "Sign in to go on to Shop App" in answer.text


@pytest.mark.parametrize("twice", ["client_id", "redirect_uri", "state", "scope", "unknown"])
def test_a_parameter_that_comes_twice_is_refused(realm, twice):
    """RFC 6749, 3.1; an app that is named twice, or whose address is, is not told."""
    asked = {"client_id": "shop-app", "redirect_uri": "https://app.test/callback", "scope": "account:read"}
    asked = {**asked, "state": "s1", "unknown": "1"}
    query = {name: [value, value] if name == twice else value for name, value in asked.items()}

    answer = realm.open("GET", "/realms/partner/oauth/authorize", query_string=query)

    if twice in ("client_id", "redirect_uri"):
        assert is_page(answer)
    else:
        assert realm.told(answer)["error"] == "invalid_request"
