"""Received e-mails."""

from mockserver.resources.inbound.routes import INBOUND
from mockserver.resources.inbound.schemas import SECTION
from mockserver.resources.resource import Resource

RESOURCE = Resource("inbound", INBOUND.operations, section=SECTION)
