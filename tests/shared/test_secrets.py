"""Secrets and sessions are those of the store, at all servers and at any time."""

from __future__ import annotations

import pytest
import requests

WITH_APP = {
    "accounts": [{"name": "acme", "enterprise": True}],
    "oauth_apps": [{"client_id": "app", "client_secret": "s3cret", "scopes": ["account:read"]}],
}
FORM = {"grant_type": "client_credentials", "client_id": "app", "client_secret": "s3cret"}
TOKEN = "t0ken"  # of servers that end with the test


@pytest.fixture
def cluster(make_cluster, engine):
    return make_cluster(engine.url(), 2, "--control-token", TOKEN)


def token_of(cluster, server, name):
    answer = cluster.ask("POST", f"/w/{name}/realms/partner/oauth/token", server=server, data=FORM)
    assert answer.status_code == 200, answer.text
    return answer.json()["access_token"]


def test_a_token_of_any_server_opens_all_after_the_database_was_emptied(cluster, engine):
    control = {"Authorization": f"Bearer {TOKEN}"}

    def make(name, server):
        body = {"name": name, "scenario": WITH_APP}
        return cluster.ask("POST", "/_mock/workspaces", server=server, json=body, headers=control).status_code

    old, new = cluster.servers
    assert make("before", old) == 201
    token_of(cluster, old, "before")
    assert engine.command("FLUSHALL") == "+OK"
    new.start()
    new.wait()
    assert make("after", new) == 201

    tokens = [token_of(cluster, server, "after") for server in (new, old)]
    statuses = [
        cluster.ask("GET", "/v3/account", server=server, headers={"Authorization": f"Bearer {token}"}).status_code
        for token in tokens
        for server in (old, new)
    ]

    assert statuses == [200] * 4


def signed_in(server):
    """A browser that has signed in at a server."""
    browser = requests.Session()
    browser.post(f"{server.url}/_mock/ui/sign-in", data={"token": TOKEN}, timeout=30)
    return browser


def opens(browser, server):
    """Whether a server shows its pages to a browser without asking it to sign in."""
    answer = browser.get(f"{server.url}/_mock/ui/requests", allow_redirects=False, timeout=30)
    return answer.status_code == 200


def test_sign_in_at_one_server_is_valid_at_all(cluster):
    one, other = cluster.servers
    browser = signed_in(one)

    assert [opens(browser, one), opens(browser, other)] == [True, True]
    assert not opens(requests.Session(), other)


def test_sign_out_at_one_server_is_valid_at_all(cluster):
    one, other = cluster.servers
    browser = signed_in(one)
    kept = requests.Session()
    kept.cookies.update(browser.cookies)

    browser.post(f"{one.url}/_mock/ui/sign-out", headers={"Origin": one.url}, timeout=30)

    assert [opens(kept, one), opens(kept, other)] == [False, False]
    other.start()
    other.wait()
    assert not opens(kept, other)
