"""E-mails as members of a document, whole, with the contents of their files."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from typing import Any, ClassVar

from marshmallow import ValidationError, fields, post_load, validate

from mockserver.core.traffic.mail import KINDS, Attachment, Mail, MailContent, Party, Recipient
from mockserver.resources.section import Instant, Item
from mockserver.web.schemas.fields.json_value import JsonObject


class Made(Item):
    """An item that is loaded as a row of a type."""

    made: ClassVar[type]

    @post_load
    def make(self, data: dict[str, Any], **_: Any) -> Any:
        return self.made(**data)


class _Bytes(fields.Field[bytes]):
    """Bytes in Base64 (RFC 4648)."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else b64encode(value).decode()

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bytes:
        try:
            return b64decode(value, validate=True)
        except (Error, TypeError, ValueError) as error:
            raise ValidationError("must be Base64") from error


class _Tuple(fields.List[Any]):
    """A list that is loaded as a tuple."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return tuple(super()._deserialize(value, attr, data, **kwargs))


class Either(fields.Raw):
    """A value of one of some types, as it stands."""

    def __init__(self, *types: type, words: str, **options: Any) -> None:
        super().__init__(**options)
        self._types, self._words = types, words

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        # A bool is an int to Python.
        if not isinstance(value, self._types) or isinstance(value, bool):
            raise ValidationError(f"must be {self._words}")
        return value


class PartyItem(Made):
    """An address with the name before it."""

    made = Party
    email = fields.String(required=True)
    name = fields.String(load_default="")


class RecipientItem(Made):
    """A party, and whether it stands under to, cc or bcc."""

    made = Recipient
    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    party = fields.Nested(PartyItem, required=True)


class AttachmentItem(Made):
    """A file of an e-mail: its contents, or the address under which it is found; its size is in bytes."""

    made = Attachment
    name = fields.String(required=True)
    content = _Bytes(load_default=None, allow_none=True)
    size = fields.Integer(load_default=None, allow_none=True)
    url = fields.String(load_default=None, allow_none=True)


class ContentItem(Made):
    """What a client has sent of an e-mail."""

    made = MailContent
    sender = fields.Nested(PartyItem, required=True)
    recipients = _Tuple(fields.Nested(RecipientItem), required=True)
    subject = fields.String(load_default="")
    text = fields.String(load_default=None, allow_none=True)
    html = fields.String(load_default=None, allow_none=True)
    reply_to = fields.Nested(PartyItem, load_default=None, allow_none=True)
    headers = fields.Dict(fields.String(), fields.String(), load_default=dict)
    tags = _Tuple(fields.String(), load_default=())
    message_id = fields.String(load_default="")
    attachments = _Tuple(fields.Nested(AttachmentItem), load_default=())
    template_id = fields.Integer(load_default=None, allow_none=True)
    params = JsonObject(load_default=dict)


class MailItem(Made):
    """An e-mail of the mailbox, with what has caused it and, if a client has sent it, all that was sent."""

    made = Mail
    id = fields.String(required=True)
    at = Instant(required=True)
    to = fields.String(required=True)
    sender = fields.String(required=True)
    subject = fields.String(required=True)
    text = fields.String(required=True)
    otp = fields.Integer(load_default=None, allow_none=True)
    account = fields.String(load_default=None, allow_none=True)
    machine = fields.String(load_default=None, allow_none=True)
    key = Either(int, str, words="a text or a number", load_default=None, allow_none=True)
    request = fields.String(load_default=None, allow_none=True)
    content = fields.Nested(ContentItem, load_default=None, allow_none=True)
