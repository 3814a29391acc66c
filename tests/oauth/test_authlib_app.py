"""A web app with Authlib, which finds everything by the discovery document, over a real socket."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import flask
import pytest
from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from authlib.oidc.discovery import get_well_known_url

CALLBACK = "https://app.test/callback"

pytestmark = pytest.mark.usefixtures("anew")


@pytest.fixture(autouse=True)
def _on_loopback(monkeypatch):
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")


@pytest.fixture
def shop(issuer):
    """A browser at a web app that finds everything by the discovery document: it signs users in, and lists senders."""
    app = flask.Flask(__name__)
    app.secret_key = "secret of the app"
    brevo = OAuth(app).register(
        "brevo",
        client_id="shop-app",
        client_secret="s3cret",
        server_metadata_url=get_well_known_url(issuer, external=True),
        client_kwargs={"scope": "openid email account:read", "code_challenge_method": "S256"},
    )

    @app.get("/login")
    def login():
        return brevo.authorize_redirect(CALLBACK)

    @app.get("/callback")
    def callback():
        try:
            token = brevo.authorize_access_token()
        except OAuthError as error:
            return {"error": error.error}
        answer = brevo.get(issuer.removesuffix("/realms/partner") + "/v3/senders", token=token)
        return {
            "user": token["userinfo"]["email"],
            "told": brevo.userinfo(token=token)["email"],
            "senders": [row["email"] for row in answer.json()["senders"]],
        }

    with app.test_client() as browser:
        yield browser


def test_a_web_app_signs_a_user_in_and_calls_the_api(shop, visit):
    """State, nonce and proof key are the library's own, and it verifies the id_token by itself."""
    asked = shop.get("/login").headers["Location"]
    assert {"state", "nonce", "code_challenge"} <= set(parse_qs(urlsplit(asked).query))

    back = urlsplit(visit(asked, "keeper@shop.test"))

    assert shop.get(f"{back.path}?{back.query}").json == {
        "user": "keeper@shop.test",
        "told": "keeper@shop.test",
        "senders": ["news@shop.test"],
    }


@pytest.mark.parametrize(
    ("user", "consent"), [("boss@group.test", "refuse"), ("owner@foreign.test", "accept")], ids=["refused", "foreign"]
)
def test_a_web_app_is_told_that_it_was_not_let_in(shop, visit, user, consent):
    back = urlsplit(visit(shop.get("/login").headers["Location"], user, consent))

    assert shop.get(f"{back.path}?{back.query}").json == {"error": "access_denied"}


def test_a_web_app_turns_a_foreign_state_away(shop, visit):
    back = urlsplit(visit(shop.get("/login").headers["Location"]))
    with shop.session_transaction() as session:
        session.clear()

    assert shop.get(f"{back.path}?{back.query}").json == {"error": "mismatching_state"}
