"""Master accounts and their sub-accounts."""

from mockserver.core.lazy import lazy
from mockserver.resources.corporate.routes import CORPORATE
from mockserver.resources.resource import Resource

_pool, _section = lazy(__package__, "pool", "section")

RESOURCE = Resource(
    "corporate",
    CORPORATE.operations,
    lazy_lifecycles={"sub_account_plan": _pool.SUB_ACCOUNT_PLAN},
    lazy_section=_section.SECTION,
    members=frozenset(
        {
            "currency_code", "timezone", "billing_info", "plan_info", "groups", "pool", "bulk_plans",
            "plan_type", "group_ids", "assigned", "used", "plan_state",
        }
    ),
    looks_at=frozenset({"role"}),  # loads masters and sub-accounts without any of these members
)  # fmt: skip
