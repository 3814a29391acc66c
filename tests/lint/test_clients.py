"""Clients over real sockets: what the journal knows of when they leave, and the official libraries."""

from __future__ import annotations

import gc
from contextlib import suppress

import brevo
import httpx
import pytest
import requests
import sib_api_v3_sdk as sib

from mockserver import MockServer

MASTER = {"accounts": [{"name": "acme", "role": "master", "api_keys": ["any"]}]}
TWO = "2 sub-accounts with this e-mail exist"


@pytest.fixture(scope="module")
def server():
    with MockServer(scenario=MASTER) as found:
        yield found


@pytest.fixture
def workspace(server):
    with server.workspace() as found:
        yield found


def messages(workspace):
    return [(row.rule, row.message) for row in workspace.findings()]


def create(workspace, **options):
    """Create a sub-account as `requests` does; without an answer, nothing."""
    body, headers = {"companyName": "Shop", "email": "shop@acme.test"}, {"api-key": workspace.api_key}
    with suppress(requests.RequestException):
        requests.post(f"{workspace.url}/corporate/subAccount", json=body, headers=headers, **options)


@pytest.mark.parametrize(
    ("fault", "damage"),
    [
        ({"fault": "latency", "ms": 60_000}, TWO), ({"fault": "hang"}, "1 sub-account with this e-mail exists"),
        ({"fault": "connection_reset"}, "1 sub-account with this e-mail exists"),
    ],
)  # fmt: skip
def test_client_that_gives_up_and_repeats_is_found(workspace, fault, damage):
    workspace.faults.add(fault.pop("fault"), times=1, **fault)
    for seconds in (0.5, 10):
        create(workspace, timeout=seconds)

    gc.collect()  # `requests` closes the connection of an error when the error is collected
    workspace.requests.wait(10, held=False, fault="fault-1")
    assert messages(workspace) == [("repeated-write", f"createSubAccount was repeated after no answer; {damage}")]


def test_client_that_repeats_at_once_on_a_new_connection_is_found(workspace):
    workspace.faults.add("lost_answer", times=1)
    for _ in range(2):
        create(workspace, timeout=10)

    assert messages(workspace) == [("repeated-write", f"createSubAccount was repeated after a 504; {TWO}")]


@pytest.mark.parametrize("fault", ["lost_answer", "rate_limited"])
def test_official_client_repeats_without_care(workspace, fault):
    workspace.faults.add(fault, times=1, **({"reset_s": 30} if fault == "rate_limited" else {}))
    with httpx.Client() as connections:
        client = brevo.Brevo(base_url=workspace.url, api_key=workspace.api_key, httpx_client=connections)
        client.master_account.create_a_new_sub_account_under_a_master_account(
            company_name="Shop", email="shop@acme.test"
        )

    rule = {"lost_answer": "repeated-write", "rate_limited": "ignored-rate-limit"}[fault]
    assert [name for name, _ in messages(workspace)] == [rule]


@pytest.mark.parametrize("fault", ["lost_answer", "rate_limited"])
def test_legacy_client_repeats_nothing(workspace, fault):
    workspace.faults.add(fault, times=1)
    settings = sib.Configuration()
    settings.host, settings.api_key["api-key"] = workspace.url, workspace.api_key
    client = sib.ApiClient(settings)

    with suppress(sib.rest.ApiException):
        body = sib.CreateSubAccount(company_name="Shop", email="shop@acme.test")
        sib.MasterAccountApi(client).corporate_sub_account_post(body)
    client.rest_client.pool_manager.clear()

    assert messages(workspace) == []
