"""The resources that there are. A new resource is a package beside this module, and one line in `RESOURCES`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from mockserver.core.contract.operation import Audience, Operation
from mockserver.core.workspaces.lifecycle import Lifecycle, resume_mails
from mockserver.core.workspaces.workspace import Listener, Parts
from mockserver.resources import (
    account,
    activities,
    attributes,
    campaigns,
    contacts,
    corporate,
    deliveries,
    domains,
    inbound,
    oauth,
    scheduled_emails,
    senders,
    sending,
    sso,
    webhooks,
)
from mockserver.resources.resource import Resource

#: In the order in which the sections of a scenario are loaded: a resource comes after those whose rows it looks at.
RESOURCES: tuple[Resource, ...] = (
    corporate.RESOURCE,
    account.RESOURCE,
    domains.RESOURCE,
    senders.RESOURCE,
    deliveries.RESOURCE,
    webhooks.RESOURCE,
    activities.RESOURCE,
    inbound.RESOURCE,
    campaigns.RESOURCE,
    scheduled_emails.RESOURCE,
    sending.RESOURCE,
    contacts.RESOURCE,
    attributes.RESOURCE,
    sso.RESOURCE,
    oauth.RESOURCE,
)

#: All operations by their id, those of public endpoints included.
ALL_OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {operation.id: operation for resource in RESOURCES for operation in resource.operations}
)
#: The operations of the API: the 34 of the specification, sending, and contacts.
API_OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {name: operation for name, operation in ALL_OPERATIONS.items() if operation.audience is Audience.API}
)
#: The 34 operations of the specification, which percentages count by default.
OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {name: operation for name, operation in API_OPERATIONS.items() if not operation.is_further}
)
#: The operations of the API beside the 34.
FURTHER_OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {name: operation for name, operation in API_OPERATIONS.items() if operation.is_further}
)


class _Lifecycles(Mapping[str, Lifecycle[Any]]):
    """By the names of their state machines; each is imported when it is looked up."""

    def __init__(self) -> None:
        self._late = {name: found for resource in RESOURCES for name, found in resource.late_lifecycles.items()}

    def __getitem__(self, name: str) -> Lifecycle[Any]:
        found: Lifecycle[Any] = self._late[name].get()
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._late)

    def __len__(self) -> int:
        return len(self._late)


LIFECYCLES: Mapping[str, Lifecycle[Any]] = _Lifecycles()


def _parts() -> Parts:
    listeners: dict[tuple[str, str], list[Listener]] = {}
    for resource in RESOURCES:
        for transition, listener in resource.listeners.items():
            listeners.setdefault(transition, []).append(listener)
    resumers = [resource.resume for resource in RESOURCES if resource.resume is not None]
    return Parts(LIFECYCLES, listeners, (resume_mails, *resumers))


#: The lifecycles and listeners that every workspace has, and what goes on in one that is loaded.
PARTS = _parts()
