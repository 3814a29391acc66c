"""The activity log of an organization."""

from mockserver.core.lazy import lazy
from mockserver.resources.activities.routes import ACTIVITIES
from mockserver.resources.resource import Resource

(_section,) = lazy(__package__, "section")

RESOURCE = Resource(
    "activities", ACTIVITIES.operations, lazy_section=_section.SECTION, members=frozenset({"activities"})
)
