"""The account itself: identity, plan, relay and dedicated IPs."""

from mockserver.resources.account.routes import ACCOUNT
from mockserver.resources.account.schemas import SECTION
from mockserver.resources.resource import Resource

RESOURCE = Resource("account", ACCOUNT.operations, section=SECTION)
