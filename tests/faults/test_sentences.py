"""The error codes that are sentences (contract/errors#codes): a rule may give them wherever they say what can go
wrong.
"""

from __future__ import annotations

import pytest
from tables import tables

#: The tables of the tests by name.
CASES = tables(__file__)
FITTING = CASES["fitting"]


def test_a_sentence_that_fits_an_operation_needs_no_force(api, rules):
    for code, operation, method, path, status in FITTING:
        rules.add("error", code=code, match={"operation": operation}, times=1)

        answer = api.request(method, path)

        assert (answer.status_code, answer.json["code"]) == (status, code)
        assert answer.json["message"]


@pytest.mark.parametrize(("code", "operation", "method", "path", "status"), CASES["campaigns"])
def test_a_code_of_campaigns_needs_no_force_and_has_the_status_of_its_operation(
    api, rules, code, operation, method, path, status
):
    rules.add("error", code=code, match={"operation": operation}, times=1)

    answer = api.request(method, path)

    assert (answer.status_code, answer.json["code"]) == (status, code)


@pytest.mark.parametrize(("code", "operation"), [
    ("Domain does not exist", "getSenders"),
    ("Attribute not found", "deleteSender"),
    ("Returned when query params are invalid", "getAccount"),
    ("Returned when invalid data posted", "getAccount"),
    ("Request already processed", "getAccount"),
    ("Feed not found", "getAccount"),
])  # fmt: skip
def test_a_sentence_that_says_something_else_is_refused(api, code, operation):
    answer = api.post("/_mock/faults", json={"fault": "error", "code": code, "match": {"operation": operation}})

    assert (answer.status_code, answer.json["errors"][0]["path"]) == (400, "/match")


def test_without_an_operation_a_sentence_is_for_those_that_it_fits(api):
    api.post("/_mock/faults", json={"fault": "error", "code": "Domain does not exist"})

    assert api.get("/v3/senders/domains/acme.test").json["code"] == "Domain does not exist"
    assert api.get("/v3/senders").status_code == 200
