"""The account itself: identity, plan, relay and dedicated IPs."""

from mockserver.core.lazy import lazy
from mockserver.resources.account.routes import ACCOUNT
from mockserver.resources.resource import Resource

(_section,) = lazy(__package__, "section")

RESOURCE = Resource(
    "account",
    ACCOUNT.operations,
    lazy_section=_section.SECTION,
    members=frozenset(
        {
            "address", "plan", "plan_verticals", "relay", "marketing_automation", "date_time_preferences",
            "dedicated_ips",
        }
    ),
)  # fmt: skip
