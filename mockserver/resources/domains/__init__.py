"""Sender domains: created, proved by DNS records, authenticated."""

from mockserver.resources.domains.model import DOMAIN
from mockserver.resources.domains.routes import DOMAINS
from mockserver.resources.domains.schemas import SECTION, WORLD
from mockserver.resources.resource import Room

ROOM = Room("domains", DOMAINS.operations, lifecycles=(DOMAIN,), section=SECTION, world=WORLD)
