"""Bodies that are not the mock's own run no scripts on its origin."""

import pytest
import yaml

HTML = "<script>fetch('/_mock/health')</script>"
STUB = {"method": "GET", "path": "/v3/companies", "answer": {"headers": {"Content-Type": "text/html"}, "text": HTML}}
FAULT = {"fault": "changed_answer", "match": {"operation": "getAccount"}}


def policies(answer):
    return answer.headers.getlist("Content-Security-Policy")


@pytest.mark.parametrize(
    "rule",
    [
        {"body": HTML, "headers": {"content-type": "text/html"}}, {"body": {"html": HTML}}, {"body": HTML},
        {"headers": {"Content-Type": "text/html"}}, {"fault": "server_error", "body": HTML},
        {"fault": "malformed_body", "headers": {"CONTENT-TYPE": "image/svg+xml"}},
    ],
)  # fmt: skip
def test_body_of_a_fault_is_sandboxed(api, rule):
    assert api.post("/_mock/faults", json={**FAULT, **rule}).status_code == 201

    assert policies(api.get("/v3/account")) == ["sandbox"]


def test_fault_in_an_operation_of_oauth_is_sandboxed(api):
    rule = {"fault": "server_error", "match": {"path": "/realms/**"}, "body": HTML}
    assert api.post("/_mock/faults", json=rule).status_code == 201

    assert policies(api.get("/realms/partner/.well-known/openid-configuration")) == ["sandbox"]


def test_page_under_a_fault_that_leaves_its_body_keeps_its_policy(api):
    rule = {"fault": "latency", "ms": 1, "match": {"path": "/realms/**"}, "headers": {"X-Proxy": "1"}}
    assert api.post("/_mock/faults", json=rule).status_code == 201

    assert "sandbox" not in str(policies(api.get("/realms/partner/oauth/authorize")))


@pytest.mark.parametrize("answer", [STUB["answer"], {"json": {"html": HTML}}, {"text": HTML}])
def test_answer_of_a_stub_is_sandboxed(api, answer):
    assert api.post("/_mock/stubs", json={**STUB, "answer": answer}).status_code == 201

    assert policies(api.get("/v3/companies")) == ["sandbox"]


def test_policy_of_a_stub_is_sent_beside_the_sandbox(api):
    headers = {**STUB["answer"]["headers"], "content-security-policy": "default-src *"}
    api.post("/_mock/stubs", json={**STUB, "answer": {**STUB["answer"], "headers": headers}})

    assert policies(api.get("/v3/companies")) == ["default-src *", "sandbox"]


def test_files_of_users_are_sandboxed(make_api):
    api = make_api("onboarding")
    api.post("/v3/senders", json={"name": HTML, "email": "jo@acme.test"})
    mail = api.get("/_mock/mailbox").json["items"][0]["id"]
    state = api.get("/_mock/state?format=yaml")

    assert yaml.safe_load(state.text)["accounts"]
    for answer in (state, api.get(f"/_mock/mailbox/{mail}.eml")):
        assert policies(answer) == ["sandbox"]


def test_answers_of_the_mock_itself_have_no_sandbox(api):
    for path in ("/v3/account", "/v3/nowhere", "/_mock/state", "/_mock/requests"):
        assert policies(api.get(path)) == []
