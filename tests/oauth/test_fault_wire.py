"""Faults of the wire over a real socket, for an answer to an app and for each kind of page."""

from __future__ import annotations

import time

import pytest
import requests

WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [{"name": "acme", "email": "owner@acme.test"}],
    "sso_tokens": [{"token": "from-a-mail"}],
    "campaigns": [{"id": 1, "name": "June", "share": "june", "html": f"<p>{'June ' * 200}</p>"}],
    "oauth_apps": [
        {"client_id": "app", "client_secret": "s3cret", "redirect_uris": ["https://app.test/"], "scopes": ["all"]}
    ],
}
ASKED = "client_id=app&redirect_uri=https://app.test/&scope=account:read"
SURFACES = {
    "document": "/realms/partner/.well-known/openid-configuration",
    "sign-in page": f"/realms/partner/oauth/authorize?{ASKED}",
    "landing page": "/account/login/sub-account/sso/from-a-mail",
    "shared page": "/shared/june",
    "shared content": "/shared/june/content",
}


pytestmark = pytest.mark.root(WORKSPACE)


def get(root, path, fault=None, **options):
    headers = {} if fault is None else {"X-Mock-Fault": fault}
    return requests.get(root + path, headers=headers, timeout=10, allow_redirects=False, **options)


def test_delayed_answer_is_complete(root):
    for path in SURFACES.values():
        for fault in ("latency; ms=60", "slow_body; ms=60"):
            began = time.perf_counter()
            answer = get(root, path, fault)

            assert time.perf_counter() - began >= 0.05
            # A page's form has another value each time, of one length.
            assert (answer.status_code, len(answer.content)) == (200, len(get(root, path).content))
            assert answer.headers["X-Mock-Fault"] == "header"


def test_request_is_cut_off_without_an_answer(root):
    for path in SURFACES.values():
        for fault in ("connection_reset", "empty_response", "hang; ms=5"):
            with pytest.raises(requests.ConnectionError):
                get(root, path, fault)
            assert get(root, path).status_code == 200


def test_half_of_an_answer_comes_though_the_whole_length_was_announced(root):
    for path in SURFACES.values():
        whole = get(root, path).content
        with get(root, path, "truncated_body", stream=True) as answer:
            assert int(answer.headers["Content-Length"]) == len(whole)
            read = answer.raw.read(len(whole) // 2)
            with pytest.raises(requests.packages.urllib3.exceptions.ProtocolError):
                answer.raw.read(len(whole))
        assert len(read) == len(whole) // 2


def test_malformed_body_is_cut_in_half(root):
    for path in SURFACES.values():
        whole, answer = get(root, path).content, get(root, path, "malformed_body")

        assert answer.status_code == 200
        assert answer.content.endswith(b"\x00\n")
        assert len(answer.content) == len(whole) // 2 + 2
        assert answer.headers["Content-Type"] == get(root, path).headers["Content-Type"]


def new_code(root, fault=None):
    way_back = get(root, f"{SURFACES['sign-in page']}&mock_user=owner@acme.test&mock_consent=accept", fault)
    return way_back.headers["Location"].partition("code=")[2]


def exchange(root, code, fault=None):
    form = {"code": code, "client_id": "app", "client_secret": "s3cret"}
    headers = {} if fault is None else {"X-Mock-Fault": fault}
    return requests.post(f"{root}/realms/partner/oauth/token", data=form, headers=headers, timeout=10)


def test_code_still_works_after_a_request_without_an_answer(root):
    for fault in ("connection_reset", "empty_response", "hang; ms=5"):
        code = new_code(root)
        with pytest.raises(requests.ConnectionError):
            exchange(root, code, fault)

        assert exchange(root, code).status_code == 200


def test_a_truncated_answer_means_that_the_code_was_used(root):
    code = new_code(root)
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        exchange(root, code, "truncated_body")

    assert exchange(root, code).json()["error"] == "invalid_grant"
