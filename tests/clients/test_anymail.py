"""The inbound view of django-anymail takes every mail that the mock tells it, and fetches the attachments."""

import json
import smtplib
from email.message import EmailMessage
from email.policy import SMTP

import pytest
import requests
from anymail.signals import inbound
from anymail.webhooks.brevo import BrevoInboundWebhookView
from django.conf import settings
from django.test import RequestFactory, override_settings

pytestmark = pytest.mark.server("empty", smtp_in="127.0.0.1:0")

DOMAIN, SECRET = "in.acme.test", "anymail:secret"
#: Bytes that no charset and no transfer encoding leaves alone by chance.
BYTES = bytes(range(256)) * 3 + b"\r\n.\r\n\n\r--\0"
PAGE = "<p>Grüße</p><script>alert(1)</script>\n"

if not settings.configured:
    settings.configure()


@pytest.fixture
def mailed(server):
    """Returns the messages that the view makes of a mail, for the account that listens for its domain."""
    with server.workspace("empty") as workspace:
        receiver = workspace.receiver("anymail")
        workspace.seed({
            "domains": [{"name": DOMAIN, "state": "authenticated"}],
            "webhooks": [{"type": "inbound", "domain": DOMAIN, "url": receiver.url.replace("//", f"//{SECRET}@")}],
        })  # fmt: skip

        def mail(message):
            host, _, port = server.smtp_in.rpartition(":")
            with smtplib.SMTP(host, int(port), local_hostname="localhost", timeout=10) as client:
                client.send_message(message)
            (call,) = receiver.calls(count=1, wait=10)
            return call, *viewed(workspace, call)

        mail.workspace = workspace
        yield mail


def viewed(workspace, call):
    """The events that the view signals to its project."""
    found = []

    def note(event, **_):
        found.append(event)

    secret = {"authorization": call.headers["authorization"]}
    request = RequestFactory().post("/inbound", json.dumps(call.body), "application/json", headers=secret)
    own = {"BREVO_API_KEY": workspace.api_key, "BREVO_API_URL": workspace.url}
    inbound.connect(note)
    try:
        with override_settings(ANYMAIL={**own, "WEBHOOK_SECRET": SECRET}):
            assert BrevoInboundWebhookView.as_view()(request).status_code == 200
    finally:
        inbound.disconnect(note)
    return found


def a_mail(text=None, html=None):
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Bob <bob@example.test>", f"help@{DOMAIN}", "Grüße"
    message["Message-ID"] = "<1@example.test>"
    if text is not None:
        message.set_content(text)
    if html is not None:
        message.set_content(html, subtype="html")
    return message


def test_attachments_reach_the_view_byte_for_byte(mailed):
    message = a_mail("Two files.\n")
    message.add_attachment(BYTES, maintype="application", subtype="x-odd", filename="odd.bin")
    message.add_attachment(PAGE, subtype="html", filename="Grüße.html", charset="iso-8859-1", cte="quoted-printable")
    call, event = mailed(message)

    odd, page = event.message.attachments
    assert (odd.get_filename(), odd.get_content_type(), odd.get_content_bytes()) == (
        "odd.bin",
        "application/x-odd",
        BYTES,
    )
    assert (page.get_filename(), page.get_content_type()) == ("Grüße.html", "text/html")
    assert page.get_content_bytes() == PAGE.replace("\n", "\r\n").encode("iso-8859-1")  # a mail has these line ends
    assert page.get_content_text().splitlines() == PAGE.splitlines()
    assert event.message.text == "Two files.\n"
    assert event.event_id == call.body["items"][0]["Uuid"][0]


def test_an_inline_image_reaches_the_view_by_its_content_id(mailed):
    message = a_mail(html='<img src="cid:logo@acme.test">\n')
    message.add_related(BYTES, maintype="image", subtype="png", cid="<logo@acme.test>", filename="logo.png")
    _, event = mailed(message)

    (logo,) = event.message.content_id_map.values()
    assert (logo["Content-ID"], logo.get_content_bytes()) == ("<logo@acme.test>", BYTES)


def test_a_mail_with_text_only_reaches_the_view(mailed):
    _, event = mailed(a_mail("Hello\n"))
    assert (event.message.text, event.message.html, event.message.attachments) == ("Hello\n", "", [])
    assert (event.message.subject, event.message.from_email.addr_spec) == ("Grüße", "bob@example.test")


def test_a_mail_with_html_only_reaches_the_view(mailed):
    _, event = mailed(a_mail(html="<p>Hello</p>\n"))
    assert (event.message.text, event.message.html, event.message.attachments) == ("", "<p>Hello</p>\n", [])


def test_a_forwarded_mail_reaches_the_view_as_a_message(mailed):
    forwarded = a_mail("The first one.\n")
    message = a_mail("See below.\n")
    message.add_attachment(forwarded)
    call, event = mailed(message)

    (inner,) = event.message.attachments
    assert inner.get_content_type() == "message/rfc822"
    (found,) = inner.get_payload()
    assert (found["Message-ID"], found.text) == ("<1@example.test>", "The first one.\n")
    token = call.body["items"][0]["Attachments"][0]["DownloadToken"]
    headers = {"api-key": mailed.workspace.api_key}
    answer = requests.get(f"{mailed.workspace.url}/inbound/attachments/{token}", headers=headers, timeout=10)
    assert answer.content == forwarded.as_bytes(policy=SMTP)
