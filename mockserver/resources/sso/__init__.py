"""Single sign-on: tokens that open an account in the browser, and the pages where they are used."""

from mockserver.core.late import late
from mockserver.resources.resource import Resource
from mockserver.resources.sso.routes import SSO

(_section,) = late(__package__, "section")

RESOURCE = Resource("sso", SSO.operations, late_section=_section.SECTION, members=frozenset({"sso_tokens"}))
