"""What scenarios hold: the sections of the resources, and that of the stubs."""

from __future__ import annotations

from mockserver.core.late import late
from mockserver.resources.registry import RESOURCES
from mockserver.resources.resource import Resource

(stub_list,) = late("mockserver.beyond.stubs", "stub_list")

#: The stubs as a resource: they have no operations of their own, and their sections are loaded after all others.
_STUBS = Resource(
    name="stubs",
    operations=(),
    late_workspace=stub_list.SECTION,
    workspace_members=frozenset({"stubs"}),
)
#: All that has a section of a scenario, in the order in which the sections are loaded.
SECTIONED: tuple[Resource, ...] = (*RESOURCES, _STUBS)
