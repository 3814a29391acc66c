"""Campaigns, templates, and their shared addresses."""

from mockserver.core.lazy import lazy
from mockserver.resources.campaigns.routes import CAMPAIGNS
from mockserver.resources.resource import Resource

(_section,) = lazy(__package__, "section")

RESOURCE = Resource("campaigns", CAMPAIGNS.operations, lazy_section=_section.SECTION, members=frozenset({"campaigns"}))
