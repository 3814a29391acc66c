"""Recipes with packages that ours do not get along with, in an environment of their own."""

import json
from pathlib import Path

import pytest
import requests

from mockserver import MockServer

pytestmark = pytest.mark.slow  # an environment is made

_FOLDER = Path(__file__).parents[1] / "examples" / "recipes"
_VERIFY = """
import sys
from pact import Verifier
root, folder = sys.argv[1:]
verifier = Verifier("brevo", host="127.0.0.1").add_transport(url=root)
verifier.add_custom_header("api-key", "any").add_source(folder).verify()
"""


_CALL_TOOLS = """
import asyncio, json, sys
from fastmcp import Client
from mcp_server import make_server

async def main():
    async with Client(make_server(*sys.argv[1:])) as client:
        names = [tool.name for tool in await client.list_tools()]
        made = await client.call_tool_mcp("createSender", {"name": "Jo", "email": "jo@acme.test"})
    print(json.dumps([names, made.structured_content]))

asyncio.run(main())
"""


@pytest.fixture(scope="session")
def recipes(environments, wheel):
    """An environment with the wheel, and the packages of the recipes."""

    def fill(found):
        found.install("--no-deps", "-r", str(Path(__file__).with_name("recipes.txt")))
        found.install("--no-index", str(wheel))

    return environments.make("recipes", fill)


@pytest.fixture
def contract(recipes, serve, tmp_path):
    """The contract of a product that has listed senders twice and created one."""
    root = serve("onboarding")
    for _ in range(2):
        requests.get(f"{root}/v3/senders", headers={"api-key": "any"}, timeout=10)
    requests.post(
        f"{root}/v3/senders", json={"name": "Jo", "email": "jo@acme.test"}, headers={"api-key": "any"}, timeout=10
    )
    ended = recipes.run("python", _FOLDER / "journal_to_pact.py", "default", tmp_path, MOCKSERVER_URL=root)
    assert ended.returncode == 0, ended.stderr
    return tmp_path / "shop-brevo.json"


def test_the_contract_has_each_kind_of_request_once_with_the_types_of_its_answer(contract):
    found = json.loads(contract.read_text(encoding="utf-8"))

    assert found["metadata"]["pactSpecification"] == {"version": "3.0.0"}
    assert [row["description"] for row in found["interactions"]] == ["getSenders: 200", "createSender: 201"]
    created = found["interactions"][1]
    assert created["request"]["body"] == {"name": "Jo", "email": "jo@acme.test"}
    assert created["providerStates"] == [{"name": "onboarding"}]
    assert created["response"]["matchingRules"]["body"]["$"]["matchers"] == [{"match": "type"}]


#: A state in which the sender of the contract exists, so that it cannot be created.
_TAKEN = {"accounts": [{"name": "acme", "senders": [{"name": "Jo", "email": "jo@acme.test"}]}]}


@pytest.mark.parametrize(("scenario", "status"), [("onboarding", 0), (_TAKEN, 1)], ids=["the same", "another"])
def test_the_contract_is_verified_against_a_provider_in_the_same_state_only(contract, recipes, serve, scenario, status):
    ended = recipes.run("python", "-c", _VERIFY, serve(scenario), contract.parent)

    assert ended.returncode == status, ended.stderr


def test_the_mcp_server_has_a_tool_for_each_operation_that_acts_on_the_workspace(recipes, serve):
    root = serve()
    with MockServer.connect(root) as server:
        workspace = server.workspace("onboarding")
        variables = {"MOCKSERVER_URL": root, "PYTHONPATH": str(_FOLDER), "NO_PROXY": "*", "no_proxy": "*"}

        ended = recipes.run("python", "-c", _CALL_TOOLS, workspace.url, workspace.api_key, **variables)

        assert ended.returncode == 0, ended.stderr
        names, made = json.loads(ended.stdout)
        document = server.client.json("GET", "/_mock/openapi.json")
        operations = {call["operationId"] for methods in document["paths"].values() for call in methods.values()}
        assert set(names) == operations
        assert workspace.machines.get("sender", made["id"]).state == "awaiting_verification"
