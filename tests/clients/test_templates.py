"""The official client libraries and templates: what they send is taken, and their models fit."""

from __future__ import annotations

import httpx
import pytest
import sib_api_v3_sdk as sib
from brevo import BadRequestError, Brevo, NotFoundError
from brevo.transactional_emails import CreateSmtpTemplateRequestSender, SendTransacEmailRequestToItem
from pydantic import BaseModel
from sib_api_v3_sdk.rest import ApiException


@pytest.fixture
def workspace(server):
    with server.workspace("standard") as workspace:
        yield workspace


@pytest.fixture
def emails(workspace):
    with httpx.Client() as http:
        yield Brevo(
            api_key=workspace.api_key, base_url=workspace.url, httpx_client=http, max_retries=0
        ).transactional_emails


@pytest.fixture
def legacy(workspace):
    configuration = sib.Configuration()
    configuration.host, configuration.api_key["api-key"] = workspace.url, workspace.api_key
    return sib.TransactionalEmailsApi(sib.ApiClient(configuration))


def valid(found):
    """A model, with what it declares checked: the client itself takes anything."""
    assert isinstance(found, BaseModel)
    return type(found).model_validate(found.model_dump(by_alias=True, exclude_unset=True))


def test_template_is_made_read_changed_and_deleted(emails):
    made = emails.create_smtp_template(
        sender=CreateSmtpTemplateRequestSender(email="news@acme.test"), subject="Hi {{ params.NAME }}",
        template_name="Welcome", html_content="<p>Welcome</p>", is_active=True, tag="a",
    )  # fmt: skip
    emails.update_smtp_template(made.id, subject="Hello", is_active=False)

    found = valid(emails.get_smtp_template(made.id))

    assert (found.subject, found.is_active, found.sender.id, found.doi_template) == ("Hello", False, "1", False)
    emails.delete_smtp_template(made.id)
    with pytest.raises(NotFoundError):
        emails.get_smtp_template(made.id)


def test_templates_come_in_pages(emails):
    found = valid(emails.get_smtp_templates(template_status=True, limit=10, sort="asc"))

    assert ([row.name for row in found.templates], found.count) == (["Order confirmation"], 1)


def test_refused_test_names_the_addresses(emails):
    with pytest.raises(BadRequestError) as refused:
        emails.send_test_template(12, email_to=["nobody@acme.test"])

    assert refused.value.body["unexistingEmails"] == ["nobody@acme.test"]
    emails.send_test_template(12)
    assert emails.get_smtp_template(12).test_sent


def test_email_is_sent_by_a_template(emails):
    made = emails.send_transac_email(template_id=12, to=[SendTransacEmailRequestToItem(email="bob@example.test")])

    assert made.message_id


def test_legacy_client_makes_lists_and_tests_templates(legacy):
    made = legacy.create_smtp_template(
        sib.CreateSmtpTemplate(
            sender=sib.CreateSmtpTemplateSender(id=1),
            template_name="Welcome",
            subject="Hi",
            html_content="<p>Welcome</p>",
            reply_to="[DEFAULT_REPLY_TO]",
        )
    )
    legacy.send_test_template(made.id, sib.SendTestEmail())

    found = legacy.get_smtp_templates(template_status=False)

    assert [(row.id, row.test_sent, row.is_active) for row in found.templates] == [(made.id, True, False)]
    assert legacy.get_smtp_template(made.id).reply_to == "news@acme.test"
    with pytest.raises(ApiException) as refused:
        legacy.delete_smtp_template(12)
    assert refused.value.status == 405
