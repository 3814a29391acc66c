"""What the server tells of itself: documents, keys, scopes, and who a user is (contract/oauth)."""

from __future__ import annotations

import jwt

REALM = "/realms/partner"
DOCUMENTS = [f"{REALM}/.well-known/oauth-authorization-server", f"{REALM}/.well-known/openid-configuration"]


def test_a_document_gives_the_addresses_of_the_workspace_where_it_was_found(realm):
    for place in ("", "/w/default"):
        for path in DOCUMENTS:
            answer = realm.open("GET", place + path)

            assert (answer.status_code, answer.content_type) == (200, "application/json")
            root = f"http://localhost{place}{REALM}"
            assert answer.json["issuer"] == root
            assert {name: value for name, value in answer.json.items() if name.endswith(("_endpoint", "_uri"))} == {
                "authorization_endpoint": f"{root}/oauth/authorize", "token_endpoint": f"{root}/oauth/token",
                "revocation_endpoint": f"{root}/oauth/revoke", "introspection_endpoint": f"{root}/oauth/introspect",
                "userinfo_endpoint": f"{root}/oauth/userinfo", "jwks_uri": f"{root}/public-keys",
            }  # fmt: skip


def test_the_document_says_what_the_server_does(realm):
    said = realm.open("GET", DOCUMENTS[0]).json

    assert said["response_types_supported"] == ["code"]
    assert said["grant_types_supported"] == ["authorization_code", "refresh_token", "client_credentials"]
    assert said["token_endpoint_auth_methods_supported"] == ["client_secret_basic", "client_secret_post", "none"]
    assert said["code_challenge_methods_supported"] == ["S256", "plain"]
    assert said["id_token_signing_alg_values_supported"] == ["RS256"]
    assert len(said["scopes_supported"]) == 37


def test_unknown_path_is_an_oauth_error(realm, is_refused):
    assert is_refused(realm.open("GET", f"{REALM}/nowhere"), 404, "invalid_request")


def test_discovery_lists_the_scopes_of_the_contract(realm):
    listed = realm.open("GET", f"{REALM}/scopes").json
    rows = listed["scopes"]

    resources = [
        "account", "organization", "webhooks", "campaigns.email", "campaigns.sms", "campaigns.whatsapp", "contacts",
        "crm", "conversations", "objects", "ecommerce", "events", "loyalty", "transactional.email",
        "transactional.sms", "transactional.whatsapp",
    ]  # fmt: skip
    expected = {f"{name}:{action}" for name in resources for action in ("read", "write")}
    expected |= {"openid", "profile", "email", "offline_access"}
    assert listed["magic_scopes"] == ["all"]
    assert len(rows) == 36
    assert {row["name"] for row in rows} == expected
    assert all(set(row) == {"name", "category", "api_endpoints", "is_oidc_reserved"} for row in rows)
    of_openid = {row["name"] for row in rows if row["is_oidc_reserved"]}
    assert of_openid == {"openid", "profile", "email", "offline_access"}
    categories = {row["name"].partition(":")[0]: row["category"] for row in rows}
    assert [name for name, category in categories.items() if category == "account"] == resources[:3]
    assert [categories[name] for name in ("contacts", "crm", "transactional.sms", "openid")] == [
        "data_crm", "data_crm", "messaging", "oidc",
    ]  # fmt: skip


def key_of(realm, token):
    keys = jwt.PyJWKSet.from_dict(realm.open("GET", f"{REALM}/public-keys").json)
    return keys[jwt.get_unverified_header(token)["kid"]]


def verified(realm, token, audience):
    """What a token says, if it verifies; the workspace's clock is not ours, so the times are looked at apart."""
    said = jwt.decode(
        token,
        key_of(realm, token),
        algorithms=["RS256"],
        audience=audience,
        issuer="http://localhost/realms/partner",
        options={"verify_exp": False, "verify_iat": False, "require": ["iss", "sub", "aud", "exp", "iat"]},
    )
    return said, said.pop("iat"), said.pop("exp")


#: 2026-01-15T09:00:00Z.
START = 1768467600


def test_the_key_set_holds_public_keys_only(realm):
    answer = realm.open("GET", f"{REALM}/public-keys")

    assert answer.status_code == 200
    assert set(answer.json) == {"keys"}
    for key in answer.json["keys"]:
        assert set(key) == {"kty", "use", "alg", "kid", "n", "e"}
        assert (key["kty"], key["use"], key["alg"]) == ("RSA", "sig", "RS256")


def test_an_access_token_verifies_and_says_what_it_is_for(realm):
    token = realm.tokens(user="keeper@shop.test", scope="account:read contacts:read")["access_token"]

    said, issued, expires = verified(realm, token, "http://localhost/v3")

    assert said.pop("jti")
    assert said == {
        "iss": "http://localhost/realms/partner", "sub": "keeper@shop.test", "aud": "http://localhost/v3",
        "client_id": "shop-app", "scope": "account:read contacts:read", "mock_workspace": "default",
    }  # fmt: skip
    assert (issued, expires) == (START, START + 3600)
    assert jwt.get_unverified_header(token)["typ"] == "at+jwt"  # RFC 9068, 2.1


def test_openid_gives_an_id_token(realm):
    answer = realm.tokens(scope="openid profile email", nonce="n1")

    said, issued, expires = verified(realm, answer["id_token"], "shop-app")

    assert said == {
        "iss": "http://localhost/realms/partner", "aud": "shop-app", "sub": "boss@group.test", "nonce": "n1",
        "email": "boss@group.test", "email_verified": True, "name": "Ada Byron", "given_name": "Ada",
        "family_name": "Byron",
    }  # fmt: skip
    assert (issued, expires) == (START, START + 3600)
    assert jwt.get_unverified_header(answer["id_token"])["typ"] == "JWT"


def test_id_token_needs_openid_and_has_no_nonce_without_a_nonce(realm):
    said, *_ = verified(realm, realm.tokens(scope="openid")["id_token"], "shop-app")

    assert set(said) == {"iss", "aud", "sub"}
    assert "id_token" not in realm.tokens(scope="profile email")


def userinfo(realm, **wanted):
    token = realm.tokens(**wanted)["access_token"]
    return realm.open("GET", f"{REALM}/oauth/userinfo", token=token)


def test_userinfo_tells_what_the_scopes_allow(realm):
    for scope, said in [
        ("openid", {}),
        ("openid email", {"email": "boss@group.test", "email_verified": True}),
        ("openid profile", {"name": "Ada Byron", "given_name": "Ada", "family_name": "Byron"}),
    ]:
        answer = userinfo(realm, scope=scope)

        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.json == {"sub": "boss@group.test", **said}


def test_a_user_of_whom_no_name_is_known_is_called_by_the_address(realm):
    answer = userinfo(realm, user="clerk@group.test", scope="openid profile")

    assert answer.json == {"sub": "clerk@group.test", "name": "clerk@group.test"}


def test_userinfo_needs_openid(realm, is_refused):
    answer = userinfo(realm, scope="email account:read")

    assert is_refused(answer, 403, "insufficient_scope")
    assert 'error="insufficient_scope"' in answer.headers["WWW-Authenticate"]
