"""The token address: what it answers, whom it trusts, and what may be absent (contract/oauth#oauthTokenCode)."""

from __future__ import annotations

import base64

import pytest

TOKEN = "/realms/partner/oauth/token"


# ---------------------------------------------------------------------- the answer


def test_a_code_gives_tokens(realm):
    answer = realm.exchange(realm.code(scope="account:read contacts:read"))

    assert answer.status_code == 200
    assert set(answer.json) == {"access_token", "refresh_token", "token_type", "expires_in", "scope"}
    assert answer.json["access_token"].count(".") == 2
    told = {name: answer.json[name] for name in ("token_type", "expires_in", "scope")}
    assert told == {"token_type": "Bearer", "expires_in": 3600, "scope": "account:read contacts:read"}


@pytest.mark.parametrize("kind", ["code", "refresh", "client"])
def test_nobody_keeps_an_answer_with_tokens(realm, kind):
    """RFC 6749, 5.1."""
    answer = {
        "code": lambda: realm.exchange(realm.code()),
        "refresh": lambda: realm.refresh(realm.tokens()["refresh_token"]),
        "client": lambda: realm.post("token", grant_type="client_credentials"),
    }[kind]()

    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    assert (answer.headers["Cache-Control"], answer.headers["Pragma"]) == ("no-store", "no-cache")


def test_the_token_opens_the_account_of_its_user(realm):
    """Whoever signed in, not whose app it is."""
    token = realm.tokens(user="keeper@shop.test")["access_token"]

    assert [row["email"] for row in realm.call(token).json["senders"]] == ["news@shop.test"]


def test_two_grants_of_one_user_have_tokens_of_their_own(realm):
    first, second = realm.tokens(), realm.tokens()

    assert len({first["access_token"], second["access_token"], first["refresh_token"], second["refresh_token"]}) == 4


# ---------------------------------------------------------------------- the app's credentials


@pytest.mark.parametrize("basic", [True, False])
def test_an_app_shows_its_secret_by_basic_or_in_the_form(realm, basic):
    assert realm.exchange(realm.code(), basic=basic).status_code == 200


def test_a_public_app_needs_no_secret(realm, pkce):
    asked, answered = pkce

    assert realm.exchange(realm.code("public-app", **asked), "public-app", **answered).status_code == 200


def test_a_public_app_by_basic_has_an_empty_secret(realm, pkce):
    asked, answered = pkce

    assert realm.exchange(realm.code("public-app", **asked), "public-app", basic=True, **answered).status_code == 200


@pytest.mark.parametrize(
    "credentials",
    [
        {"client_id": "nobody"},
        {"client_id": None, "client_secret": None},
        {"client_id": ""},
        {"client_secret": None},
        {"client_secret": ""},
        {"client_secret": "s3cret "},
        {"client_secret": "S3CRET"},
        {"client_secret": "s3cre"},
        {"client_secret": "s3crét"},
    ],
)
@pytest.mark.parametrize("address", ["token", "revoke", "introspect"])
def test_unknown_apps_and_wrong_secrets_are_refused(realm, is_refused, address, credentials):
    answer = realm.post(address, grant_type="client_credentials", token="t", **credentials)

    assert is_refused(answer, 401, "invalid_client")
    assert answer.headers["WWW-Authenticate"] == 'Basic realm="oauth"'


@pytest.mark.parametrize("secret", ["", "any"])
def test_a_public_app_cannot_show_a_secret(realm, is_refused, pkce, secret):
    """An empty member counts as none (RFC 6749, 3.2)."""
    asked, answered = pkce
    answer = realm.exchange(realm.code("public-app", **asked), "public-app", client_secret=secret, **answered)

    assert answer.status_code == 200 if not secret else is_refused(answer, 401, "invalid_client")


def _basic(text):
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "header",
    ["Basic", "Basic !!!", "Basic c2hvcC1hcHA", _basic("shop-app"), _basic("shop-app:wrong"), _basic(":s3cret")],
)
def test_a_malformed_or_wrong_basic_header_is_refused(realm, is_refused, header):
    form = {"grant_type": "client_credentials"}
    answer = realm.open("POST", TOKEN, data=form, headers={"Authorization": header})

    assert is_refused(answer, 401, "invalid_client")
    assert answer.headers["WWW-Authenticate"].startswith("Basic ")


@pytest.mark.parametrize("form", [{"client_secret": "s3cret"}, {"client_id": "other-app"}])
def test_credentials_stand_in_one_place(realm, is_refused, form):
    """RFC 6749, 2.3."""
    answer = realm.post("token", basic=True, grant_type="client_credentials", **form)

    assert is_refused(answer, 400, "invalid_request")


def test_the_same_client_id_may_stand_beside_basic(realm):
    assert realm.exchange(realm.code(), basic=True, client_id="shop-app").status_code == 200


# ---------------------------------------------------------------------- what the specification does not ask for


@pytest.mark.parametrize("left_out", [{"grant_type": None}, {"redirect_uri": None}, {"grant_type": ""}])
def test_grant_type_and_redirect_uri_may_be_absent(realm, left_out):
    assert realm.exchange(realm.code(), **left_out).status_code == 200


def test_the_right_redirect_uri_is_taken(realm):
    assert realm.exchange(realm.code(), redirect_uri="https://app.test/callback").status_code == 200


@pytest.mark.parametrize(
    "uri",
    ["https://app.test/second?keep=1", "https://app.test/callback/", "https://APP.test/callback", "https://evil.test/"],
)
def test_another_redirect_uri_is_refused(realm, is_refused, uri):
    """Be it registered as well: the code was asked for with one of them."""
    assert is_refused(realm.exchange(realm.code(), redirect_uri=uri), 400, "invalid_grant")


@pytest.mark.parametrize("kind", ["password", "implicit", "AUTHORIZATION_CODE", "authorization_code "])
def test_another_grant_type_is_refused(realm, is_refused, kind):
    assert is_refused(realm.exchange(realm.code(), grant_type=kind), 400, "unsupported_grant_type")


@pytest.mark.parametrize(
    ("form", "missing"),
    [
        ({"grant_type": "authorization_code"}, "code"),
        ({"grant_type": None}, "code"),
        ({"grant_type": "refresh_token"}, "refresh_token"),
    ],
)
def test_what_the_grant_type_needs_must_be_there(realm, is_refused, form, missing):
    answer = realm.post("token", **form)

    assert is_refused(answer, 400, "invalid_request")
    assert answer.json["error_description"] == f"{missing} is missing"


@pytest.mark.parametrize("twice", ["code", "client_id", "grant_type", "unknown"])
def test_a_member_that_comes_twice_is_refused(realm, is_refused, twice):
    """RFC 6749, 3.2."""
    code = realm.code()
    form = {"grant_type": "authorization_code", "code": code, "client_id": "shop-app", "client_secret": "s3cret"}
    form = {name: [value, value] if name == twice else value for name, value in {**form, "unknown": "1"}.items()}

    assert is_refused(realm.open("POST", TOKEN, data=form), 400, "invalid_request")


def test_an_unknown_member_is_ignored(realm):
    """RFC 6749, 3.2."""
    assert realm.exchange(realm.code(), audience="x").status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {"json": {"grant_type": "client_credentials", "client_id": "shop-app", "client_secret": "s3cret"}},
        {"data": b"grant_type=client_credentials", "content_type": "text/plain"},
        {"data": b"grant_type=%ff", "content_type": "application/x-www-form-urlencoded"},
        {"data": "grant_type=é".encode(), "content_type": "application/x-www-form-urlencoded"},
        {"data": {"client_id": "shop-app"}, "content_type": "multipart/form-data"},
    ],
)
def test_a_body_that_is_no_form_is_refused(realm, is_refused, body):
    assert is_refused(realm.open("POST", TOKEN, **body), 400, "invalid_request")


def test_credentials_in_the_address_do_not_count(realm, is_refused):
    """RFC 6749, 2.3.1: they must not stand there, where logs would keep them."""
    query = {"grant_type": "client_credentials", "client_id": "shop-app", "client_secret": "s3cret"}

    assert is_refused(realm.open("POST", TOKEN, query_string=query), 401, "invalid_client")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_tokens_are_posted_for(realm, method):
    answer = realm.open(method, TOKEN)

    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert answer.json["error"] == "invalid_request"
