"""Scheduled e-mails on the wire."""

from __future__ import annotations

from mockserver.resources.scheduled_emails import model
from mockserver.web.schemas.evidence import documented
from mockserver.web.schemas.fields import Text
from mockserver.web.schemas.schema import Input


class IdentifierPath(Input):
    identifier = Text(
        required=True,
        **documented(
            "a UUIDv4 batch id, or a message id in angle brackets, percent-encoded",
            bounds="specification 4.8",
            pattern=model.IDENTIFIER,
        ),
    )
