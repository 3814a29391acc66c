"""What the application hands to the calls of its control API."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mockserver.core.workspaces.store import Store
from mockserver.scenario.documents.library import Library
from mockserver.web.components import component


@dataclass(frozen=True, slots=True)
class Bodies:
    """How much the body of a control call may hold."""

    #: In bytes, of YAML; reading it takes several times as long as JSON.
    yaml: int
    #: How many objects and arrays may stand in each other.
    levels: int


@dataclass(frozen=True, slots=True)
class ControlDependencies:
    """What the calls of the control API act on, and what they tell of their server."""

    store: Store
    library: Library
    bodies: Bodies
    #: Whether the control API asks for a token.
    wants_token: bool
    #: What `health` tells of what leaves the server and enters it, by the name of each way.
    effects_health: Callable[[], Mapping[str, Mapping[str, Any]]]
    #: When the server was made, on the clock of `time.monotonic`.
    started: float = field(default_factory=time.monotonic)


def current() -> ControlDependencies:
    """The parts of the server that answers the call."""
    return component(ControlDependencies)


def store() -> Store:
    """The workspaces of the server."""
    return current().store


def library() -> Library:
    """The scenarios that can be loaded by their names."""
    return current().library
