"""Webhooks: which events are sent where, and the history of what was sent."""

from mockserver.core.time.transition import Changed
from mockserver.resources.resource import Resource
from mockserver.resources.webhooks.history import EXPORT, note_notified
from mockserver.resources.webhooks.routes import WEBHOOKS
from mockserver.resources.webhooks.section import SECTION

RESOURCE = Resource(
    "webhooks", WEBHOOKS.operations, lifecycles=(EXPORT,), listeners={Changed: note_notified}, section=SECTION
)
