"""Campaigns, and the shared addresses of campaigns and templates."""

from mockserver.core.lazy import lazy
from mockserver.resources.campaigns.routes import CAMPAIGNS, FURTHER
from mockserver.resources.resource import Resource

_campaign, _section = lazy(__package__, "campaign", "section")

RESOURCE = Resource(
    "campaigns",
    [*CAMPAIGNS.operations, *FURTHER.operations],
    lazy_lifecycles={"campaign": _campaign.CAMPAIGN},
    has_further_machines=True,
    lazy_section=_section.SECTION,
    members=frozenset({"campaigns"}),
    long_machines=frozenset({"campaign"}),
)
