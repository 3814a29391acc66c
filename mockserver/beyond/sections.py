"""What scenarios hold: the sections of the resources, and those of the stubs."""

from __future__ import annotations

from mockserver.core.lazy import lazy
from mockserver.resources.registry import RESOURCES
from mockserver.resources.resource import Resource

_stub_list, _stored = lazy("mockserver.beyond.stubs", "stub_list", "stored")

#: The stubs as a resource: they have no operations of their own, and their sections are loaded after all others.
_STUBS = Resource(
    name="stubs",
    operations=(),
    late_section=_stored.SECTION,
    late_workspace=_stub_list.SECTION,
    members=frozenset({"stored"}),
    workspace_members=frozenset({"stubs"}),
)
#: All that has a section of a scenario, in the order in which the sections are loaded.
SECTIONED: tuple[Resource, ...] = (*RESOURCES, _STUBS)
