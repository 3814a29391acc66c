"""Received e-mails."""

from mockserver.core.lazy import lazy
from mockserver.resources.inbound.routes import FURTHER_INBOUND, INBOUND
from mockserver.resources.resource import Resource

(_section,) = lazy(__package__, "section")

RESOURCE = Resource(
    "inbound",
    (*INBOUND.operations, *FURTHER_INBOUND.operations),
    lazy_section=_section.SECTION,
    members=frozenset({"inbound_events"}),
)
