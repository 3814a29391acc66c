"""Sign-in through the proxy, by OpenID Connect with Authlib, which knows nothing of us, and by single sign-on."""

from __future__ import annotations

from urllib.parse import urlsplit

import authlib.deprecate  # noqa: F401  # sets a filter of its own, which must not come after ours
import pytest
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import OpenIDProviderMetadata, get_well_known_url
from joserfc import jwt
from joserfc.jwk import KeySet
from web_page import read

CALLBACK = "https://app.test/callback"


@pytest.fixture
def metadata(public, workspace):
    """The discovery document of the workspace, as an app finds it by the issuer."""
    issuer = workspace.auth_url.removesuffix("/oauth")
    found = OpenIDProviderMetadata(public.follow(get_well_known_url(issuer, external=True)).json())
    found.validate()
    assert found["issuer"] == issuer
    return found


def pressed(public, url, page, words):
    """The answer to the form of a page whose button begins with these words, as a browser sends it."""
    form = read(page.text)
    action = form.one("form").attributes.get("action")
    inputs = [each.attributes for each in form.all("input")]
    sent = {row["name"]: row["value"] for row in inputs if row.get("type") == "hidden"}
    buttons = {each.text: each.attributes for each in form.all("button")}
    button = next(row for text, row in buttons.items() if text.startswith(words))
    sent |= {button["name"]: button["value"]}
    origin = f"https://{urlsplit(public.url).netloc}"
    address = f"{origin}{action}" if action else url
    return public.http.post(address, data=sent, headers={"Origin": origin}, allow_redirects=False)


def test_code_flow_of_authlib_leads_through_the_proxy(public, workspace, metadata):
    assert all(value.startswith(f"{public.url}/") for name, value in metadata.items() if name[-9:] == "_endpoint")
    with OAuth2Session("crm", "s3cret", scope="openid email account:read", redirect_uri=CALLBACK) as app:
        app.verify, app.trust_env = public.proxy.ca, False
        url, state = app.create_authorization_url(metadata["authorization_endpoint"], nonce="n")
        consent = pressed(public, url, public.follow(url), "boss@group.test")
        answer = pressed(public, url, consent, "Accept")
        token = app.fetch_token(
            metadata["token_endpoint"], authorization_response=answer.headers["Location"], state=state
        )
        keys = KeySet.import_key_set(public.follow(metadata["jwks_uri"]).json())
        claims = CodeIDToken(jwt.decode(token["id_token"], keys).claims, {}, {"iss": {"value": metadata["issuer"]}})

        claims.validate()
        assert app.get(metadata["userinfo_endpoint"]).json()["email"] == "boss@group.test"
        assert app.get(f"{workspace.url}/senders").status_code == 200


def test_form_of_another_origin_is_refused(public, metadata):
    query = f"client_id=crm&redirect_uri={CALLBACK}&response_type=code&scope=account:read"
    url = f"{metadata['authorization_endpoint']}?{query}"
    public.follow(url)

    answer = public.http.post(url, data={}, headers={"Origin": "https://evil.example.com"})

    assert (answer.status_code, "evil.example.com" in answer.text) == (403, False)


def test_single_sign_on_leads_through_the_proxy(public, workspace):
    headers = {"api-key": workspace.key("group")}
    token = public.http.post(
        f"{workspace.url}/corporate/subAccount/ssoToken",
        json={"id": 1003002},
        headers=headers,
    ).json()["token"]

    root = workspace.url.removesuffix("/v3")
    assert "shop" in public.follow(f"{root}/account/login/sub-account/sso/{token}").text
