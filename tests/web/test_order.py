"""What is checked first, where a request has several faults (contract/errors#order)."""

import pytest
from tables import tables

#: The tables of the tests by name.
CASES = tables(__file__)


@pytest.mark.parametrize(("call", "body", "status", "code"), CASES["the_first_fault"])
def test_the_first_fault_of_a_request_is_told(api, call, body, status, code):
    method, path = call.split()
    answer = api.request(method, path, json=body)

    assert (answer.status_code, answer.json["code"]) == (status, code)


def test_a_key_counts_whatever_the_bearer_beside_it(make_api):
    api = make_api(keys="known")

    both = {"Authorization": "Bearer bad"}
    assert api.get("/v3/senders", key="xkeysib-acme", headers=both).status_code == 200
    assert api.get("/v3/senders", headers={**both, "api-key": ""}).json["message"] == "Invalid access token"


def test_filters_compare_addresses_without_case(api):
    found = [api.get(f"/v3/senders?domain={name}").json for name in ("acme.test", "ACME.test")]

    assert found[0]["senders"]
    assert found[0] == found[1]
