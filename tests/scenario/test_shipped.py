"""The scenarios that are shipped: each loads, works for all of its accounts, and survives being written out."""

from textwrap import indent

import pytest

from mockserver.resources.inbound.model import InboundEvent
from mockserver.resources.registry import OPERATIONS
from mockserver.scenario.documents.library import Library

NAMES = Library().names()
PROMISED = {
    "standard", "empty", "onboarding", "dedicated-ip", "enterprise", "corporate-v2", "corporate-v1",
    "sub-account-caller", "otp-expired", "dns-broken", "low-credits", "large",
}  # fmt: skip
FROZEN = {"start": "2026-01-15T09:00:00Z", "frozen": True}
READS = [operation for operation in OPERATIONS.values() if operation.method == "GET"]

every_scenario = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "large" else name for name in NAMES]
)


def test_shipped_scenarios_include_every_promised_name():
    assert set(NAMES) >= PROMISED


@every_scenario
def test_a_scenario_says_in_one_sentence_what_it_is(name):
    description = Library().read(name)["description"]
    assert description.endswith(".")
    assert description.count(".") == 1


@every_scenario
def test_every_account_reads_all_that_its_role_and_plan_allow(name, make_api):
    api = make_api(name, keys="known")
    accounts = api.workspace.state.accounts.values()
    for account, rows in zip(accounts, api.get("/_mock/state").json["accounts"], strict=True):
        assert account.api_keys, f"{account.name} has no key"
        keys = _keys(rows, [other.id for other in accounts if other.of == account.name and other.role == "sub_account"])
        for operation in READS:
            for path, query in _addresses(operation, keys):
                answer = api.get(path, key=account.api_keys[0], query_string=query)
                assert answer.status_code == _expected(account, operation), f"{account.name}: {path}: {answer.text}"


def _expected(account, operation):
    if operation.roles is not None and account.role not in operation.roles:
        return 403
    return 400 if operation.id == "getAccountActivity" and not account.enterprise else 200


def _addresses(operation, keys):
    """Path and query of some requests to an operation: lists that are not empty, the first few rows of a resource."""
    if operation.id == "listSubAccounts":
        return [(operation.path, {"offset": 0, "limit": 100})]
    if operation.id == "getWebhooks":
        return [(operation.path, {"type": kind}) for kind in keys["type"]]
    if "{" not in operation.path:
        return [(operation.path, {})]
    name = operation.path.partition("{")[2].partition("}")[0]
    return [(operation.path.replace(f"{{{name}}}", str(key)), {}) for key in keys[name][:5]]


def _keys(rows, sub_accounts):
    """The values that each parameter of a path can take in an account."""
    return {
        "senderId": [row["id"] for row in rows.get("senders", ())],
        "domainName": [row["name"] for row in rows.get("domains", ())],
        "type": {row["type"] for row in rows.get("webhooks", ())},  # a list of none is an error
        "webhookId": [row["id"] for row in rows.get("webhooks", ())],
        "campaignId": [row["id"] for row in rows.get("campaigns", ()) if row["kind"].startswith("email")],
        "id": sub_accounts,
    }


@every_scenario
def test_written_as_json_and_loaded_again_a_workspace_is_the_same(name, frozen_api):
    api = frozen_api(name)
    before = api.get("/_mock/state").json
    answer = api.post("/_mock/reset", json={"scenario": before})
    assert answer.status_code == 200, answer.text
    assert api.get("/_mock/state").json == before


# As YAML the large workspace takes ten seconds, and shows nothing that its JSON does not.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "large"])
def test_written_as_yaml_and_loaded_again_a_workspace_is_the_same(name, frozen_api):
    api = frozen_api(name)
    before = api.get("/_mock/state").json
    written = api.get("/_mock/state", headers={"Accept": "application/yaml"}).text
    answer = api.post("/_mock/reset", data=f"scenario:\n{indent(written, '  ')}", content_type="application/yaml")
    assert answer.status_code == 200, answer.text
    assert api.get("/_mock/state").json == before


@pytest.fixture
def frozen_api(make_api):
    """A factory of applications with a shipped workspace whose clock stands still."""

    def make(name):
        api = make_api("empty")
        answer = api.post("/_mock/reset", json={"scenario": {"extends": name, "clock": FROZEN}})
        assert answer.status_code == 200, answer.text
        return api

    return make


def test_only_the_large_workspace_needs_made_up_people():
    assert [name for name in NAMES if "generate" in Library().text(name)] == ["large"]


def test_the_large_workspace_is_as_large_as_it_says(make_api):
    api = make_api("large")
    assert len(api.get("/v3/senders").json["senders"]) == 2000
    assert api.get("/v3/senders/domains").json["count"] == 500
    assert len(api.workspace.state.first_account.timeline(InboundEvent)) == 50_000


def test_the_first_account_of_sub_account_caller_is_a_sub_account(make_api):
    accounts = make_api("sub-account-caller").post("/_mock/reset").json["accounts"]
    assert [account["role"] for account in accounts] == ["sub_account", "master", "sub_account"]
