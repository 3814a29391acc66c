"""A resource: its operations, lifecycles, listeners and sections of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mockserver.core.contract.operation import Operation
from mockserver.core.lazy import LazyName
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Listener, Workspace

if TYPE_CHECKING:
    from mockserver.resources.section import Section, WorkspaceSection


class Resource(NamedTuple):
    """A group of operations with its lifecycles, listeners and sections.

    Sections and lifecycles are imported lazily: a server needs only the sections that its scenario mentions.
    `listeners` are called after transitions, by state machine and event.
    """

    name: str
    operations: Sequence[Operation]
    #: Lifecycles by state machine.
    lazy_lifecycles: Mapping[str, LazyName] = MappingProxyType({})
    listeners: Mapping[tuple[str, str], Listener] = MappingProxyType({})
    lazy_section: LazyName | None = None
    lazy_workspace: LazyName | None = None
    #: Resumes interrupted work of a workspace that was passivated.
    resume: Callable[[Workspace], None] | None = None
    #: Members of an account in `section`, and top-level members in `workspace`.
    members: frozenset[str] = frozenset()
    workspace_members: frozenset[str] = frozenset()
    #: Other members of an account that require loading the sections.
    looks_at: frozenset[str] = frozenset()
    #: Whether coverage has its state machines.
    is_counted: bool = True
    #: Whether its state machines are those of further operations: percentages do not count them by default.
    has_further_machines: bool = False
    #: State machines whose events may take too long for the event loop.
    long_machines: frozenset[str] = frozenset()

    @property
    def section(self) -> Section | None:
        """The section of each account, or None."""
        return None if self.lazy_section is None else self.lazy_section.get()

    @property
    def workspace(self) -> WorkspaceSection | None:
        """The section of a scenario's top level, or None."""
        return None if self.lazy_workspace is None else self.lazy_workspace.get()

    @property
    def lifecycles(self) -> Sequence[Lifecycle[Any]]:
        return [found.get() for found in self.lazy_lifecycles.values()]
