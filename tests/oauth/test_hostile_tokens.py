"""Hostile bearers: tokens that this server did not sign, and tokens of workspaces that are not, or no longer,
theirs."""

from __future__ import annotations

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

USERINFO = "/realms/partner/oauth/userinfo"
FOREIGN = rsa.generate_private_key(65_537, 2048)


def encoded(value):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(part):
    return json.loads(urlsafe_b64decode(part + "=="))


@pytest.fixture
def token(target):
    return target.tokens(scope="openid account:read")["access_token"]


@pytest.fixture
def public_key(target):
    return jwt.PyJWK(target.open("GET", "/realms/partner/public-keys").json["keys"][0]).key


def refuses(target, token):
    assert target.call(token).status_code == 401
    assert target.call(token, path=USERINFO).status_code == 401
    assert target.post("introspect", token=token).json == {"active": False}
    assert target.post("revoke", token=token).status_code == 200
    return True


def by_hmac(form):
    """Signed with the public key as if it were a secret (CVE-2016-5431)."""

    def forge(header, claims, signature, key):
        secret = key.public_bytes(*form)
        signed = f"{encoded({'typ': 'JWT', 'alg': 'HS256', 'kid': header['kid']})}.{encoded(claims)}"
        return f"{signed}.{encoded(hmac.digest(secret, signed.encode(), hashlib.sha256))}"

    return forge


def by(key, algorithm="RS256", **more):
    def forge(header, claims, signature, public):
        return jwt.encode(claims, key, algorithm, headers={"kid": header["kid"], **more})

    return forge


def altered(change=lambda signature: signature, *, header=None, **claims):
    """With other claims, members of the header, or another signature."""

    def forge(genuine, content, signature, key):
        return f"{encoded(genuine | (header or {}))}.{encoded(content | claims)}.{change(signature)}"

    return forge


def unsigned(algorithm):
    return altered(lambda signature: "", header={"alg": algorithm})


FORGED = {
    "alg none": unsigned("none"),
    "alg None": unsigned("None"),
    "alg NONE": unsigned("NONE"),
    "no alg": unsigned(None),
    "alg of nothing": unsigned(""),
    "an alg that is a list": unsigned(["RS256"]),
    "an alg that is an object": unsigned({"RS256": 1}),
    "the public key as a secret": by_hmac((Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)),
    "the public key as another secret": by_hmac((Encoding.DER, PublicFormat.PKCS1)),
    "another key": by(FOREIGN),
    "another key by PS256": by(FOREIGN, "PS256"),
    "another key by RS512": by(FOREIGN, "RS512"),
    "another curve": by(ec.generate_private_key(ec.SECP256R1()), "ES256"),
    "another key in its header": by(
        FOREIGN, jwk=jwt.algorithms.RSAAlgorithm.to_jwk(FOREIGN.public_key(), as_dict=True)
    ),
    "another key by its address": by(FOREIGN, jku="http://127.0.0.1:9/keys", x5u="http://127.0.0.1:9/keys"),
    "more scopes": altered(scope="all"),
    "a longer life": altered(exp=32_503_680_000),
    "another user": altered(sub="owner@foreign.test"),
    "another workspace": altered(mock_workspace="other"),
    "another id": altered(jti="x"),
    "another header": altered(header={"x": 1}),
    "a critical header": altered(header={"crit": ["x"], "x": 1}),
    "a detached payload": altered(header={"b64": False, "crit": ["b64"]}),
    "another kid": altered(header={"kid": "../../../dev/null"}),
    "a kid that is a number": altered(header={"kid": 1}),
    "no signature": altered(lambda signature: ""),
    "half a signature": altered(lambda signature: signature[: len(signature) // 2]),
    "another signature": altered(lambda signature: signature[::-1]),
    "a signature that is no Base64": altered(lambda signature: "%" * 342),
}


def test_tokens_that_the_server_did_not_sign_are_refused(target, unmoved, token, public_key):
    header, claims, signature = token.split(".")
    with unmoved(target):
        for name, forge in FORGED.items():
            forged = forge(decoded(header), decoded(claims), signature, public_key)
            assert forged != token
            assert refuses(target, forged), name
    assert target.works(token)


GARBAGE = [
    "a" * 9_000 + ".b.c",
    "", ".", "..", "...", "a.b.c", "null", "%00", "a b c", "\xff\xfe\x80", "\x7f\x01", "é.é.é", "=.=.=",
    f"{encoded({'alg': 'RS256'})}..", f"{encoded([])}.{encoded({})}.eA", f"{encoded(None)}.{encoded({})}.eA",
    f"{encoded(b'{')}.{encoded({})}.eA", f"{encoded(b'[' * 4_000)}.{encoded({})}.eA",
    f"{encoded(b'9' * 5_000)}.{encoded({})}.eA", f"{encoded({'alg': 'RS256'})}.{encoded(b'[' * 4_000)}.eA",
    f"{encoded({'alg': 'dir', 'enc': 'A256GCM'})}....", "a" * 50_000, "." * 50_000,
]  # fmt: skip


def test_garbage_in_place_of_a_token_is_refused(target, unmoved):
    with unmoved(target):
        for text in GARBAGE:
            for path in ("/v3/senders", USERINFO):
                for header in (f"Bearer {text}", f"bearer\t{text}", f"Bearer  {text} ", text):
                    assert target.open("GET", path, headers={"Authorization": header}).status_code == 401, text[:60]
            told = target.post("introspect", token=text).json
            missing = {"error": "invalid_request", "error_description": "token is missing"}
            assert told in ({"active": False}, missing), text[:60]


def test_a_token_is_taken_from_the_header_only(target, token):
    for path in ("/v3/senders", USERINFO):
        assert target.open("GET", f"{path}?access_token={token}").status_code == 401
        assert target.open("GET", path, headers={"Cookie": f"access_token={token}"}).status_code == 401
    assert target.open("POST", "/v3/senders", data={"access_token": token}).status_code == 401


def test_a_token_of_a_workspace_that_is_gone_is_none(realm, other_workspace):
    token = other_workspace("one").tokens()["access_token"]
    assert realm.api.delete("/_mock/workspaces/one").status_code == 204
    assert realm.call(token).status_code == 401
    again = other_workspace("one")
    assert refuses(again, token)


@pytest.mark.parametrize(
    "asked",
    [
        {"scope": "account:read"},
        {"user": "clerk@group.test"},
        {"app": "other-app", "scope": "openid account:read account:write"},
    ],
)
def test_a_token_of_before_a_reset_stays_none_when_its_id_is_drawn_again(realm, asked):
    """A workspace's draws begin anew with a reset: the same ids may then stand for other grants."""
    before = realm.tokens(scope="openid account:read account:write")["access_token"]
    assert realm.api.post("/_mock/reset").status_code == 200
    after = realm.tokens(**{"scope": "openid account:read account:write", **asked})["access_token"]
    same = [jwt.decode(token, options={"verify_signature": False})["jti"] for token in (before, after)]
    assert same[0] == same[1]
    assert refuses(realm, before)
    assert realm.works(after)
