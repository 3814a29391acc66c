"""What the tests of stubs share: a small workspace that stubs are written for, and calls of it."""

import pytest
from tables import tables

#: The tables of the tests by name.
CASES = tables(__file__)
WORKSPACE = CASES["workspace"]


@pytest.fixture
def stubbed(make_api):
    """A factory of workspaces with these stubs, which are GET /v3/contacts with an answer unless they say otherwise."""

    def make(*stubs, **members):
        usual = {"method": "GET", "path": "/v3/contacts"}
        whole = [{**usual, **stub} for stub in stubs]
        return make_api({**WORKSPACE, "stubs": whole, **members}, key="master-key")

    return make


@pytest.fixture
def answer_of(stubbed):
    """What a value with templates gives as the body of an answer to this request."""

    def given(value, *, path="/v3/contacts", method="GET", **request):
        api = stubbed({"method": method, "path": path, "answer": {"json": value}})
        answer = api.request(method, path, **request)
        assert answer.status_code == 200, reason_of(api)
        return answer.json

    return given


def last_of(api):
    """The last exchange of an API's workspace, as the control API shows it."""
    return api.get("/_mock/requests").json["items"][0]


def reason_of(api):
    return last_of(api)["reason"]


@pytest.fixture
def failure_of(stubbed):
    """Why a value with templates gives no answer."""

    def given(value, **request):
        api = stubbed({"answer": {"json": value}})
        answer = api.get("/v3/contacts", **request)
        assert (answer.status_code, answer.json["code"]) == (500, "internal_error")
        return reason_of(api)

    return given
