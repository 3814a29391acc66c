"""The error codes that are sentences (contract/errors#codes): a rule may give them wherever they say what can go
wrong.
"""

from __future__ import annotations

import pytest

FITTING = [
    ("Domain does not exist", "deleteDomain", "DELETE", "/v3/senders/domains/acme.test", 404),
    ("Attribute not found", "deleteAttribute", "DELETE", "/v3/contacts/attributes/normal/A", 404),
    ("Record(s) for identifier not found", "deleteScheduledEmailById", "DELETE", "/v3/smtp/email/%3Ca@b%3E", 404),
    ("Invalid parameters passed", "deleteScheduledEmailById", "DELETE", "/v3/smtp/email/x", 400),
    ("Campaign ID not found", "getSharedTemplateUrl", "GET", "/v3/emailCampaigns/1/sharedUrl", 404),
    ("DMARC policy requires domain authentication", "createSender", "POST", "/v3/senders", 400),
    ("Insufficient credits", "updateSubAccountPlan", "PUT", "/v3/corporate/subAccount/1/plan", 400),
    ("Returned when query params are invalid", "getWebhooks", "GET", "/v3/webhooks", 400),
    ("Returned when invalid data posted", "createWebhook", "POST", "/v3/webhooks", 400),
    ("Authentication failed", "getAccount", "GET", "/v3/account", 401),
    ("Request already processed", "createSender", "POST", "/v3/senders", 400),
]


@pytest.mark.parametrize(("code", "operation", "method", "path", "status"), FITTING)
def test_a_sentence_that_fits_an_operation_needs_no_force(api, code, operation, method, path, status):
    rule = {"fault": "error", "code": code, "match": {"operation": operation}}
    assert api.post("/_mock/faults", json=rule).status_code == 201

    answer = getattr(api, method.lower())(path)

    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert answer.json["message"]


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
