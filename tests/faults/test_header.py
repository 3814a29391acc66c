"""A fault for one call, by the request's header."""

from __future__ import annotations

from tables import tables

#: The tables of the tests by name.
CASES = tables(__file__)
OTP = "/v3/senders/2/validate"


def call(api, text, method="GET", path="/v3/senders", **options):
    return api.request(method, path, headers={"X-Mock-Fault": text}, **options)


GOOD = CASES["good"]


def test_a_header_asks_for_a_fault(api):
    for name, (text, status, message) in GOOD.items():
        found = call(api, text)
        assert (found.status_code, found.json["message"]) == (status, message), name
        assert found.headers["X-Mock-Fault"] == "header"


def test_a_fault_of_a_header_is_for_its_call_alone(api, rules):
    assert call(api, "unavailable").status_code == 503
    assert api.get("/v3/senders").status_code == 200
    assert rules.all() == []


def test_a_fault_of_a_header_goes_before_the_rules_and_leaves_them_alone(api, rules):
    rules.add("server_error", times=1)
    assert call(api, "unavailable").status_code == 503
    assert rules.hits() == [0]


def test_a_fault_of_a_header_comes_after_authentication(make_api, scenario):
    api = make_api(scenario, key="master-key", keys="known")
    assert call(api, "unavailable", key="unknown").json["code"] == "unauthorized"


def test_a_fault_of_a_header_comes_before_routing(api):
    assert call(api, "unavailable", path="/v3/no/such").status_code == 503
    assert call(api, "error; code=bad_request", path="/v3/no/such").status_code == 400


def test_a_named_fault_of_the_called_operation(api):
    assert call(api, "otp_expired", "PUT", OTP).json["code"] == "OTP code has expired"


REFUSED = {
    "an unknown name": ("otp_expire", "fault: unknown fault; did you mean otp_expired?"),
    "nothing": ("", "fault: unknown fault"),
    "a fault of another operation": ("otp_expired", "getSenders never answers `OTP code has expired`; it has no"),
    "a code of another operation": ("error; code=document_not_found", "getSenders never answers `document_not_found`"),
    "an unknown parameter": ("unavailable; mss=1", "mss: unknown key; did you mean ms?"),
    "a parameter of another kind": ("unavailable; ms=1", "unavailable takes no ms"),
    "a parameter of the wrong type": ("hang; ms=soon", "ms: neither a number nor a duration"),
    "no length": ("latency", "give ms or a distribution"),
    "what is for many calls": ("unavailable; times=1", "times: a fault of one call takes none"),
    "a match": ('{"fault": "unavailable", "match": {}}', "match: a fault of one call takes none"),
    "half of JSON": ('{"fault": ', "Expecting value"),
    "JSON nested deeply": ('{"a":' * 3000, "nested too deeply"),
    "JSON with a number that there is not": ('{"fault": "latency", "ms": NaN}', "NaN is not JSON"),
    "a name that is a list": ('{"fault": ["unavailable"]}', "fault: Not a valid string"),
    "bytes that are no UTF-8": ('{"fault": "\xff"}', "not UTF-8"),
}
UNUSUAL = [
    ";", "latency; ms", "latency; ms=-1", "{", "{}", "[]", "error", '{"fault":"latency","ms":1e400}',
    "error; code=nothing", "a" * 5000, "latency; ms=1; ms",
]  # fmt: skip


def test_a_header_that_is_no_good_is_refused_in_the_services_words(api):
    for text, message in (*REFUSED.values(), *((text, "") for text in UNUSUAL)):
        found = call(api, text)
        assert (found.status_code, found.json["code"]) == (400, "invalid_parameter"), text
        assert found.json["message"].startswith("X-Mock-Fault: ")
        assert message in found.json["message"], text
        assert "X-Mock-Fault" not in found.headers


def test_a_fault_of_one_operation_is_refused_where_none_is_called(api):
    found = call(api, "otp_expired", path="/v3/no/such")
    assert found.json["message"] == "X-Mock-Fault: otp_expired is for validateSenderByOtp, and none of them is called"


def test_a_header_that_is_no_good_changes_nothing(api):
    call(api, "otp_expire", "DELETE", "/v3/senders/1")
    assert [row["id"] for row in api.get("/v3/senders").json["senders"]] == [1, 2]


def test_a_header_that_is_no_good_is_not_met_as_a_code_of_the_service(api):
    call(api, "unavailable; ms=1", "POST")
    assert api.workspace.coverage.codes == {("createSender", "invalid_parameter", True): 1}
