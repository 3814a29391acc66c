"""The rooms of the house. A new resource is its own folder and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mockserver.core.contract.operation import Operation, Surface
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
from mockserver.resources.resource import Room

#: In the order in which a scenario loads their sections: what another room looks at comes first.
ROOMS: tuple[Room, ...] = (
    corporate.ROOM,
    account.ROOM,
    domains.ROOM,
    senders.ROOM,
    deliveries.ROOM,
    webhooks.ROOM,
    activities.ROOM,
    inbound.ROOM,
    campaigns.ROOM,
    scheduled_emails.ROOM,
    attributes.ROOM,
    sso.ROOM,
    oauth.ROOM,
)

#: All that a request can be for.
ALL_OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {operation.id: operation for room in ROOMS for operation in room.operations}
)
#: Those of the API (SPEC 4), which is what documents describe and percentages count.
OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {name: operation for name, operation in ALL_OPERATIONS.items() if operation.surface is Surface.API}
)

LIFECYCLES: Mapping[str, Lifecycle[Any]] = MappingProxyType(
    {lifecycle.machine.name: lifecycle for room in ROOMS for lifecycle in room.lifecycles}
)


def _parts() -> Parts:
    listeners: dict[type, list[Listener]] = {}
    for room in ROOMS:
        for kind, listener in room.listeners.items():
            listeners.setdefault(kind, []).append(listener)
    return Parts(LIFECYCLES, listeners)


#: What every workspace gets of the rooms.
PARTS = _parts()
