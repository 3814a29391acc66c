"""Scenario and client for single sign-on, and readers of landing pages."""

from __future__ import annotations

import re
from html import unescape

import pytest
from web_page import plain

WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "group", "id": 1003001, "role": "master", "enterprise": True, "api_keys": ["key-group"],
            "company_name": "Group & <b>Sons</b>", "email": "boss@group.test",
            "users": [{"email": "boss@group.test", "admin": True}, {"email": "clerk@group.test"}],
        },
        {
            "name": "desk", "id": 1003004, "role": "admin", "of": "group", "enterprise": True,
            "api_keys": ["key-desk"], "email": "admin@desk.test",
            "users": [{"email": "admin@desk.test", "admin": True}],
        },
        {
            "name": "shop", "id": 1003002, "role": "sub_account", "of": "group", "enterprise": True,
            "api_keys": ["key-shop"], "company_name": "Shop", "email": "keeper@shop.test",
            "users": [{"email": "keeper@shop.test"}, {"email": "helper@shop.test"}],
        },
        {
            "name": "alone", "id": 1003003, "api_keys": ["key-alone"],
            "users": [{"email": "me@alone.test", "admin": True}],
        },
    ],
}  # fmt: skip
KINDS = {"corporate": "corporate/ssoToken", "sub-account": "corporate/subAccount/ssoToken"}


@pytest.fixture
def document():
    return WORKSPACE


class SsoWorkspace:
    """Client of a workspace that creates and uses sign-in tokens."""

    def __init__(self, api, root=""):
        self.api = api
        self.root = root

    def make(self, kind, key="key-group", **body):
        return self.api.post(f"{self.root}/v3/{KINDS[kind]}", key=key, json=body)

    def token(self, kind="sub-account", key="key-group", **body):
        """Create a token for the organization (`corporate`) or a sub-account, by default for the owner."""
        asked = {"email": "boss@group.test"} if kind == "corporate" else {"id": 1003002}
        answer = self.make(kind, key, **asked | body)
        assert answer.status_code == 200, answer.text
        return answer.json["token"]

    def land(self, token, kind="sub-account", method="GET", **options):
        return self.api.client.open(f"{self.root}/account/login/{kind}/sso/{token}", method=method, **options)

    def reason(self):
        return self.api.get(f"{self.root}/_mock/requests").json["items"][0]["reason"]


@pytest.fixture
def make_workspace(make_api):
    return lambda **changes: SsoWorkspace(make_api({**WORKSPACE, **changes}))


@pytest.fixture
def workspace_of():
    return SsoWorkspace


@pytest.fixture
def details():
    """Return the values of a landing page by their labels."""
    rows = re.compile(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>")
    return lambda page: {plain(name): plain(value) for name, value in rows.findall(page.text)}


@pytest.fixture
def links():
    """Return the link addresses of a landing page."""
    return lambda page: [unescape(link) for link in re.findall(r'href="(.*?)"', page.text[page.text.index("<dl>") :])]


@pytest.fixture
def is_page():
    """Check that an answer is a page with a status and a sentence."""

    def check(answer, status, sentence):
        assert (answer.status_code, answer.content_type) == (status, "text/html; charset=utf-8")
        assert sentence in plain(answer.text)
        assert "This is a mock server" in plain(answer.text)
        return True

    return check
