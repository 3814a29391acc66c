"""The components of an application: objects that a layer above the web finds by their type."""

from __future__ import annotations

from typing import TypeVar

Component = TypeVar("Component")


def component(component_type: type[Component]) -> Component:
    """The component of this type that the application of the current request holds.

    Raises:
        KeyError: the application has none.
    """
    from flask import current_app  # noqa: PLC0415  # a server starts without Flask; within a request of it, it is there

    found: Component = current_app.component(component_type)  # type: ignore[attr-defined]  # it is a `ComponentFlask`
    return found
