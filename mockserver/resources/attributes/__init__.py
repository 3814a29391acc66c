"""Contact attributes."""

from mockserver.core.lazy import lazy
from mockserver.resources.attributes.routes import ATTRIBUTES, FURTHER_ATTRIBUTES
from mockserver.resources.resource import Resource

(_section,) = lazy(__package__, "section")

RESOURCE = Resource(
    "attributes",
    [*ATTRIBUTES.operations, *FURTHER_ATTRIBUTES.operations],
    lazy_section=_section.SECTION,
    members=frozenset({"attributes"}),
)
