"""Contact attributes."""

from mockserver.resources.attributes.routes import ATTRIBUTES
from mockserver.resources.attributes.schemas import SECTION
from mockserver.resources.resource import Room

ROOM = Room("attributes", ATTRIBUTES.operations, section=SECTION)
