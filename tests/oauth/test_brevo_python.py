"""The official client library fetches a token by itself, when it is given an app's id and secret."""

from __future__ import annotations

import asyncio

import httpx
import pytest
import requests
from brevo import AsyncBrevo, Brevo
from brevo.core.api_error import ApiError

CREDENTIALS = {"client_id": "shop-app", "client_secret": "s3cret"}

pytestmark = pytest.mark.usefixtures("anew")


@pytest.fixture
def side(live_root, story):
    """The root address of another workspace of the same server, where the same app opens another account."""
    apps = [{**app, "account": "shop"} for app in story["oauth_apps"] if app["client_id"] == "shop-app"]
    document = {**story, "clock": {}, "oauth_apps": apps}
    made = requests.post(f"{live_root}/_mock/workspaces", json={"name": "side", "scenario": document}, timeout=10)
    assert made.status_code == 201, made.text
    yield f"{live_root}/w/side"
    requests.delete(f"{live_root}/_mock/workspaces/side", timeout=10)


@pytest.fixture
def connect():
    """A factory of clients at a base address, without any environment's credentials."""
    with httpx.Client() as http:
        yield lambda base, **options: Brevo(base_url=base, httpx_client=http, max_retries=0, **options)


def asked(live_root, workspace="default"):
    """What a workspace was asked for by apps and with tokens, the earliest first."""
    headers = {"X-Mock-Workspace": workspace}
    rows = requests.get(f"{live_root}/_mock/requests", headers=headers, timeout=10).json()["items"]
    return [f"{row['operation']} {row['status']}" for row in reversed(rows)]


def test_the_library_fetches_a_token_and_calls_the_api_with_it(connect, live_root):
    client = connect(f"{live_root}/v3", **CREDENTIALS)

    assert [row.email for row in client.senders.get_senders().senders] == ["news@group.test"]
    assert client.account.get_account().company_name == "Group"

    # One token does for both.
    assert asked(live_root) == ["oauthTokenClientCredentials 200", "getSenders 200", "getAccount 200"]


def test_library_fetches_its_token_in_another_workspace(connect, live_root, side):
    client = connect(f"{side}/v3", **CREDENTIALS)

    assert [row.email for row in client.senders.get_senders().senders] == ["news@shop.test"]

    assert asked(live_root, "side") == ["oauthTokenClientCredentials 200", "getSenders 200"]
    assert asked(live_root) == []


def test_official_async_client_calls_the_api_with_app_credentials(side):
    async def emails():
        async with httpx.AsyncClient() as http:
            client = AsyncBrevo(base_url=f"{side}/v3", httpx_client=http, max_retries=0, **CREDENTIALS)
            return [row.email for row in (await client.senders.get_senders()).senders]

    assert asyncio.run(emails()) == ["news@shop.test"]


@pytest.mark.parametrize("change", [{"client_secret": "wrong"}, {"client_id": "nobody"}])
def test_wrong_credentials_are_the_librarys_most_general_error(connect, live_root, change):
    with pytest.raises(ApiError) as refused:
        connect(f"{live_root}/v3", **{**CREDENTIALS, **change}).senders.get_senders()

    assert (refused.value.status_code, refused.value.body["error"]) == (401, "invalid_client")
    assert asked(live_root) == ["oauthTokenClientCredentials 401"]


def test_a_token_can_be_fetched_on_demand_and_given_to_another_client(connect, live_root):
    token = connect(f"{live_root}/v3", token="none").o_auth.get_o_auth_m2m_token(**CREDENTIALS, scope="account:read")

    assert (token.token_type, token.expires_in) == ("Bearer", 3600)
    client = connect(f"{live_root}/v3", token=token.access_token)
    assert client.account.get_account().company_name == "Group"


def test_the_token_of_a_user_is_taken_as_well(connect, live_root, visit):
    query = "client_id=shop-app&redirect_uri=https%3A%2F%2Fapp.test%2Fcallback&scope=account:read"
    code = visit(f"{live_root}/realms/partner/oauth/authorize?{query}", "keeper@shop.test").partition("code=")[2]
    form = {**CREDENTIALS, "code": code}
    answer = requests.post(f"{live_root}/realms/partner/oauth/token", data=form, timeout=10).json()

    client = connect(f"{live_root}/v3", token=answer["access_token"])

    assert [row.email for row in client.senders.get_senders().senders] == ["news@shop.test"]
