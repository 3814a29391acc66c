"""`mockserver verify`: the contract, played against a server."""

import json

import pytest
import requests

from mockserver.core.contract import errors


def test_verify_without_url_replays_the_contract_in_process(run):
    answer = run("verify")

    assert answer.exit_code == 0
    assert answer.output.endswith("exchanges as promised\n")


@pytest.mark.slow
def test_the_contract_is_replayed_against_a_running_server_in_a_workspace_of_its_own(run, serve):
    root = serve("onboarding", keys="known", control_token="sesame")
    workspace = {"headers": {"Authorization": "Bearer sesame", "X-Mock-Workspace": "default"}}
    before = requests.get(f"{root}/_mock/state", **workspace).json()

    answer = run("verify", "--url", root, "--json", "--token", "sesame")

    assert (answer.exit_code, json.loads(answer.output)["differences"]) == (0, {})
    assert requests.get(f"{root}/_mock/state", **workspace).json() == before
    assert requests.get(f"{root}/_mock/requests", **workspace).json()["count"] == 0
    assert requests.get(f"{root}/_mock/health").json()["workspaces"] == 1
    assert requests.get(f"{root}/_mock/coverage?workspace=*", **workspace).json()["percent"] == 0


def test_a_server_whose_token_is_another_one_cannot_be_verified(run, serve):
    answer = run("verify", "--url", serve("empty", control_token="sesame"), "--token", "other")

    assert answer.exit_code == 2
    assert "wrong control token" in answer.output


@pytest.mark.slow
def test_an_exchange_that_is_answered_otherwise_is_found_wanting(run, monkeypatch):
    monkeypatch.setattr("mockserver.core.contract.errors.OTP_EXPIRED", errors.OTP_INVALID)

    answer = run("verify")

    assert answer.exit_code == 1
    assert "$.code: wanted 'OTP code has expired', got 'Invalid OTP code provided'" in answer.output
