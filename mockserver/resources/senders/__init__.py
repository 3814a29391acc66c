"""Senders: addresses that mail may come from, verified by one-time code."""

from mockserver.core.time.transition import Changed
from mockserver.resources.resource import Resource
from mockserver.resources.senders.routes import SENDERS
from mockserver.resources.senders.schemas import SECTION
from mockserver.resources.senders.sender import SENDER
from mockserver.resources.senders.verification import trust_senders

RESOURCE = Resource(
    "senders", SENDERS.operations, lifecycles=(SENDER,), listeners={Changed: trust_senders}, section=SECTION
)
