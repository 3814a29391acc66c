"""Sender domains: created, proved by DNS records, authenticated."""

from mockserver.resources.domains.domain import DOMAIN
from mockserver.resources.domains.routes import DOMAINS
from mockserver.resources.domains.schemas import SECTION, WORKSPACE
from mockserver.resources.resource import Resource

RESOURCE = Resource("domains", DOMAINS.operations, lifecycles=(DOMAIN,), section=SECTION, workspace=WORKSPACE)
