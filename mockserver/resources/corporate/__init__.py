"""Master accounts and their sub-accounts."""

from mockserver.core.lazy import lazy
from mockserver.resources.corporate.routes import CORPORATE
from mockserver.resources.resource import Resource

_lifecycle, _section = lazy(__package__, "lifecycle", "section")

RESOURCE = Resource(
    "corporate",
    CORPORATE.operations,
    late_lifecycles={"sub_account_plan": _lifecycle.SUB_ACCOUNT_PLAN},
    late_section=_section.SECTION,
    members=frozenset(
        {
            "currency_code", "timezone", "billing_info", "plan_info", "groups", "pool", "bulk_plans",
            "plan_type", "group_ids", "assigned", "used", "plan_state",
        }
    ),
    looks_at=frozenset({"role"}),  # a master and a sub-account have rows without any of these
)  # fmt: skip
