"""The views of the e-mails in the mailbox, which the service "sent"."""

from __future__ import annotations

from operator import attrgetter
from typing import NamedTuple

from marshmallow import fields, validate

from mockserver.core.traffic import mail
from mockserver.core.traffic.causes import MAIL, Links
from mockserver.core.traffic.mail import FAILED, SENT, WAITING
from mockserver.views.base import members
from mockserver.views.base.view import View, listing
from mockserver.views.traffic import causes


class Sending(View):
    state = members.text(validate=validate.OneOf((WAITING, SENT, FAILED)))
    tries = members.number("how often it was tried")
    error = members.text("what went wrong the last time", allow_none=True)


class SentMail(NamedTuple):
    """A row of `Mail`: an e-mail, how its sending by SMTP goes, where --smtp-url is set, and its workspace's links."""

    mail: mail.Mail
    sending: mail.Sending | None
    links: Links


class Recipient(View):
    kind = members.text(validate=validate.OneOf(mail.KINDS))
    email = members.text(attribute="party.email")
    name = members.text("empty where none was given", attribute="party.name")


class Attachment(View):
    name = members.text()
    size = members.number("in bytes; null where the content is at `url`, which is not fetched", allow_none=True)
    url = members.maybe(fields.String, about="where the content is, if it was not sent")


class Mail(View):
    """An e-mail of the mailbox, with what caused it; its row is a `SentMail`."""

    id = members.text(attribute="mail.id")
    at = members.moment("on the workspace's clock", attribute="mail.at")
    to = members.text("the addresses of the recipients of this kind, with commas between them", attribute="mail.to")
    cc = members.texts("addresses", of=lambda row: row.mail.addressed(mail.CC))
    bcc = members.texts("addresses", of=lambda row: row.mail.addressed(mail.BCC))
    recipients = members.many(Recipient, "all of them, with their names", attribute="mail.details.recipients")
    sender = members.text(data_key="from", attribute="mail.sender")
    reply_to = members.text(allow_none=True, attribute="mail.details.reply_to")
    subject = members.text(attribute="mail.subject")
    text = members.text("empty where only HTML was sent", attribute="mail.text")
    html = members.text("the text as a page where no HTML was sent", attribute="mail.html")
    headers = members.mapping(fields.String(), "those that the client has given", attribute="mail.details.headers")
    tags = members.texts(attribute="mail.details.tags")
    message_id = members.text("with its angle brackets", attribute="mail.details.message_id")
    template_id = members.number(allow_none=True, attribute="mail.details.template_id")
    params = members.mapping(about="those that the client has given", attribute="mail.details.params")
    attachments = members.many(Attachment, "their contents are in `.eml`", attribute="mail.details.attachments")
    otp = members.number("the one-time code in it", allow_none=True, attribute="mail.otp")
    account = members.text("whose affair it is", allow_none=True, attribute="mail.account")
    machine = members.text("the state machine that it is about", allow_none=True, attribute="mail.machine")
    key = members.key(allow_none=True, attribute="mail.key")
    request = members.text(
        "the id of the request that has caused it; null where none has", allow_none=True, attribute="mail.request"
    )
    caused, caused_by = causes.linked(MAIL, attrgetter("mail.id"), attrgetter("links"))
    smtp = members.maybe(
        fields.Nested, Sending, about="how far it has come on its way to the server of --smtp-url", attribute="sending"
    )


Mails = listing(Mail, "Mails", evicted=members.evicted())
