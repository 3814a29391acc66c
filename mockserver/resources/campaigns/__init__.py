"""Campaigns and templates, and the addresses under which they are shared."""

from mockserver.core.late import late
from mockserver.resources.campaigns.routes import CAMPAIGNS
from mockserver.resources.resource import Resource

(_section,) = late(__package__, "section")

RESOURCE = Resource("campaigns", CAMPAIGNS.operations, late_section=_section.SECTION, members=frozenset({"campaigns"}))
