"""E-mail templates."""

from mockserver.core.lazy import lazy
from mockserver.resources.resource import Resource
from mockserver.resources.templates.routes import TEMPLATES

(_section,) = lazy(__package__, "section")

RESOURCE = Resource("templates", TEMPLATES.operations, lazy_section=_section.SECTION, members=frozenset({"sent_tests"}))
