"""Parts of the schemas of templates and campaigns."""

from __future__ import annotations

from typing import Any

from mockserver.web.schemas.evidence import OPENAPI, documented
from mockserver.web.schemas.fields import Email, Flag, Int64, List, Text
from mockserver.web.schemas.schema import Compact, Output


class TextFlag(Flag):
    """A boolean of a query; one client library writes it with a capital letter."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        text = str(value).lower()
        return super()._deserialize({"true": True, "false": False}.get(text, value), attr, data, **kwargs)


class ChosenSender(Compact):
    names_from = OPENAPI

    email = Email(**documented("of a verified sender; either this or id"))
    id = Int64(**documented("of a verified sender; either this or email"))
    name = Text(**documented("the sender's own name if left out"))


class TestAddresses(Compact):
    email_to = List(Email, data_key="emailTo", **documented("contacts in a list; empty: the account (proposed)"))


class MessageCreated(Output):
    id = Int64(required=True, **documented())
