"""What control calls need of their application."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mockserver.core.workspaces.store import Store
from mockserver.scenario.documents.library import Library
from mockserver.web.components import component


@dataclass(frozen=True, slots=True)
class Bodies:
    """The limits of the bodies of control calls."""

    #: The size of a YAML body, in bytes: reading YAML takes several times as long as JSON.
    yaml: int
    #: How deeply objects and arrays may be nested.
    levels: int


@dataclass(frozen=True, slots=True)
class Tls:
    """How the server speaks TLS."""

    #: The certificate of its authority, in PEM; None: it has a certificate that somebody else has issued.
    ca: str | None


@dataclass(frozen=True, slots=True)
class ControlDependencies:
    """The component of an application that its control calls act on."""

    store: Store
    library: Library
    bodies: Bodies
    #: Whether the control API asks for a token.
    wants_token: bool
    #: Gives what `health` shows of the effects and of TLS, by name: `smtp`, `smtp_in`, `tls`.
    effects_health: Callable[[], Mapping[str, Mapping[str, Any]]]
    #: What becomes of a call beyond the mock where the scenario does not say it, as `Behaviour.beyond`.
    beyond: str
    #: When the server was made, on the clock of `time.monotonic`.
    started: float
    #: None: the server speaks no TLS.
    tls: Tls | None = None


def current() -> ControlDependencies:
    """The dependencies of the server that answers the call."""
    return component(ControlDependencies)


def store() -> Store:
    """The workspaces of the server that answers the call."""
    return current().store


def library() -> Library:
    """The scenarios that the server can load by their names."""
    return current().library
