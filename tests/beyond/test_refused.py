"""What a call beyond the mock meets by default: 404 as at the service, and word of what was meant."""

import pytest
from tables import tables

#: The parametrized cases by test.
CASES = tables(__file__)

NOT_FOUND = {"code": "not_found", "message": "Invalid route/method passed"}


def entry(api):
    """The newest request of the journal."""
    return api.get("/_mock/requests").json["items"][0]


def test_an_operation_that_only_the_service_has_is_404_with_its_name_in_a_header(api):
    answer = api.post("/v3/companies", json={})

    assert (answer.status_code, answer.json) == (404, NOT_FOUND)
    assert answer.headers["X-Mock-Beyond"] == "postCompanies"
    assert answer.headers["X-Mock-Answered"] == "refused"


def test_the_journal_has_its_name_its_parameters_and_the_reason(api):
    api.get("/v3/crm/deals/7")

    found = entry(api)
    assert found["operation"] == "getCrmDealsById"
    assert found["reason"] == (
        "getCrmDealsById is not implemented: the service has this operation, the mock does not; "
        "add a stub, or start the server with --beyond"
    )
    assert next(iter(api.workspace.journal)).params == {"id": "7"}


def test_an_encoded_slash_is_part_of_a_parameter(api):
    api.get("/v3/contacts/a%2Fb")

    assert next(iter(api.workspace.journal)).params == {"identifier": "a/b"}


@pytest.mark.parametrize(
    ("method", "path", "reason"),
    [
        *CASES["what_the_service_does_not_have"],
        ("GET", "/v3/" + "x" * 1000, f"unknown route: no operation has the path /v3/{'x' * 195}…"),
    ],
)
def test_what_the_service_does_not_have_either_is_a_plain_404_that_tells_what_it_has(api, method, path, reason):
    answer = api.request(method, path)

    assert (answer.status_code, answer.json) == (404, NOT_FOUND)
    assert "X-Mock-Beyond" not in answer.headers
    assert "X-Mock-Answered" not in answer.headers
    assert entry(api)["operation"] is None
    assert entry(api)["reason"] == reason


def test_a_caller_without_a_key_is_refused_before_with_the_name_all_the_same(make_api):
    api = make_api(keys="known")

    answer = api.post("/v3/companies", key="nobody", json={})

    assert answer.status_code == 401
    assert answer.headers["X-Mock-Beyond"] == "postCompanies"
    assert "X-Mock-Answered" not in answer.headers
    assert entry(api)["operation"] == "postCompanies"


def test_such_a_call_counts_in_the_rate_limit(api):
    before = int(api.get("/v3/crm/deals").headers["x-sib-ratelimit-remaining"])

    assert int(api.get("/v3/crm/deals").headers["x-sib-ratelimit-remaining"]) == before - 1


def test_over_the_rate_limit_it_is_429_with_the_name_all_the_same(make_api):
    api = make_api({"clock": {"frozen": True}, "behaviour": {"rate_limit": {"enforce": True}}})
    for _ in range(10):
        assert api.get("/v3/contacts/segments").status_code == 404

    answer = api.get("/v3/contacts/segments")

    assert (answer.status_code, answer.headers["X-Mock-Beyond"]) == (429, "getSegments")
    assert entry(api)["beyond"] == "intercepted"


def test_head_is_answered_as_get_and_a_preflight_as_everywhere(api):
    head, preflight = api.request("HEAD", "/v3/companies/7"), api.request("OPTIONS", "/v3/companies/7")

    assert (head.status_code, head.data, head.headers["X-Mock-Beyond"]) == (404, b"", "getCompaniesById")
    assert preflight.status_code == 204
