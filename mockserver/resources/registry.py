"""The resources of the house. A new resource is its own folder and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mockserver.core.contract.operation import Audience, Operation
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Listener, Parts
from mockserver.resources import (
    account,
    activities,
    attributes,
    campaigns,
    corporate,
    deliveries,
    domains,
    inbound,
    oauth,
    scheduled_emails,
    senders,
    sso,
    webhooks,
)
from mockserver.resources.resource import Resource

#: In the order in which a scenario loads their sections: what another resource looks at comes first.
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
    attributes.RESOURCE,
    sso.RESOURCE,
    oauth.RESOURCE,
)

#: All that a request can be for.
ALL_OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {operation.id: operation for resource in RESOURCES for operation in resource.operations}
)
#: Those of the API, the 34 of the specification, which is what documents describe and percentages count.
OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {name: operation for name, operation in ALL_OPERATIONS.items() if operation.audience is Audience.API}
)

LIFECYCLES: Mapping[str, Lifecycle[Any]] = MappingProxyType(
    {lifecycle.machine.name: lifecycle for resource in RESOURCES for lifecycle in resource.lifecycles}
)


def _parts() -> Parts:
    listeners: dict[type, list[Listener]] = {}
    for resource in RESOURCES:
        for kind, listener in resource.listeners.items():
            listeners.setdefault(kind, []).append(listener)
    return Parts(LIFECYCLES, listeners)


#: What every workspace gets of the resources.
PARTS = _parts()
