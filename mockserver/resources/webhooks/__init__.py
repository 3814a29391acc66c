"""Webhooks: addresses that the service tells about events."""

from mockserver.resources.room import Room
from mockserver.resources.webhooks.routes import WEBHOOKS
from mockserver.resources.webhooks.schemas import SECTION

ROOM = Room("webhooks", WEBHOOKS.operations, section=SECTION)
