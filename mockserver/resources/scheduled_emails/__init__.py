"""Scheduled transactional e-mails."""

from mockserver.core.lazy import lazy
from mockserver.resources.resource import Resource
from mockserver.resources.scheduled_emails.routes import SCHEDULED_EMAILS

_model, _section = lazy(__package__, "model", "section")

RESOURCE = Resource(
    "scheduled_emails",
    SCHEDULED_EMAILS.operations,
    lazy_lifecycles={"scheduled_email": _model.SCHEDULED_EMAIL},
    lazy_section=_section.SECTION,
    members=frozenset({"scheduled_emails"}),
)
