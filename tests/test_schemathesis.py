"""The served document against the served API: what it says is what happens, for requests that nobody thought of.

Schemathesis makes requests of the document, good ones and bad ones, and holds the answers against it.
"""

from __future__ import annotations

import re
from collections import Counter
from zlib import crc32

import pytest
import schemathesis
from examples import examples
from schemathesis.config import SchemathesisConfig
from schemathesis.pytest.lazy import get_all_tests
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance, unsupported_method

from mockserver import Settings, create_app
from mockserver.resources.registry import API_OPERATIONS, FURTHER_OPERATIONS, OPERATIONS

pytestmark = pytest.mark.slow  # some thousand requests, made of the documents

KEY = "xkeysib-acme"
BATCH = "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d"
MESSAGE = "<202601151000.10000000001@smtp-relay.mailin.fr>"
#: An enterprise's master account on corporate solution v2 may call everything; here it has something for every call.
SCENARIO = {
    "extends": "corporate-v2",
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "acme",
            "enterprise": True,
            "senders": [
                {"id": 1, "name": "News", "email": "news@acme.test"},
                {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification", "otp": 123456},
            ],
            "domains": [{"name": "acme.test", "state": "authenticated"}, {"name": "shop.acme.test"}],
            "webhooks": [
                {
                    "id": 7, "url": "https://hook.test/", "events": ["delivered"],
                    "auth": {"type": "bearer", "token": "t"},
                },
                {"id": 8, "url": "https://hook.test/", "type": "inbound", "domain": "in.acme.test"},
            ],
            "campaigns": [
                {"id": 11, "name": "January", "html": "<p>January</p>", "list_ids": [1]},
                {"id": 12, "name": "Sale", "kind": "sms_campaign"},
            ],
            "contact_lists": [{"id": 1, "name": "News"}],
            "attributes": {"normal": ["FIRSTNAME"], "category": ["PLAN"]},
            "scheduled_emails": [
                {"message_id": MESSAGE, "batch_id": BATCH, "to": "bob@example.test", "scheduled_at": "PT1H"}
            ],
            "inbound_events": [{"date": "-PT2H", "sender": "bob@example.test", "recipient": "reply@in.acme.test"}],
            "activities": [{"date": "-P1D", "action": "login-success", "user_email": "owner@acme.test"}],
        }
    ],
}  # fmt: skip
#: What the workspace has, by the name that it has in a path.
KNOWN = {
    "senderId": [1, 2], "domainName": ["acme.test", "shop.acme.test"], "webhookId": [7, 8], "campaignId": [11, 12],
    "id": [2003001, 2003002, 2003003], "identifier": [BATCH, MESSAGE], "attributeName": ["FIRSTNAME", "PLAN"],
}  # fmt: skip

_DATES = r"Missing (start|end)Date|startDate must not be after|not be longer than|in the future|reaches back"
_IPS = r"is not a dedicated IP|for every IP or for none|stands there twice|must equal 100|with email .* already exists"
_UNKNOWN = r"Invalid sub-account id\."
#: Rules between members, and between a request and the workspace: a schema cannot tell them, and the document does so
#: in words, with 400 for all but one, which has 405.
BEYOND_A_SCHEMA = {
    "createSender": _IPS,
    "updateSender": _IPS,
    "validateSenderByOtp": r"Invalid OTP code provided",
    "createDomain": r"Domain already exists",
    "authenticateDomain": r"The domain cannot be authenticated",
    "getWebhooks": r"Webhook record does not exist",
    "createWebhook": r"is not an event of|Missing (events|domain) attribute|Not a valid hostname|Domain is not found",
    "updateWebhook": r"is not an event of|Not a valid hostname|Domain is not found",
    "exportWebhooksHistory": rf"days cannot be used together|{_DATES}",
    "getAccountActivity": _DATES,
    "getInboundEmailEvents": _DATES,
    # The names of time zones are those of the machine.
    "createSubAccount": r"is not a group of the account|Not the name of a time zone",
    "getSubAccount": _UNKNOWN,
    "updateSubAccountPlan": rf"{_UNKNOWN}|Not enough credits|are used already",
    "updateSubAccountsPlan": rf"{_UNKNOWN}|Not enough credits|are used already",
    "createAdminSsoToken": r"Invalid email address",
    "createSubAccountSsoToken": rf"{_UNKNOWN}|Invalid email address",
    "createSubAccountKey": _UNKNOWN,
    "sendTransacEmail": r" is (blank|missing|not valid|required|already used)|at most|72 hours|Invalid template id",
    "getScheduledEmailById": r"are required together",
    "getTransacBlockedContacts": _DATES,
    "getEmailEventReport": rf"days cannot be used together|Not a list of texts as JSON|{_DATES}",
    "getTransacEmailsList": rf"At least one of|{_DATES}",
    **dict.fromkeys(
        (name for name, row in API_OPERATIONS.items() if row.is_further and row.path.startswith("/v3/contacts")),
        r"does not exist|already|must be|is not valid|is missing|is required|at once|Invalid|Must be one of|must have|"
        r"Only one of|needs a header|Must not be blank",
    ),
    **dict.fromkeys(
        (name for name, row in API_OPERATIONS.items() if row.is_further and row.path.startswith("/v3/emailCampaigns")),
        rf"{_DATES}|does not exist|are for sent|is missing|is not valid|is required|is invalid|cannot be|Only one of|"
        r"Invalid template id|At least one|is available|could not be sent|already been sent|being processed|date-time",
    ),
    **dict.fromkeys(
        ("createSmtpTemplate", "updateSmtpTemplate"),
        r" is missing|is not valid|is required|Only one of|Not a file of|Sender is",
    ),
    "getSharedTemplateUrl": r"Only email campaigns or templates are allowed",
}
#: Of a member that no schema names, nothing can be said but that our JSON holds numbers of 64 bits; some operations
#: refuse a body without any member.
_ANYWHERE = r"a number is beyond 64 bits|No inputs? in "

#: The service answers 404 `not_found` to a wrong method (contract/errors#statuses), and tells no `Allow`;
#: test_hostile.py shows it.
NO_405 = [unsupported_method]

APP = create_app(Settings(scenario="corporate-v2", keys="known"))
CONFIG = SchemathesisConfig.from_dict({"auth": {"openapi": {"api-key": {"api_key": KEY}}}})
SCHEMA = schemathesis.openapi.from_wsgi("/_mock/openapi.json", APP, config=CONFIG)


def reset():
    """The workspace as the scenario makes it: every case finds it so, but for the journal."""
    assert APP.test_client().post("/_mock/reset", json={"scenario": SCENARIO}).status_code == 200


def has_changed_something(case, answer):
    return case.method != "GET" and answer.status_code < 400


def operation_of(case):
    return case.operation.definition.raw["operationId"]


def steer(case):
    """Let half of the good requests ask for something that is there: a number drawn at random never is."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    draw = crc32(f"{case.path_parameters}{case.body}".encode("utf-8", "surrogatepass"))
    for name in case.path_parameters or ():
        known = KNOWN.get(name)
        if known and draw % 2:
            case.path_parameters[name] = known[draw // 2 % len(known)]


def excluded(case, answer):
    """The checks that contradict the documented service."""
    rule = BEYOND_A_SCHEMA.get(operation_of(case))
    if answer.status_code in (400, 405) and re.search(
        "|".join(filter(None, [rule, _ANYWHERE])), answer.json()["message"]
    ):
        return [*NO_405, positive_data_acceptance]
    if operation_of(case) in FURTHER_OPERATIONS and answer.status_code in (201, 202, 204):
        return [*NO_405, negative_data_rejection]  # null counts as absent, and in an e-mail what is empty, of any type
    if not {parameter.name for parameter in case.operation.query}.issuperset(case.query or ()):
        return [*NO_405, negative_data_rejection]  # the service ignores unknown parameters
    return NO_405


@pytest.fixture(scope="module", autouse=True)
def met():
    """How often each operation has answered with each status; there must be enough of all, and some good ones."""
    found = Counter()
    reset()
    yield found
    if {operation for operation, _ in found} >= OPERATIONS.keys():
        assert found.total() >= 1500
        assert all(found[operation.id, operation.status] for operation in OPERATIONS.values())


def hold(met, case):
    steer(case)
    answer = case.call()
    if has_changed_something(case, answer):
        reset()
    met[operation_of(case), answer.status_code] += 1
    case.validate_response(answer, excluded_checks=excluded(case, answer))


@pytest.mark.parametrize("operation", sorted(API_OPERATIONS))
def test_answers_match_the_document(met, operation):
    """Requests are made of the document as the test runs; as tests are collected, for all, this takes 15 s."""
    one = SCHEMA.include(operation_id=operation)
    for made in get_all_tests(schema=one, test_func=hold, settings=examples(20), given_kwargs=None):
        made.ok()[1](met=met)
