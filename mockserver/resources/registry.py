"""All resources. A new resource is a package beside this module, and one line in `RESOURCES`."""

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
    processes,
    scheduled_emails,
    senders,
    sending,
    sso,
    templates,
    webhooks,
)
from mockserver.resources.resource import Resource

#: In loading order of scenario sections: a resource comes after the resources whose rows it reads.
RESOURCES: tuple[Resource, ...] = (
    corporate.RESOURCE,
    account.RESOURCE,
    domains.RESOURCE,
    senders.RESOURCE,
    deliveries.RESOURCE,
    webhooks.RESOURCE,
    activities.RESOURCE,
    inbound.RESOURCE,
    scheduled_emails.RESOURCE,
    sending.RESOURCE,
    contacts.RESOURCE,
    templates.RESOURCE,
    processes.RESOURCE,
    campaigns.RESOURCE,
    attributes.RESOURCE,
    sso.RESOURCE,
    oauth.RESOURCE,
)

#: All operations by id, including public endpoints.
ALL_OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {operation.id: operation for resource in RESOURCES for operation in resource.operations}
)
#: The operations of the API: the 34 of the specification, and `FURTHER_OPERATIONS`.
API_OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {name: operation for name, operation in ALL_OPERATIONS.items() if operation.audience is Audience.API}
)
#: The 34 operations of the specification, which coverage percentages count by default.
OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {name: operation for name, operation in API_OPERATIONS.items() if not operation.is_further}
)
#: All other operations of the API: sending, templates, campaigns, contacts, processes, and reads of received mails.
FURTHER_OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {name: operation for name, operation in API_OPERATIONS.items() if operation.is_further}
)

#: The state machines of further operations.
FURTHER_MACHINES = frozenset(
    name for resource in RESOURCES if resource.has_further_machines for name in resource.lazy_lifecycles
)


class _Lifecycles(Mapping[str, Lifecycle[Any]]):
    """Lifecycles by state machine, imported lazily."""

    def __init__(self) -> None:
        self._lazy = {name: lazy for resource in RESOURCES for name, lazy in resource.lazy_lifecycles.items()}

    def __getitem__(self, name: str) -> Lifecycle[Any]:
        lifecycle: Lifecycle[Any] = self._lazy[name].get()
        return lifecycle

    def __iter__(self) -> Iterator[str]:
        return iter(self._lazy)

    def __len__(self) -> int:
        return len(self._lazy)


LIFECYCLES: Mapping[str, Lifecycle[Any]] = _Lifecycles()


def _parts() -> Parts:
    listeners: dict[tuple[str, str], list[Listener]] = {}
    for resource in RESOURCES:
        for transition, listener in resource.listeners.items():
            listeners.setdefault(transition, []).append(listener)
    resumers = [resource.resume for resource in RESOURCES if resource.resume is not None]
    long_machines = frozenset[str]().union(*(resource.long_machines for resource in RESOURCES))
    return Parts(LIFECYCLES, listeners, (resume_mails, *resumers), long_machines)


#: The lifecycles, listeners and resumers of every workspace.
PARTS = _parts()
