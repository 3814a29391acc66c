"""Contact attributes."""

from mockserver.core.late import late
from mockserver.resources.attributes.routes import ATTRIBUTES, FURTHER_ATTRIBUTES
from mockserver.resources.resource import Resource

(_section,) = late(__package__, "section")

RESOURCE = Resource(
    "attributes",
    [*ATTRIBUTES.operations, *FURTHER_ATTRIBUTES.operations],
    late_section=_section.SECTION,
    members=frozenset({"attributes"}),
)
