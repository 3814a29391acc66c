"""Contact attributes."""

from mockserver.resources.attributes.routes import ATTRIBUTES
from mockserver.resources.attributes.schemas import SECTION
from mockserver.resources.resource import Resource

RESOURCE = Resource("attributes", ATTRIBUTES.operations, section=SECTION)
