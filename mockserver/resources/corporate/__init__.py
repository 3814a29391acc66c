"""Master accounts and their sub-accounts."""

from mockserver.resources.corporate.lifecycle import SUB_ACCOUNT_PLAN
from mockserver.resources.corporate.routes import CORPORATE
from mockserver.resources.corporate.section import SECTION
from mockserver.resources.resource import Resource

RESOURCE = Resource("corporate", CORPORATE.operations, lifecycles=(SUB_ACCOUNT_PLAN,), section=SECTION)
