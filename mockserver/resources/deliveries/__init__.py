"""Deliveries: webhook calls and export announcements, with attempts."""

from mockserver.core.lazy import lazy
from mockserver.resources.resource import Resource

_model, _section = lazy(__package__, "model", "section")

RESOURCE = Resource(
    "deliveries",
    (),
    lazy_lifecycles={"delivery": _model.DELIVERY},
    lazy_section=_section.SECTION,
    members=frozenset({"deliveries"}),
    resume=_model.resume,
)
