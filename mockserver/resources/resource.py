"""What a resource consists of: operations, lifecycles, listeners, and its sections of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from marshmallow import fields

from mockserver.core.contract.operation import Operation
from mockserver.core.lazy import LazyName
from mockserver.core.state.state import Account
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Listener, Workspace
from mockserver.resources.people import People

if TYPE_CHECKING:
    from mockserver.resources.section import SectionError

#: Makes up one item of a list of an account, as the section's schema would have loaded it.
Generator = Callable[[People, Workspace, Account], dict[str, Any]]


class Section(NamedTuple):
    """The members that a resource owns of each account of a scenario.

    `load` gets the members that the document has, as `fields` have loaded them; `dump` gives them back, ready to be
    written. `finish` is called once after `load` was called for all accounts, for what would take long if it were done
    for each of them, or what needs the others. `load` and `finish` give a `SectionError` for each item that is refused
    and go on with the others; in `finish` it names the account. `generators` make up items, by the name of the member
    whose list they are for.
    """

    fields: Mapping[str, fields.Field[Any]]
    load: Callable[[Workspace, Account, Mapping[str, Any]], Iterable[SectionError]]
    dump: Callable[[Workspace, Account], dict[str, Any]]
    finish: Callable[[Workspace], Iterable[SectionError]] = lambda workspace: ()
    generators: Mapping[str, Generator] = MappingProxyType({})
    #: Members that describe the account itself and are replaced as a whole; all others are lists or mappings of rows.
    account_members: frozenset[str] = frozenset()
    #: Whether members of a master and of its sub-accounts are checked against each other.
    checks_families: bool = False


class WorkspaceSection(NamedTuple):
    """The members that a resource owns of a scenario's top level, beside the accounts.

    `load` gets the members that the document has, as `fields` have loaded them, and gives a `SectionError` for each
    item that is refused; `dump` gives them back, ready to be written.
    """

    fields: Mapping[str, fields.Field[Any]]
    load: Callable[[Workspace, Mapping[str, Any]], Iterable[SectionError]]
    dump: Callable[[Workspace], dict[str, Any]]


class Resource(NamedTuple):
    """A group of operations, with its lifecycles, its sections of a scenario, and what it listens to.

    Sections and lifecycles are imported when somebody asks for them, as a server may never need those of a resource
    that its scenario does not mention. `listeners` are called with the transitions of a machine by an event.
    """

    name: str
    operations: Sequence[Operation]
    #: By the names of their state machines.
    late_lifecycles: Mapping[str, LazyName] = MappingProxyType({})
    listeners: Mapping[tuple[str, str], Listener] = MappingProxyType({})
    late_section: LazyName | None = None
    late_workspace: LazyName | None = None
    #: Goes on with what was under way when a workspace left the memory.
    resume: Callable[[Workspace], None] | None = None
    #: The members of an account that the section owns, and those of the top level that the other one owns.
    members: frozenset[str] = frozenset()
    workspace_members: frozenset[str] = frozenset()
    #: Other members of an account for which the sections are loaded, too.
    looks_at: frozenset[str] = frozenset()
    #: Whether the percentages of coverage count the state machines of the resource.
    is_counted: bool = True

    @property
    def section(self) -> Section | None:
        """The section of each account, if there is one."""
        return None if self.late_section is None else self.late_section.get()

    @property
    def workspace(self) -> WorkspaceSection | None:
        """The section of a scenario's top level, if there is one."""
        return None if self.late_workspace is None else self.late_workspace.get()

    @property
    def lifecycles(self) -> Sequence[Lifecycle[Any]]:
        return [found.get() for found in self.late_lifecycles.values()]
