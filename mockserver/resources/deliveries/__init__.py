"""Deliveries: calls of the service to addresses of its users, with their attempts."""

from mockserver.core.late import late
from mockserver.resources.resource import Resource

_model, _section = late(__package__, "model", "section")

RESOURCE = Resource(
    "deliveries",
    (),
    late_lifecycles={"delivery": _model.DELIVERY},
    late_section=_section.SECTION,
    members=frozenset({"deliveries"}),
    resume=_model.resume,
)
