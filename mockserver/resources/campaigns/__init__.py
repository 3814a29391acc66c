"""Campaigns and templates, and the addresses under which they are shared."""

from mockserver.resources.campaigns.routes import CAMPAIGNS
from mockserver.resources.campaigns.schemas import SECTION
from mockserver.resources.resource import Resource

RESOURCE = Resource("campaigns", CAMPAIGNS.operations, section=SECTION)
