"""Sending by the official client library, over a real socket."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from brevo import BadRequestError, Brevo
from brevo.core.api_error import ApiError
from brevo.transactional_emails import (
    SendTransacEmailRequestAttachmentItem,
    SendTransacEmailRequestMessageVersionsItem,
    SendTransacEmailRequestMessageVersionsItemToItem,
    SendTransacEmailRequestSender,
    SendTransacEmailRequestToItem,
)

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
ACCOUNT = {
    "name": "acme",
    "plan": [{"type": "free", "credits": 4}],
    "senders": [{"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"}],
}


pytestmark = [
    pytest.mark.server("empty"),
    pytest.mark.workspace({"clock": {"start": START.isoformat(), "frozen": True}, "accounts": [ACCOUNT]}),
]


@pytest.fixture
def emails(workspace):
    with httpx.Client() as http:
        client = Brevo(api_key=workspace.api_key, base_url=workspace.url, httpx_client=http, max_retries=0)
        yield client.transactional_emails


MAIL = {
    "sender": SendTransacEmailRequestSender(email="news@acme.test", name="News"),
    "to": [SendTransacEmailRequestToItem(email="bob@example.test", name="Bob")],
    "subject": "Hi {{params.NAME}}",
    "html_content": "<p>Hi</p>",
    "params": {"NAME": "Ada"},
}


def test_client_sends_an_email_to_the_mailbox(emails, workspace):
    answer = emails.send_transac_email(
        **MAIL,
        attachment=[SendTransacEmailRequestAttachmentItem(name="a.txt", content="SGVsbG8=")],
        tags=["invoice"],
        headers={"X-Mailin-custom": "a:1"},
    )

    mail = workspace.mailbox.latest(to="bob@example.test")
    assert answer.message_id == mail.message_id
    assert (mail.subject, mail.html, mail.tags) == ("Hi Ada", "<p>Hi</p>", ["invoice"])
    assert (mail.attachments[0].name, mail.attachments[0].size) == ("a.txt", 5)
    assert (mail.recipients[0].name, mail.params, mail.headers) == ("Bob", {"NAME": "Ada"}, {"X-Mailin-custom": "a:1"})


def test_client_sends_message_versions_separately(emails, workspace):
    versions = [
        SendTransacEmailRequestMessageVersionsItem(
            to=[SendTransacEmailRequestMessageVersionsItemToItem(email=f"{name}@example.test")], params={"NAME": name}
        )
        for name in ("ada", "eve")
    ]

    answer = emails.send_transac_email(**{**MAIL, "to": None, "message_versions": versions})

    found = workspace.mailbox.all()[::-1]
    assert answer.message_ids == [mail.message_id for mail in found]
    assert [(mail.to, mail.subject) for mail in found] == [
        ("ada@example.test", "Hi ada"),
        ("eve@example.test", "Hi eve"),
    ]


def test_a_scheduled_email_is_cancelled_by_its_batch(emails, workspace):
    answer = emails.send_transac_email(**MAIL, scheduled_at=START + timedelta(hours=1))

    emails.delete_scheduled_email_by_id(answer.batchId)  # a member that its model does not name
    workspace.clock.advance(hours=2)

    assert workspace.mailbox.all() == []


def test_client_reads_the_events_and_the_content_of_a_sent_email(emails, workspace):
    message_id = emails.send_transac_email(**MAIL, tags=["invoice"]).message_id
    workspace.clock.advance(seconds=2)

    report = emails.get_email_event_report(message_id=message_id, tags='["invoice"]', sort="asc", days=1)
    listed = emails.get_transac_emails_list(email="bob@example.test")
    (mail,) = listed.transactional_emails
    content = emails.get_transac_email_content(mail.uuid_)

    assert [(row.event, row.from_, row.tag) for row in report.events] == [
        ("requests", "news@acme.test", "invoice"),
        ("delivered", "news@acme.test", "invoice"),
    ]
    assert (listed.count, mail.message_id, mail.tags) == (1, message_id, ["invoice"])
    assert (content.subject, content.body, content.attachment_count) == ("Hi Ada", "<p>Hi</p>", 0)
    assert [row.name for row in content.events] == ["requests", "delivered"]


def test_a_missing_member_raises_the_error_of_the_library(emails):
    with pytest.raises(BadRequestError) as refused:
        emails.send_transac_email(**{**MAIL, "subject": None})

    assert refused.value.body == {"code": "missing_parameter", "message": "subject is missing"}


def test_missing_credits_raise_402(emails):
    with pytest.raises(ApiError) as refused:
        emails.send_transac_email(
            **{**MAIL, "to": [SendTransacEmailRequestToItem(email=f"u{number}@example.test") for number in range(5)]}
        )

    assert refused.value.status_code == 402
