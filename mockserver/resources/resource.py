"""What a resource of the house brings: operations, machines, ears, and its sections of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from marshmallow import fields

from mockserver.core.contract.operation import Operation
from mockserver.core.state.account import Account
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Listener, Workspace

if TYPE_CHECKING:
    from mockserver.resources.people import People

#: One made-up item of a list, in the form in which the section's schema loads it.
Generator = Callable[["People", Workspace, Account], dict[str, Any]]


class Section(NamedTuple):
    """The members of a scenario's account that a resource owns.

    `load` gets those that are there, as its fields have loaded them; `dump` gives them back, ready to be written.
    `finish` comes once after the `load` of all accounts, for what would take long if each account did it, or needs
    the others; what it refuses, it raises with its account.
    """

    fields: Mapping[str, fields.Field[Any]]
    load: Callable[[Workspace, Account, Mapping[str, Any]], None]
    dump: Callable[[Workspace, Account], dict[str, Any]]
    finish: Callable[[Workspace], None] = lambda workspace: None
    generators: Mapping[str, Generator] = MappingProxyType({})
    #: Members that say something of the account itself and are loaded as a whole; all others are rows.
    account_members: frozenset[str] = frozenset()


class WorkspaceSection(NamedTuple):
    """The same for members that a scenario has beside its accounts."""

    fields: Mapping[str, fields.Field[Any]]
    load: Callable[[Workspace, Mapping[str, Any]], None]
    dump: Callable[[Workspace], dict[str, Any]]


class Resource(NamedTuple):
    """One resource of the API."""

    name: str
    operations: Sequence[Operation]
    lifecycles: Sequence[Lifecycle[Any]] = ()
    listeners: Mapping[type, Listener] = MappingProxyType({})
    section: Section | None = None
    workspace: WorkspaceSection | None = None
    #: Whether its machines are among what percentages of coverage count, as the API's are.
    is_counted: bool = True
