"""Tests of a third-party app's sign-in, with the OAuth client that it uses anyway."""

import pytest
import requests
from authlib.integrations.requests_client import OAuth2Session
from brevo import Brevo

CALLBACK = "http://127.0.0.1:5000/callback"


@pytest.fixture
def crm(mockserver):
    return mockserver.apps.create(name="CRM sync", redirect_uris=[CALLBACK], scopes=["account:read", "account:write"])


@pytest.fixture
def session(crm):
    with OAuth2Session(crm.client_id, crm.client_secret, scope="account:read", redirect_uri=CALLBACK) as session:
        yield session


def sign_in(mockserver, session, **answer):
    """What a browser would do: go there, sign in, answer; gives the address to which it is sent back."""
    url, _ = session.create_authorization_url(f"{mockserver.auth_url}/authorize", **answer)
    return requests.get(url, allow_redirects=False, timeout=10).headers["Location"]


def test_the_app_acts_for_its_user_until_the_token_runs_out(mockserver, session):
    back = sign_in(mockserver, session, mock_user="owner@acme.test", mock_consent="accept")
    token = session.fetch_token(f"{mockserver.auth_url}/token", authorization_response=back)

    client = Brevo(token=token["access_token"], base_url=mockserver.url)
    assert client.account.get_account().email == "owner@acme.test"

    mockserver.clock.advance(hours=1)
    assert session.get(f"{mockserver.url}/account").status_code == 401
    session.refresh_token(f"{mockserver.auth_url}/token")
    assert session.get(f"{mockserver.url}/account").status_code == 200


def test_the_user_refuses(mockserver, session):
    back = sign_in(mockserver, session, mock_user="owner@acme.test", mock_consent="refuse")

    assert back.startswith(f"{CALLBACK}?error=access_denied")


def test_the_app_acts_for_itself(mockserver, crm):
    client = Brevo(client_id=crm.client_id, client_secret=crm.client_secret, base_url=mockserver.url)

    assert client.senders.get_senders().senders[0].name == "News"
