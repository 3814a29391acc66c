"""E-mail templates on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, pre_load, validate

from mockserver.core.contract.errors import INVALID_PARAMETER
from mockserver.resources.templates.parts import ChosenSender, TextFlag
from mockserver.resources.templates.parts import MessageCreated as MessageCreated
from mockserver.resources.templates.parts import TestAddresses as TestAddresses
from mockserver.resources.templates.template import EXTENSIONS
from mockserver.resources.templates.texts import LONGEST
from mockserver.web.schemas.errors import Longest, Sentence, invalid
from mockserver.web.schemas.evidence import CLIENT, OPENAPI, documented
from mockserver.web.schemas.fields import (
    Choice,
    Email,
    Flag,
    Int64,
    MillisecondMoment,
    Range,
    Stated,
    StatedText,
    Text,
    Url,
    identifier,
)
from mockserver.web.schemas.schema import Compact, Input, Output

#: The fewest characters of a content (documented).
_SHORTEST = 10
#: The value of `replyTo` that means none, as the service writes it (contract/templates#createSmtpTemplate).
_DEFAULT_REPLY_TO = "[DEFAULT_REPLY_TO]"
_BOTH = Sentence(INVALID_PARAMETER, "Only one of Sender ID or Sender Email can be passed for the same request.")


class _Sender(Stated, fields.Nested):
    """The sender, by id or address; in answers it has both, and a text as id."""

    def deserialize(self, value: Any, attr: str | None = None, data: Any = None, **kwargs: Any) -> Any:
        if isinstance(value, dict) and value.get("id") is not None and value.get("email") is not None:
            raise ValidationError([_BOTH])
        return super().deserialize(value, attr, data, **kwargs)


class _ReplyTo(Email):
    """An e-mail address; an empty text and the service's own text for the default are loaded as an empty text."""

    def deserialize(self, value: Any, attr: str | None = None, data: Any = None, **kwargs: Any) -> Any:
        is_default = value in ("", _DEFAULT_REPLY_TO)
        return "" if is_default else super().deserialize(value, attr, data, **kwargs)


class _File(Url):
    """The address of a file of a format that the service sends."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        url = super()._deserialize(value, attr, data, **kwargs)
        if url.partition("?")[0].rpartition(".")[2].lower() not in EXTENSIONS:
            raise invalid("Not a file of a format that the service sends")
        return url


class TemplatePath(Input):
    template_id = identifier("templateId")


class TemplateFilter(Input):
    is_active = TextFlag(data_key="templateStatus", **documented("true: active ones, false: the others"))
    limit = Int64(text=True, load_default=50, validate=Range(0, 1000), **documented(bounds=OPENAPI))
    offset = Int64(text=True, load_default=0, validate=Range(min=0), **documented())
    sort = Choice("asc", "desc", load_default="desc", **documented("by creation"))


def _name(**options: Any) -> StatedText:
    sentences = {"absent": "Template name is missing", "sentence": "templateName is not valid"}
    return StatedText(data_key="templateName", **sentences, **options, **documented())


def _subject(**options: Any) -> StatedText:
    return StatedText(absent="subject is missing", sentence="subject is not valid", **options, **documented())


def _sender(**options: Any) -> _Sender:
    return _Sender(ChosenSender, absent="sender is missing", sentence="sender is not valid", **options, **documented())


class TemplateChanges(Compact):
    name, subject, sender = _name(), _subject(), _sender()
    html = Text(
        data_key="htmlContent",
        validate=[Longest(LONGEST), validate.Length(min=_SHORTEST, error=f"Shorter than {_SHORTEST} characters")],
        **documented("either this or htmlUrl; wins over it (proposed)", bounds=CLIENT, minLength=_SHORTEST),
    )
    html_url = Url(data_key="htmlUrl", **documented("not fetched: the content names it"))
    is_active = Flag(data_key="isActive", **documented("of a new template: false if left out"))
    reply_to = _ReplyTo(data_key="replyTo", **documented(f"`{_DEFAULT_REPLY_TO}` and an empty text remove it"))
    to_field = Text(data_key="toField", **documented("kept and shown, without an effect"))
    tag = Text(**documented("the tag of e-mails without tags"))
    attachment_url = _File(
        data_key="attachmentUrl", **documented("not fetched; its extension is one of a list", bounds=CLIENT)
    )

    @pre_load
    def _without_empty_contents(self, data: Any, **_: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        return {name: value for name, value in data.items() if value != "" or name not in ("htmlContent", "htmlUrl")}


class NewTemplate(TemplateChanges):
    name, subject, sender = _name(required=True), _subject(required=True), _sender(required=True)


class TemplateSender(Output):
    email = Email(**documented())
    id = Text(**documented("as a text; left out if no sender of the account has the address (proposed)"))
    name = Text(**documented())


class TemplateOut(Output):
    id = Int64(required=True, **documented())
    name = Text(required=True, **documented())
    subject = Text(required=True, **documented())
    isActive = Flag(attribute="is_active", required=True, **documented())
    testSent = Flag(attribute="is_tested", required=True, **documented())
    sender = fields.Nested(TemplateSender, required=True, **documented())
    replyTo = Email(attribute="reply_to", required=True, **documented("the sender's address by default (proposed)"))
    toField = Text(attribute="to_field", required=True, **documented("empty if there is none"))
    tag = Text(required=True, **documented("empty if there is none"))
    htmlContent = Text(attribute="html", required=True, **documented("empty if a scenario gives none"))
    createdAt = MillisecondMoment(attribute="created_at", required=True, **documented())
    modifiedAt = MillisecondMoment(attribute="modified_at", required=True, **documented())
    doiTemplate = Flag(attribute="is_optin", **documented("of getSmtpTemplate only: its tag is `optin` (proposed)"))


class Templates(Output):
    count = Int64(**documented("of all that the query asks for"))
    templates = fields.List(fields.Nested(TemplateOut), **documented())
