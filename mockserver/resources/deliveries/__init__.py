"""Deliveries: calls of the service to addresses of its users, with their attempts."""

from mockserver.resources.deliveries.delivery import DELIVERY
from mockserver.resources.deliveries.schemas import SECTION
from mockserver.resources.resource import Resource

RESOURCE = Resource("deliveries", (), lifecycles=(DELIVERY,), section=SECTION)
