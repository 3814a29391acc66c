"""Received e-mails."""

from mockserver.core.late import late
from mockserver.resources.inbound.routes import INBOUND
from mockserver.resources.resource import Resource

(_section,) = late(__package__, "section")

RESOURCE = Resource("inbound", INBOUND.operations, late_section=_section.SECTION, members=frozenset({"inbound_events"}))
