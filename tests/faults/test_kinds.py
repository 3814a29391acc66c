"""What each kind of fault answers, in the service's own words."""

from __future__ import annotations

import json

import pytest
from tables import tables

from mockserver.core.contract import errors
from mockserver.core.state.faults import FAULT_KINDS
from mockserver.core.traffic.exchange import Reply
from mockserver.resources.registry import ALL_OPERATIONS, OPERATIONS
from mockserver.web.service.exchange import spoilt

#: The tables of the tests by name.
CASES = tables(__file__)
NAMED = CASES["named"]
#: Kinds whose answer is the service's own, or none.
OTHERS = {
    "error", "lost_answer", "latency", "hang", "connection_reset", "empty_response", "truncated_body", "malformed_body",
    "slow_body", "changed_answer", "unknown_members", "absent_members", "stale_read", "late_row", "member_order",
    "tls_handshake", "expired_certificate",
}  # fmt: skip
OF_ONE_OPERATION = {
    "otp_expired": ("PUT", "/v3/senders/2/validate"),
    "otp_invalid": ("PUT", "/v3/senders/2/validate"),
    "dns_failure": ("PUT", "/v3/senders/domains/acme.test/authenticate"),
    "permission_denied": ("GET", "/v3/corporate/masterAccount"),
    "not_enough_credits": ("PUT", "/v3/corporate/subAccount/9/plan"),
}


def call(api, fault):
    return api.request(*OF_ONE_OPERATION.get(fault, ("GET", "/v3/senders")))


def test_a_named_fault_speaks_the_services_words(api, rules):
    for fault, (status, code, message) in NAMED.items():
        rule = rules.add(fault, times=1)
        found = call(api, fault)
        assert (found.status_code, found.json) == (status, {"code": code, "message": message})
        assert found.headers["X-Mock-Fault"] == rule["id"]
        assert found.headers["Content-Type"] == "application/json"
        assert found.data.endswith(b"}\n")
        limits = set() if status == 401 else {"x-sib-ratelimit-limit"}
        assert {"sib-request-id", "access-control-allow-origin", *limits} <= {name for name, _ in found.headers}


def test_a_named_fault_may_have_another_message(api, rules):
    for fault, (_, code, _) in NAMED.items():
        rules.add(fault, message="Not today", times=1)
        assert call(api, fault).json == {"code": code, "message": "Not today"}


def test_a_named_fault_of_one_operation_hits_no_other_and_any_other_fault_hits_everywhere(api, rules):
    for fault in NAMED:
        rules.add(fault)
        for path in ("/v3/senders", "/v3/account", "/v3/no/such"):
            assert ("X-Mock-Fault" in api.get(path).headers) == (fault not in OF_ONE_OPERATION), (fault, path)
        api.delete("/_mock/faults")


def test_every_documented_error_is_injected_with_its_own_status(api, rules):
    for row in OPERATIONS.values():
        for error in row.errors:
            rules.add("error", code=error.code.code, match={"operation": row.id}, times=1)
            found = api.request(row.method, row.path.replace("{", "").replace("}", ""))
            expected = {"code": error.code.code, "message": error.code.message}
            assert (found.status_code, found.json) == (error.status, expected), row.id


def test_every_error_code_can_be_injected_by_a_rule(api, rules):
    for code, error in errors.ALL_CODES.items():
        rules.add("error", code=code, force=True, match={"operation": "getSenders"}, times=1)
        found = api.get("/v3/senders")
        assert (found.status_code, found.json["code"]) == (error.status, code)


def test_an_operation_that_documents_another_status_for_a_code_gets_it(api, rules):
    rules.add("not_enough_credits")
    rule = api.workspace.state.faults.get("fault-1")
    rule.statuses = {"updateSubAccountPlan": 402}
    assert api.put("/v3/corporate/subAccount/9/plan").status_code == 402
    assert api.put("/v3/corporate/subAccounts/plan").status_code == 400


def test_an_error_may_have_another_status_and_message(api, rules):
    rules.add("error", code="not_enough_credits", status=402, message="Top up")
    found = api.put("/v3/corporate/subAccount/9/plan")
    assert (found.status_code, found.json) == (402, {"code": "not_enough_credits", "message": "Top up"})


# ---------------------------------------------------------------------- limits of requests


def test_rate_limited_client_is_told_when_to_come_back(api, rules):
    rules.add("rate_limited", reset_s=30)
    found = api.get("/v3/senders")
    assert found.headers.getlist("x-sib-ratelimit-remaining") == ["0"]
    assert found.headers.getlist("x-sib-ratelimit-reset") == ["30"]
    assert len(found.headers.getlist("x-sib-ratelimit-limit")) == 1
    assert "Retry-After" not in found.headers


def test_a_rate_limit_is_over_in_a_second_where_the_rule_does_not_say(api, rules):
    rules.add("rate_limited")
    assert api.get("/v3/senders").headers["x-sib-ratelimit-reset"] == "1"


def test_the_limit_is_real_again_after_the_fault(api, rules):
    rules.add("rate_limited", times=1)
    api.get("/v3/senders")
    assert api.get("/v3/senders").headers["x-sib-ratelimit-remaining"] == "98"


# ---------------------------------------------------------------------- the real answer, changed


def test_a_lost_answer_does_the_work(api, rules):
    rule = rules.add("lost_answer")
    found = api.post("/v3/senders", json={"name": "New", "email": "new@acme.test"})
    assert (found.status_code, found.json["code"]) == (504, "internal_error")
    assert found.headers["X-Mock-Fault"] == rule["id"]
    api.delete(f"/_mock/faults/{rule['id']}")
    assert [row["email"] for row in api.get("/v3/senders").json["senders"]][-1] == "new@acme.test"
    assert [mail["to"] for mail in api.get("/_mock/mailbox").json["items"]] == ["new@acme.test"]
    again = api.post("/v3/senders", json={"name": "New", "email": "new@acme.test"})
    assert again.json["code"] == "duplicate_parameter"


def test_the_answer_to_a_refusal_is_lost_as_well(api, rules):
    rules.add("lost_answer")
    assert api.post("/v3/senders", json={}).status_code == 504


def test_a_malformed_body_is_no_json(api, rules):
    rules.add("malformed_body")
    found = api.get("/v3/senders")
    assert found.status_code == 200
    assert int(found.headers["Content-Length"]) == len(found.data)
    with pytest.raises(ValueError, match=r"Expecting|Invalid|Unterminated"):
        json.loads(found.data)


def test_no_body_is_json_when_it_is_malformed():
    """Half of a number would be a number."""
    for length in range(1, 11):
        with pytest.raises(ValueError, match=r"Extra data|Expecting value"):
            json.loads(spoilt(b"1" * length + b"\n"))


def test_malformed_body_fault_applies_to_refusals(api, rules):
    rules.add("malformed_body")
    found = api.get("/v3/senders/domains/none.test")
    assert (found.status_code, found.data[:1], found.data[-2:]) == (404, b"{", b"\x00\n")


def test_an_answer_without_a_body_stays_one(api, rules):
    rules.add("malformed_body")
    found = api.delete("/v3/senders/1")
    assert (found.status_code, found.data, found.headers.get("X-Mock-Fault")) == (204, b"", "fault-1")


# ---------------------------------------------------------------------- latency


def delays(api, number):
    """How long the answers would be held back, in milliseconds; nothing waits for them here."""
    rule, exchange = next(iter(api.workspace.state.faults)), next(iter(api.workspace.journal))
    random = api.workspace.state.random
    return [rule.answer(exchange, lambda: Reply(200), random).wire.delay_s * 1000 for _ in range(number)]


@pytest.fixture
def asked(api):
    api.get("/v3/account")
    return api


def test_a_lognormal_delay_has_its_median_and_its_spread(asked, rules):
    rules.add(
        "latency", distribution={"type": "lognormal", "median_ms": 90, "sigma": 0.4}, match={"operation": "getIps"}
    )
    found = sorted(delays(asked, 2001))
    assert 85 < found[1000] < 95
    # A share of 0.8413 lies below one sigma: 90 * e ** 0.4.
    assert 125 < found[1683] < 144
    assert found[0] < 40
    assert found[-1] > 200


def test_a_uniform_delay_fills_its_range(asked, rules):
    rules.add("latency", distribution={"type": "uniform", "low_ms": 10, "high_ms": 20}, match={"operation": "getIps"})
    found = sorted(delays(asked, 1000))
    assert 10 <= found[0] < 10.2
    assert 19.8 < found[-1] <= 20
    assert 14.5 < found[500] < 15.5


def test_no_delay_is_longer_than_a_day(asked, rules):
    wide = {"type": "lognormal", "median_ms": 86_400_000, "sigma": 5}
    rules.add("latency", distribution=wide, match={"operation": "getIps"})
    assert max(delays(asked, 50)) == 86_400_000


def test_delays_are_drawn_from_the_seed(make_api, scenario, rules_of):
    found = []
    for _ in range(2):
        api = make_api(scenario)
        api.get("/v3/account")
        distribution = {"type": "uniform", "low_ms": 1, "high_ms": 1000}
        rules_of(api).add("latency", distribution=distribution, match={"operation": "getIps"})
        found.append(delays(api, 10))
    assert found[0] == found[1]
    assert len(set(found[0])) == 10


# ---------------------------------------------------------------------- the catalogue


@pytest.fixture
def catalogue(api):
    return {row["fault"]: row for row in api.get("/_mock/faults/catalogue").json["items"]}


def test_the_catalogue_lists_every_fault(catalogue):
    assert catalogue.keys() == FAULT_KINDS.keys() == NAMED.keys() | OTHERS


def test_the_catalogue_says_what_a_named_fault_answers(catalogue):
    for fault, answer in NAMED.items():
        found = catalogue[fault]
        assert [found["status"], found["code"], found["message"]] == answer
        assert found["parameters"] == (["message", "reset_s"] if fault == "rate_limited" else ["message"])


def test_the_catalogue_says_for_which_operations_a_fault_is(catalogue):
    assert catalogue["otp_expired"]["operations"] == ["validateSenderByOtp"]
    assert catalogue["dns_failure"]["operations"] == ["authenticateDomain"]
    assert catalogue["server_error"]["operations"] == list(ALL_OPERATIONS)


def test_the_catalogue_names_every_parameter_of_the_wires_faults(catalogue):
    assert {name: catalogue[name]["parameters"] for name in sorted(OTHERS)} == {
        "changed_answer": [],
        "connection_reset": [],
        "empty_response": [],
        "error": ["code", "status", "message"],
        "expired_certificate": [],
        "tls_handshake": ["alert"],
        "hang": ["ms"],
        "latency": ["ms", "distribution"],
        "lost_answer": [],
        "malformed_body": [],
        "member_order": [],
        "absent_members": ["names"],
        "stale_read": [],
        "late_row": ["message"],
        "slow_body": ["ms"],
        "unknown_members": ["members"],
        "truncated_body": [],
    }


def test_every_fault_kind_has_a_description(catalogue):
    assert [name for name, row in catalogue.items() if len(row["does"]) < 10] == []
