"""Transactional e-mails: sending, what is scheduled, and contacts that are blocked."""

from mockserver.core.lazy import lazy
from mockserver.resources.resource import Resource
from mockserver.resources.sending.routes import SENDING

(_section,) = lazy(__package__, "section")

RESOURCE = Resource(
    "sending",
    SENDING.operations,
    lazy_section=_section.SECTION,
    members=frozenset({"blocked_contacts", "email_events", "idempotency_keys"}),
)
