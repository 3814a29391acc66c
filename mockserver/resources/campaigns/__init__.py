"""Campaigns and templates, as far as they can be shared."""

from mockserver.resources.campaigns.routes import CAMPAIGNS
from mockserver.resources.campaigns.schemas import SECTION
from mockserver.resources.resource import Room

ROOM = Room("campaigns", CAMPAIGNS.operations, section=SECTION)
