"""The views of the e-mails in the mailbox, which the service "sent"."""

from __future__ import annotations

from typing import NamedTuple

from marshmallow import fields, validate

from mockserver.core.traffic import mailbox
from mockserver.core.traffic.mailbox import FAILED, SENT, WAITING
from mockserver.views.base import members
from mockserver.views.base.view import View, listing


class Sending(View):
    state = members.text(validate=validate.OneOf((WAITING, SENT, FAILED)))
    tries = members.number("how often it was tried")
    error = members.text("what went wrong the last time", allow_none=True)


class SentMail(NamedTuple):
    """A row of `Mail`: an e-mail, and how its sending by SMTP goes, where --smtp-url is set."""

    mail: mailbox.Mail
    sending: mailbox.Sending | None = None


class Mail(View):
    id = members.text(attribute="mail.id")
    at = members.moment(attribute="mail.at")
    to = members.text(attribute="mail.to")
    sender = members.text(data_key="from", attribute="mail.sender")
    subject = members.text(attribute="mail.subject")
    text = members.text(attribute="mail.text")
    html = members.text(attribute="mail.html")
    otp = members.number("the one-time code in it", allow_none=True, attribute="mail.otp")
    account = members.text("whose affair it is", allow_none=True, attribute="mail.account")
    machine = members.text("the state machine that it is about", allow_none=True, attribute="mail.machine")
    key = members.key(allow_none=True, attribute="mail.key")
    request = members.text(
        "the id of the request that has caused it; null where none has", allow_none=True, attribute="mail.request"
    )
    smtp = members.maybe(
        fields.Nested, Sending, about="how far it has come on its way to the server of --smtp-url", attribute="sending"
    )


Mails = listing(Mail, "Mails", evicted=members.evicted())
