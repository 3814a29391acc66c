"""Single sign-on: tokens that open an account in the browser, and the pages where they are used."""

from mockserver.core.lazy import lazy
from mockserver.resources.resource import Resource
from mockserver.resources.sso.routes import SSO

(_section,) = lazy(__package__, "section")

RESOURCE = Resource("sso", SSO.operations, lazy_section=_section.SECTION, members=frozenset({"sso_tokens"}))
