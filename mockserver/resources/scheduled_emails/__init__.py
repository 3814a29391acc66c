"""Scheduled transactional e-mails."""

from mockserver.resources.resource import Resource
from mockserver.resources.scheduled_emails.model import SCHEDULED_EMAIL
from mockserver.resources.scheduled_emails.routes import SCHEDULED_EMAILS
from mockserver.resources.scheduled_emails.schemas import SECTION

RESOURCE = Resource("scheduled_emails", SCHEDULED_EMAILS.operations, lifecycles=(SCHEDULED_EMAIL,), section=SECTION)
