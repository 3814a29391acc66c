"""The account itself: identity, plan, relay and dedicated IPs."""

from mockserver.resources.account.routes import ACCOUNT
from mockserver.resources.account.schemas import SECTION
from mockserver.resources.resource import Room

ROOM = Room("account", ACCOUNT.operations, section=SECTION)
