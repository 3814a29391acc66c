"""Contacts, their lists, and folders of lists."""

from mockserver.core.lazy import lazy
from mockserver.resources.contacts.routes import CONTACTS
from mockserver.resources.resource import Resource

_imports, _section = lazy(__package__, "imports", "section")

RESOURCE = Resource(
    "contacts",
    CONTACTS.operations,
    lazy_section=_section.SECTION,
    members=frozenset({"contacts", "contact_lists", "contact_folders"}),
    resume=_imports.resume,
)
