"""The activity log of an organization."""

from mockserver.resources.activities.routes import ACTIVITIES
from mockserver.resources.activities.schemas import SECTION
from mockserver.resources.room import Room

ROOM = Room("activities", ACTIVITIES.operations, section=SECTION)
