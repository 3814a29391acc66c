"""The legacy client library: each operation that it has, whose answers it reads into models that check themselves."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest
import sib_api_v3_sdk as sib
from sib_api_v3_sdk.rest import ApiException

METHODS = {
    "getSenders": "SendersApi.get_senders",
    "createSender": "SendersApi.create_sender",
    "updateSender": "SendersApi.update_sender",
    "deleteSender": "SendersApi.delete_sender",
    "getIps": "SendersApi.get_ips",
    "getIpsFromSender": "SendersApi.get_ips_from_sender",
    "getWebhooks": "WebhooksApi.get_webhooks",
    "createWebhook": "WebhooksApi.create_webhook",
    "getWebhook": "WebhooksApi.get_webhook",
    "updateWebhook": "WebhooksApi.update_webhook",
    "deleteWebhook": "WebhooksApi.delete_webhook",
    "getAccount": "AccountApi.get_account",
    "listSubAccounts": "MasterAccountApi.corporate_sub_account_get",
    "createSubAccount": "MasterAccountApi.corporate_sub_account_post",
    "getSubAccount": "MasterAccountApi.corporate_sub_account_id_get",
    "deleteSubAccount": "MasterAccountApi.corporate_sub_account_id_delete",
    "updateSubAccountPlan": "MasterAccountApi.corporate_sub_account_id_plan_put",
    "createSubAccountSsoToken": "MasterAccountApi.corporate_sub_account_sso_token_post",
    "getMasterAccount": "MasterAccountApi.corporate_master_account_get",
    "createSubAccountKey": "MasterAccountApi.corporate_sub_account_key_post",
    "getInboundEmailEvents": "InboundParsingApi.get_inbound_email_events",
    "getSharedTemplateUrl": "EmailCampaignsApi.get_shared_template_url",
    "deleteScheduledEmailById": "TransactionalEmailsApi.delete_scheduled_email_by_id",
    "deleteAttribute": "ContactsApi.delete_attribute",
}

#: The operations that came after it.
UNKNOWN = {
    "validateSenderByOtp", "getDomains", "createDomain", "getDomainConfiguration", "deleteDomain", "authenticateDomain",
    "exportWebhooksHistory", "getAccountActivity", "updateSubAccountsPlan", "createAdminSsoToken",
}  # fmt: skip

#: The argument that takes the body, and the model of it.
BODIES = {
    "createSender": ("sender", "CreateSender"),
    "updateSender": ("sender", "UpdateSender"),
    "createWebhook": ("create_webhook", "CreateWebhook"),
    "updateWebhook": ("update_webhook", "UpdateWebhook"),
    "createSubAccount": ("sub_account_create", "CreateSubAccount"),
    "updateSubAccountPlan": ("update_plan_details", "SubAccountUpdatePlanRequest"),
    "createSubAccountSsoToken": ("sso_token_request", "SsoTokenRequest"),
    "createSubAccountKey": ("create_api_key_request", "CreateApiKeyRequest"),
}

#: What the library keeps from the server, or from its user, by its own stricter rules.
KEPT = {
    "listSubAccounts: offset is absent",  # a required argument
    "listSubAccounts: limit is absent",
    "getInboundEmailEvents: limit over 500",  # checked before it is sent
    "getWebhook: inbound",  # a type that its model does not know
}


@pytest.fixture(scope="module")
def connect(root):
    clients = []

    def make(key=None):
        configuration = sib.Configuration()
        configuration.host = f"{root}/v3"
        if key is not None:
            configuration.api_key["api-key"] = key
        clients.append(sib.ApiClient(configuration))
        return clients[-1]

    yield make
    for client in clients:
        client.rest_client.pool_manager.clear()


def call(client, case, holds):
    """Do what a row says; with the library's model of the body where the row is a good one and the model can say it."""
    area, name = METHODS[case.operation].split(".")
    given = {_snake(name): value for part in (case.path, case.query) for name, value in part.items()}
    if case.operation in BODIES:
        argument, model = BODIES[case.operation]
        given[argument] = _typed(client, model, case.body, holds) if case.code is None else case.body
    return getattr(getattr(sib, area)(client), f"{name}_with_http_info")(**given)


def _snake(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _typed(client, model, body, holds):
    try:
        typed = client.deserialize(SimpleNamespace(data=json.dumps(body)), model)
    except ValueError:
        return body
    return typed if holds(client.sanitize_for_serialization(typed), body) else body


def plain(value):
    """What a model has read, by the wire's names."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not hasattr(value, "attribute_map"):
        return value
    members = {wire: getattr(value, name) for name, wire in value.attribute_map.items()}
    return {wire: plain(member) for wire, member in members.items() if member is not None}


@pytest.mark.usefixtures("fresh")
def test_call(connect, case, holds):
    client = connect(case.caller)
    if str(case) in KEPT:
        with pytest.raises((TypeError, ValueError)):
            call(client, case, holds)
        return
    if case.code is not None:
        with pytest.raises(ApiException) as refused:
            call(client, case, holds)
        assert (refused.value.status, json.loads(refused.value.body)["code"]) == (case.status, case.code)
        return
    data, status, _ = call(client, case, holds)
    assert status == case.status
    if case.answer is None:
        assert data is None
        return
    sent = json.loads(client.last_response.data)
    assert holds(sent, case.answer)
    # Reading it has checked what is required, and the enums; nothing had to be converted.
    assert plain(data)
    assert holds(sent, plain(data))


def test_every_operation_of_the_library_is_called(cases):
    called = {case.operation for case in cases if case.operation in METHODS and case.code is None}
    assert called == set(METHODS)
    assert {case.operation for case in cases} - called == UNKNOWN


def test_every_error_that_the_library_lets_happen_is_met(cases, reachable_errors):
    met = {(case.operation, case.status, case.code) for case in cases if case.code and str(case) not in KEPT}
    wanted = reachable_errors - {("listSubAccounts", 400, "missing_parameter")}
    assert {row for row in met if row[0] in METHODS} == {row for row in wanted if row[0] in METHODS}


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("key", "message"), [("unknown", "Key not found"), (None, "authentication not found in headers")]
)
@pytest.mark.parametrize("operation", METHODS)
def test_legacy_client_with_a_wrong_or_missing_key_is_refused(connect, cases, holds, operation, key, message):
    first = next(case for case in cases if case.operation == operation)
    with pytest.raises(ApiException) as refused:
        call(connect(key), first, holds)
    assert refused.value.status == 401
    assert json.loads(refused.value.body) == {"code": "unauthorized", "message": message}
