"""An app with requests-oauthlib, which knows nothing of us, over a real socket."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

CALLBACK = "https://app.test/callback"
SCOPES = ["account:read", "contacts:read"]

pytestmark = pytest.mark.usefixtures("anew")


@pytest.fixture(autouse=True)
def _on_loopback(monkeypatch):
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    monkeypatch.delenv("OAUTHLIB_RELAX_TOKEN_SCOPE", raising=False)


@pytest.fixture
def connect():
    sessions = []

    def make(app="shop-app", **options):
        sessions.append(OAuth2Session(app, redirect_uri=CALLBACK, scope=options.pop("scope", SCOPES), **options))
        return sessions[-1]

    yield make
    for session in sessions:
        session.close()


def senders(session, live_root):
    answer = session.get(f"{live_root}/v3/senders")
    return [row["email"] for row in answer.json()["senders"]] if answer.status_code == 200 else answer.status_code


#: How an app with a secret shows it.
METHODS = {
    "client_secret_basic": {"client_secret": "s3cret"},
    "client_secret_post": {"client_secret": "s3cret", "include_client_id": True},
    "explicit_basic": {"auth": HTTPBasicAuth("shop-app", "s3cret")},
}


@pytest.fixture
def signed_in(connect, visit, issuer):
    def flow(app="shop-app", user="boss@group.test", method="client_secret_basic", **options):
        session = connect(app, **options)
        url, _ = session.authorization_url(f"{issuer}/oauth/authorize")
        session.fetch_token(f"{issuer}/oauth/token", authorization_response=visit(url, user), **METHODS.get(method, {}))
        return session

    return flow


@pytest.mark.parametrize("method", METHODS)
def test_requests_oauthlib_fetches_a_token_and_refreshes_it_for_fewer_scopes(signed_in, issuer, live_root, method):
    """State is compared, and the granted scopes are those asked for: neither raises a warning."""
    session = signed_in(user="keeper@shop.test", method=method)

    assert session.authorized
    assert session.token["token_type"] == "Bearer"
    assert set(session.token.scopes) == set(SCOPES)
    assert senders(session, live_root) == ["news@shop.test"]

    session.scope = ["contacts:read"]  # the library compares what it asks for with what it is given
    session.refresh_token(f"{issuer}/oauth/token", client_id="shop-app", client_secret="s3cret")
    assert (session.token.scopes, session.token.scope_changed) == (["contacts:read"], False)


def test_a_public_app_proves_itself_with_a_key(connect, visit, issuer, live_root):
    session = connect("public-app", pkce="S256")
    url, _ = session.authorization_url(f"{issuer}/oauth/authorize")
    assert parse_qs(urlsplit(url).query)["code_challenge_method"] == ["S256"]

    session.fetch_token(f"{issuer}/oauth/token", authorization_response=visit(url), include_client_id=True)

    assert senders(session, live_root) == ["news@group.test"]


def test_requests_oauthlib_refreshes_an_expired_token(signed_in, connect, issuer, live_root, hours_pass):
    """The library sees by `expires_in` that it is time, and gives the new token away to be kept."""
    token = {**signed_in().token, "expires_at": 1, "expires_in": -1}
    hours_pass("PT1H")
    kept = []
    session = connect(
        token=token,
        auto_refresh_url=f"{issuer}/oauth/token",
        auto_refresh_kwargs={"client_id": "shop-app", "client_secret": "s3cret"},
        token_updater=kept.append,
    )

    assert senders(session, live_root) == ["news@group.test"]
    assert senders(session, live_root) == ["news@group.test"]

    assert [row["access_token"] for row in kept] == [session.token["access_token"]]
    assert kept[0]["access_token"] != token["access_token"]
