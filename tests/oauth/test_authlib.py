"""Apps with Authlib, which knows nothing of us, over a real socket."""

from __future__ import annotations

import time
from urllib.parse import parse_qs, urlsplit

import authlib.deprecate  # noqa: F401  # sets a filter of its own, which must not come after ours
import flask
import pytest
import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc6750 import InsufficientScopeError, InvalidTokenError
from authlib.oauth2.rfc9068 import JWTBearerTokenValidator
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import OpenIDProviderMetadata, get_well_known_url
from joserfc import jwt
from joserfc.errors import InvalidClaimError
from joserfc.jwk import KeySet

CALLBACK = "https://app.test/callback"
SCOPE = "account:read contacts:read"

pytestmark = pytest.mark.usefixtures("anew")


@pytest.fixture(autouse=True)
def _on_loopback(monkeypatch):
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")


@pytest.fixture
def metadata(issuer):
    """The discovery document, as an app finds it by the issuer, and finds nothing wrong with it."""
    found = OpenIDProviderMetadata(requests.get(get_well_known_url(issuer, external=True), timeout=10).json())
    found.validate()
    assert found["issuer"] == issuer
    return found


@pytest.fixture
def connect(metadata):
    sessions = []

    def make(app="shop-app", secret="s3cret", **options):
        options = {"scope": SCOPE, "redirect_uri": CALLBACK, "token_endpoint": metadata["token_endpoint"]} | options
        sessions.append(OAuth2Session(app, secret, **options))
        return sessions[-1]

    yield make
    for session in sessions:
        session.close()


@pytest.fixture
def signed_in(connect, visit, metadata):
    def flow(*app, user="boss@group.test", verifier=None, nonce=None, **options):
        session = connect(*app, **options)
        extra = {} if nonce is None else {"nonce": nonce}
        url, state = session.create_authorization_url(
            metadata["authorization_endpoint"], code_verifier=verifier, **extra
        )
        proof = {} if verifier is None else {"code_verifier": verifier}
        session.fetch_token(authorization_response=visit(url, user), state=state, **proof)
        return session

    return flow


def senders(session, live_root):
    answer = session.get(f"{live_root}/v3/senders")
    return [row["email"] for row in answer.json()["senders"]] if answer.status_code == 200 else answer.status_code


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_the_code_flow_ends_with_a_token_that_the_api_takes(signed_in, live_root, method):
    session = signed_in(user="keeper@shop.test", token_endpoint_auth_method=method)

    assert (session.token["token_type"], session.token["scope"]) == ("Bearer", SCOPE)
    assert session.token["expires_at"] == pytest.approx(time.time() + 3600, abs=60)
    assert senders(session, live_root) == ["news@shop.test"]


def test_a_public_app_proves_itself_with_a_key(signed_in, live_root):
    session = signed_in("public-app", None, verifier="v" * 48, code_challenge_method="S256")

    assert senders(session, live_root) == ["news@group.test"]


def test_errors_of_the_token_address_are_understood(connect):
    for secret, error in [("s3cret", "invalid_grant"), ("wrong", "invalid_client"), (None, "invalid_client")]:
        with pytest.raises(OAuthError) as refused:
            connect("shop-app", secret).fetch_token(code="nonsense", grant_type="authorization_code")

        assert refused.value.error == error
        assert refused.value.description


def test_authlib_refreshes_an_expired_token_automatically(signed_in, connect, live_root, hours_pass):
    """The library sees by `expires_in` that it is time, and gives the new token away to be kept."""
    token = {**signed_in().token, "expires_at": 1}
    hours_pass("PT1H")
    kept = []
    session = connect(token=token, update_token=lambda new, **old: kept.append((new, old)))

    assert senders(session, live_root) == ["news@group.test"]
    assert senders(session, live_root) == ["news@group.test"]

    [(new, old)] = kept
    assert old == {"refresh_token": token["refresh_token"]}
    assert session.token["access_token"] == new["access_token"] != token["access_token"]


def test_an_app_for_itself_fetches_a_new_token_by_itself(connect, live_root, hours_pass):
    session = connect(grant_type="client_credentials")
    token = session.fetch_token()
    assert "refresh_token" not in token
    hours_pass("PT1H")
    session.token = {**token, "expires_at": 1}

    assert senders(session, live_root) == ["news@group.test"]
    assert session.token["access_token"] != token["access_token"]


@pytest.mark.parametrize(
    ("kind", "method"), [("access_token", "client_secret_basic"), ("refresh_token", "client_secret_post")]
)
def test_authlib_introspects_and_revokes_a_token(signed_in, metadata, live_root, kind, method):
    session = signed_in(revocation_endpoint_auth_method=method)
    token = session.token[kind]

    before = session.introspect_token(metadata["introspection_endpoint"], token, kind).json()
    answer = session.revoke_token(metadata["revocation_endpoint"], token, kind)
    after = session.introspect_token(metadata["introspection_endpoint"], token, kind).json()

    told = {name: before[name] for name in ("active", "scope", "client_id", "username")}
    assert told == {"active": True, "scope": SCOPE, "client_id": "shop-app", "username": "boss@group.test"}
    assert (answer.status_code, after) == (200, {"active": False})
    assert senders(session, live_root) == 401


@pytest.fixture
def keys(metadata):
    return KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=10).json())


def identity(session, keys, metadata, nonce):
    found = jwt.decode(session.token["id_token"], keys, algorithms=metadata["id_token_signing_alg_values_supported"])
    options = {"iss": {"values": [metadata["issuer"]]}}
    params = {"nonce": nonce, "client_id": "shop-app", "access_token": session.token["access_token"]}
    claims = CodeIDToken(found.claims, found.header, options, params)
    claims.validate(leeway=5)
    return claims


def test_the_id_token_verifies_nonce_included(signed_in, keys, metadata):
    session = signed_in(scope="openid profile email", nonce="n-1")

    claims = identity(session, keys, metadata, "n-1")

    assert (claims["sub"], claims["email"], claims["name"]) == ("boss@group.test", "boss@group.test", "Ada Byron")
    with pytest.raises(InvalidClaimError, match="nonce"):
        identity(session, keys, metadata, "n-2")


def test_the_access_token_verifies_as_a_resource_server_does_it(signed_in, keys, metadata):
    """By RFC 9068: signature, kind, issuer, audience, times and scope."""
    audience = metadata["issuer"].removesuffix("/realms/partner") + "/v3"

    class Validator(JWTBearerTokenValidator):
        def get_jwks(self):
            return keys

    session = signed_in(scope="openid account:read")
    validator = Validator(metadata["issuer"], audience)

    token = validator.authenticate_token(session.token["access_token"])
    validator.validate_token(token, ["account:read"], None)
    assert (token["sub"], token["client_id"]) == ("boss@group.test", "shop-app")

    with pytest.raises(InsufficientScopeError):
        validator.validate_token(token, ["account:write"], None)
    with pytest.raises(InvalidTokenError):
        validator.validate_token(validator.authenticate_token(session.token["id_token"]), [], None)


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
        "user": "keeper@shop.test", "told": "keeper@shop.test", "senders": ["news@shop.test"],
    }  # fmt: skip


def test_a_web_app_is_told_that_it_was_not_let_in(shop, visit):
    for user, consent in [("boss@group.test", "refuse"), ("owner@foreign.test", "accept")]:
        back = urlsplit(visit(shop.get("/login").headers["Location"], user, consent))

        assert shop.get(f"{back.path}?{back.query}").json == {"error": "access_denied"}
