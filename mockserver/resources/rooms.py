"""The rooms of the house. A new resource is its own folder and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mockserver.core.contract import Operation
from mockserver.core.lifecycle import Lifecycle
from mockserver.core.workspace import Listener, Parts
from mockserver.resources import (
    account,
    activities,
    attributes,
    campaigns,
    corporate,
    deliveries,
    domains,
    inbound,
    scheduled_emails,
    senders,
    webhooks,
)
from mockserver.resources.room import Room

#: In the order in which a scenario loads their sections: what another room looks at comes first.
ROOMS: tuple[Room, ...] = (
    account.ROOM,
    domains.ROOM,
    senders.ROOM,
    deliveries.ROOM,
    webhooks.ROOM,
    activities.ROOM,
    corporate.ROOM,
    inbound.ROOM,
    campaigns.ROOM,
    scheduled_emails.ROOM,
    attributes.ROOM,
)

OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {operation.id: operation for room in ROOMS for operation in room.operations}
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
