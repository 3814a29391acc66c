"""Sending by a template that the API has made."""

import pytest

from mockserver.core.traffic.mail import mirror_link
from tests.templates.conftest import SCENARIO, Templates


def test_texts_have_params_and_the_attributes_of_the_recipient(templates):
    number = templates.made(
        subject="{{ params.WORD }} {{ contact.FIRSTNAME }}",
        htmlContent="<p>{{ contact.EMAIL }} {{ contact.VIP }} {{ contact.DEBT }} {{ contact.NONE | default: 'x' }}</p>",
    )

    sent = templates.send(number, params={"WORD": "Hello"})

    assert (sent["subject"], sent["html"]) == ("Hello Ada", "<p>ada@example.test true 0 x</p>")


def test_contact_is_found_by_the_first_recipient_in_any_case(templates):
    number = templates.made(subject="Hi {{ contact.FIRSTNAME }}")

    sent = templates.send(number, to=[{"email": "Ada@Example.test"}, {"email": "bob@example.test"}])

    assert sent["subject"] == "Hi Ada"


def test_recipient_that_is_no_contact_has_its_address_only(templates):
    number = templates.made(subject="{{ contact.EMAIL }}{{ contact.FIRSTNAME }}")

    assert templates.send(number, to=[{"email": "eve@example.test"}])["subject"] == "eve@example.test"


def test_texts_of_a_request_without_template_have_the_attributes_too(templates):
    body = {
        "sender": {"email": "news@acme.test"}, "to": [{"email": "ada@example.test"}],
        "subject": "Hi {{ contact.FIRSTNAME }}", "textContent": "{{ contact.FIRSTNAME }}",
    }  # fmt: skip
    templates.api.post("/v3/smtp/email", json=body)

    assert (templates.mails()[-1]["subject"], templates.mails()[-1]["text"]) == ("Hi Ada", "Ada")


def test_mirror_is_the_address_that_webhooks_are_given(templates):
    number = templates.made(htmlContent="<a href='{{ mirror }}'>")
    sent = templates.send(number)
    templates.api.advance("PT1M")

    (_, call) = templates.api.get("/_mock/deliveries").json["items"]
    body = call["attempts"][0]["request"]["body"]
    assert sent["html"] == f"<a href='{body['mirror_link']}'>"
    assert body["mirror_link"] == mirror_link(body["message-id"], "ada@example.test")


def test_each_version_has_its_values(templates):
    number = templates.made(subject="{{ contact.FIRSTNAME }}", htmlContent="<p>{{ mirror }}</p>")
    versions = [{"to": [{"email": f"{name}@example.test"}]} for name in ("ada", "bob", "ada")]

    templates.send(number, to=None, messageVersions=versions)

    sent = templates.mails()
    assert [mail["subject"] for mail in sent] == ["Ada", "", "Ada"]
    assert len({mail["html"] for mail in sent}) == 3


def test_texts_without_placeholders_are_one_text_in_all_versions(templates):
    number = templates.made(htmlContent="<p>{{ unsubscribe }} for all</p>")
    templates.send(number, to=None, messageVersions=[{"to": [{"email": "ada@example.test"}]}] * 3)

    contents = [mail.content for mail in templates.api.workspace.state.mailbox]
    assert len({id(content.html) for content in contents}) == len({id(content.subject) for content in contents}) == 1


def test_template_gives_what_the_request_leaves_out(templates):
    number = templates.made(
        sender={"email": "news@acme.test", "name": "Acme"}, replyTo="help@acme.test", tag="order",
        attachmentUrl="https://acme.test/files/terms.pdf?v=1",
    )  # fmt: skip

    sent = templates.send(number)

    assert (sent["from"], sent["reply_to"], sent["tags"]) == ("Acme <news@acme.test>", "help@acme.test", ["order"])
    assert [(row["name"], row["url"]) for row in sent["attachments"]] == [
        ("terms.pdf", "https://acme.test/files/terms.pdf?v=1")
    ]


def test_request_wins_over_the_template(templates):
    number = templates.made(replyTo="help@acme.test", tag="order", attachmentUrl="https://acme.test/terms.pdf")

    sent = templates.send(
        number, sender={"email": "news@acme.test", "name": "Own"}, replyTo={"email": "me@acme.test"}, tags=["a", "b"],
        subject="Own", attachment=[{"url": "https://acme.test/own.pdf"}],
    )  # fmt: skip

    assert (sent["from"], sent["reply_to"], sent["tags"]) == ("Own <news@acme.test>", "me@acme.test", ["a", "b"])
    assert (sent["subject"], [row["name"] for row in sent["attachments"]]) == ("Own", ["own.pdf"])


@pytest.mark.parametrize("by", ["creation", "update"])
def test_inactive_template_is_refused(templates, by):
    number = templates.made(isActive=by == "update")
    templates.call("PUT", f"/{number}", {"isActive": False})

    answer = templates.api.post("/v3/smtp/email", json={"to": [{"email": "ada@example.test"}], "templateId": number})

    assert (answer.status_code, answer.json["code"]) == (400, "invalid_parameter")
    assert templates.exchange()["reason"].endswith("template 6 is inactive: set isActive to true first")


def test_sender_of_the_template_must_be_valid_when_an_email_is_sent(templates):
    number = templates.made()
    templates.api.delete("/v3/senders/1")

    templates.api.post("/v3/smtp/email", json={"to": [{"email": "ada@example.test"}], "templateId": number})

    assert templates.mails() == []
    assert "news@acme.test is not a verified sender" in templates.exchange()["warnings"][0]


def test_scheduled_email_has_the_texts_of_the_moment_of_the_request(templates):
    number = templates.made(subject="Hi {{ contact.FIRSTNAME }}", htmlContent="<p>{{ mirror }}</p>")
    body = {"to": [{"email": "ada@example.test"}], "templateId": number, "scheduledAt": "2026-01-15T10:00:00Z"}
    message_id = templates.api.post("/v3/smtp/email", json=body).json["messageId"]
    templates.call("PUT", f"/{number}", {"subject": "Other", "isActive": False})

    templates.api.advance("PT1H")

    (sent,) = templates.mails()
    assert (sent["subject"], sent["message_id"]) == ("Hi Ada", message_id)
    assert sent["html"] == f"<p>{mirror_link(message_id, 'ada@example.test')}</p>"


def test_refused_request_draws_no_message_id(make_api):
    sent = []
    for is_refused in (False, True):
        templates = Templates(make_api(SCENARIO))
        number = templates.made(htmlContent="{{ params.a }}" * 2_000)
        if is_refused:
            body = {"to": [{"email": "ada@example.test"}], "templateId": number, "params": {"a": "x" * 90_000}}
            assert templates.api.post("/v3/smtp/email", json=body).status_code == 413
        sent.append(templates.send(number)["message_id"])

    assert sent[0] == sent[1]


def test_each_email_has_its_own_message_id(templates):
    number = templates.made()

    assert templates.send(number)["message_id"] != templates.send(number)["message_id"]
