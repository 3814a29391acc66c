"""The official client library: every operation, its success and each documented error, over a real socket."""

from __future__ import annotations

import inspect
import re
from typing import get_type_hints

import httpx
import pydantic
import pytest
from brevo import BadRequestError, Brevo, ForbiddenError, MethodNotAllowedError, NotFoundError
from brevo.core.api_error import ApiError

from mockserver.resources.registry import OPERATIONS

METHODS = {
    "getSenders": "senders.get_senders",
    "createSender": "senders.create_sender",
    "updateSender": "senders.update_sender",
    "deleteSender": "senders.delete_sender",
    "validateSenderByOtp": "senders.validate_sender_by_otp",
    "getIps": "senders.get_ips",
    "getIpsFromSender": "senders.get_ips_from_sender",
    "getDomains": "domains.get_domains",
    "createDomain": "domains.create_domain",
    "getDomainConfiguration": "domains.get_domain_configuration",
    "deleteDomain": "domains.delete_domain",
    "authenticateDomain": "domains.authenticate_domain",
    "getWebhooks": "webhooks.get_webhooks",
    "createWebhook": "webhooks.create_webhook",
    "getWebhook": "webhooks.get_webhook",
    "updateWebhook": "webhooks.update_webhook",
    "deleteWebhook": "webhooks.delete_webhook",
    "exportWebhooksHistory": "webhooks.export_webhooks_history",
    "getAccount": "account.get_account",
    "getAccountActivity": "account.get_account_activity",
    "listSubAccounts": "master_account.get_the_list_of_all_the_sub_accounts_of_the_master_account",
    "createSubAccount": "master_account.create_a_new_sub_account_under_a_master_account",
    "getSubAccount": "master_account.get_sub_account_details",
    "deleteSubAccount": "master_account.delete_a_sub_account",
    "updateSubAccountPlan": "master_account.update_sub_account_plan",
    "updateSubAccountsPlan": "master_account.update_sub_accounts_plan",
    "createAdminSsoToken": "master_account.generate_sso_token_to_access_admin_account",
    "createSubAccountSsoToken": "master_account.generate_sso_token_to_access_sub_account",
    "getMasterAccount": "master_account.get_the_details_of_requested_master_account",
    "createSubAccountKey": "master_account.create_an_api_key_for_a_sub_account",
    "getInboundEmailEvents": "inbound_parsing.get_inbound_email_events",
    "getSharedTemplateUrl": "email_campaigns.get_shared_template_url",
    "deleteScheduledEmailById": "transactional_emails.delete_scheduled_email_by_id",
    "deleteAttribute": "contacts.delete_attribute",
}

#: The class of an error follows from what the library declares for the operation, not from the status alone.
ERRORS = {
    400: (BadRequestError, set(METHODS)),
    403: (ForbiddenError,
          {"updateSubAccountPlan", "updateSubAccountsPlan", "createAdminSsoToken", "createSubAccountSsoToken"}),
    404: (NotFoundError,
          {"updateSender", "deleteSender", "validateSenderByOtp", "getIpsFromSender", "getDomainConfiguration",
           "deleteDomain", "authenticateDomain", "getWebhook", "updateWebhook", "deleteWebhook", "deleteSubAccount",
           "getSharedTemplateUrl", "deleteScheduledEmailById", "deleteAttribute"}),
    405: (MethodNotAllowedError, {"getSharedTemplateUrl"}),
}  # fmt: skip

#: What the newest models have no more, and the service still sends (an older list of webhooks, and its examples).
UNKNOWN_TO_MODELS = {"channel"}


@pytest.fixture(scope="module")
def connect(root):
    with httpx.Client() as http:
        yield lambda key=None, **options: Brevo(
            api_key=key, base_url=f"{root}/v3", httpx_client=http, max_retries=0, **options
        )


def error_class(case):
    """The library's class for the error that a row expects."""
    kind, operations = ERRORS.get(case.status, (ApiError, set(METHODS)))
    return kind if case.operation in operations else ApiError


def call(client, case):
    """Do what a row says, with the library's own names; its request models are used where the row is a good one."""
    area, name = METHODS[case.operation].split(".")
    method = getattr(getattr(client, area).with_raw_response, name)
    hints = get_type_hints(method)
    given = {_snake(name): value for part in (case.path, case.query, case.body) for name, value in part.items()}
    if case.code is None:
        given = {name: pydantic.TypeAdapter(hints[name]).validate_python(value) for name, value in given.items()}
    required = [
        name for name, parameter in inspect.signature(method).parameters.items() if parameter.default is parameter.empty
    ]
    # None keeps a required parameter out of the query, `...` keeps it out of the body.
    left_out = None if case.query else ...
    return method(**dict.fromkeys(required, left_out) | given)


def _snake(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def code_of(error):
    """The `code` of an error's body, which is plain data or, for a 405, a model."""
    return error.body["code"] if isinstance(error.body, dict) else error.body.code


def extras(value):
    """The names of all members that the library's models do not know, at any depth."""
    if isinstance(value, list):
        return {name for item in value for name in extras(item)}
    if not isinstance(value, pydantic.BaseModel):
        return set()
    inner = {name for item in dict(value).values() for name in extras(item)}
    return inner | set(value.model_extra or ())


@pytest.mark.usefixtures("fresh")
def test_call(connect, case, holds):
    client = connect(case.caller)
    if case.code is not None:
        with pytest.raises(ApiError) as refused:
            call(client, case)
        assert type(refused.value) is error_class(case)
        assert (refused.value.status_code, code_of(refused.value)) == (case.status, case.code)
        return
    answer = call(client, case)
    assert answer.status_code == case.status
    if case.answer is None:
        assert answer.data is None
        return
    sent = answer.response.json()
    assert holds(sent, case.answer)
    # The library takes and converts what it gets: nothing required may be missing, nothing had to be converted.
    type(answer.data).model_validate(sent)
    assert holds(answer.data.dict(), sent)
    assert extras(answer.data) <= UNKNOWN_TO_MODELS


def test_all_modelled_operations_are_called_by_the_client(cases):
    assert METHODS.keys() == OPERATIONS.keys()
    assert {case.operation for case in cases if case.code is None} == set(METHODS)


def test_every_error_that_an_input_reaches_is_met(cases, reachable_errors):
    assert {(case.operation, case.status, case.code) for case in cases if case.code} == reachable_errors


@pytest.fixture
def first_case(cases):
    return {case.operation: case for case in reversed(cases)}.get


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("key", "message"),
    [("unknown", "Key not found"), ("revoked", "Key not found"), (None, "authentication not found in headers")],
)
@pytest.mark.parametrize("operation", METHODS)
def test_client_with_a_wrong_or_missing_key_is_refused(connect, first_case, operation, key, message):
    """401 is declared nowhere, and real everywhere: the library's most general error, before anything else is told."""
    with pytest.raises(ApiError) as refused:
        call(connect(key), first_case(operation))
    assert type(refused.value) is ApiError
    assert (refused.value.status_code, refused.value.body) == (401, {"code": "unauthorized", "message": message})


@pytest.fixture
def limited(serve, document):
    return serve({**document, "behaviour": {"rate_limit": {"enforce": True}}})


def test_too_many_requests_are_refused_with_429(limited):
    """Ten calls of contacts in a second, and one more; other operations are counted by themselves."""
    with httpx.Client() as http:
        client = Brevo(api_key="plain", base_url=f"{limited}/v3", httpx_client=http, max_retries=0)
        for left in reversed(range(10)):
            with pytest.raises(NotFoundError) as unknown:
                client.contacts.delete_attribute("normal", "UNKNOWN")
            assert unknown.value.headers["x-sib-ratelimit-remaining"] == str(left)
        with pytest.raises(ApiError) as refused:
            client.contacts.delete_attribute("normal", "FIRSTNAME")
        assert type(refused.value) is ApiError
        assert (refused.value.status_code, refused.value.body["code"]) == (429, "too_many_requests")
        assert "retry-after" not in refused.value.headers
        assert client.account.get_account().email == "owner@acme.test"


@pytest.mark.usefixtures("fresh")
def test_rate_limits_stand_on_a_good_answer(connect):
    headers = connect("plain").account.with_raw_response.get_account().headers
    names = ("limit", "remaining", "reset")
    assert [headers[f"x-sib-ratelimit-{name}"] for name in names] == ["100", "99", "3600"]
