"""The activity log of an organization."""

from mockserver.resources.activities.routes import ACTIVITIES
from mockserver.resources.activities.schemas import SECTION
from mockserver.resources.resource import Resource

RESOURCE = Resource("activities", ACTIVITIES.operations, section=SECTION)
