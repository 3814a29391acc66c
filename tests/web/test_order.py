"""What is checked first, where a request has several faults (contract/errors#order)."""

import pytest


@pytest.mark.parametrize(
    ("call", "body", "status", "code"),
    [
        ("PUT /v3/senders/999", {"name": 5}, 400, "invalid_parameter"),
        ("PUT /v3/senders/999", {"name": "A"}, 404, "document_not_found"),
        ("POST /v3/corporate/subAccount", {}, 403, "permission_denied"),
        ("POST /v3/webhooks/export", {}, 400, "missing_parameter"),
        ("GET /v3/organization/activities?limit=0", None, 400, "out_of_range"),
        ("GET /v3/organization/activities", None, 400, "permission_denied"),
        ("GET /v3/senders/", None, 404, "not_found"),
        ("GET /v3/senders//ips", None, 404, "not_found"),
        ("DELETE /v3/contacts/attributes/normal/firstname", None, 404, "document_not_found"),
    ],
)
def test_the_first_fault_of_a_request_is_told(api, call, body, status, code):
    method, path = call.split()
    answer = api.request(method, path, json=body)

    assert (answer.status_code, answer.json["code"]) == (status, code)


def test_a_key_counts_whatever_the_bearer_beside_it(make_api):
    api = make_api(keys="known")

    both = {"Authorization": "Bearer bad"}
    assert api.get("/v3/senders", key="xkeysib-acme", headers=both).status_code == 200
    assert api.get("/v3/senders", headers={**both, "api-key": ""}).json["message"] == "Invalid access token"


def test_head_is_answered_as_get_and_options_without_a_key(api):
    assert api.request("HEAD", "/v3/senders").status_code == 200
    answer = api.client.options("/v3/nowhere")
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (204, "*")


def test_filters_compare_addresses_without_case(api):
    found = [api.get(f"/v3/senders?domain={name}").json for name in ("acme.test", "ACME.test")]

    assert found[0]["senders"]
    assert found[0] == found[1]
