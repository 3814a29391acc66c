"""Deliveries: calls of the service to addresses of its users, with their attempts."""

from mockserver.core.lazy import lazy
from mockserver.resources.resource import Resource

_attempts, _delivery, _section = lazy(__package__, "attempts", "delivery", "section")

RESOURCE = Resource(
    "deliveries",
    (),
    late_lifecycles={"delivery": _delivery.DELIVERY},
    late_section=_section.SECTION,
    members=frozenset({"deliveries"}),
    resume=_attempts.resume,
)
