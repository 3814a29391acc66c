"""Single sign-on: tokens that open an account in the browser, and the pages where they are used."""

from mockserver.resources.resource import Resource
from mockserver.resources.sso.routes import SSO
from mockserver.resources.sso.schemas import SECTION

RESOURCE = Resource("sso", SSO.operations, section=SECTION)
