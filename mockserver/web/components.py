"""Components of an application: objects of upper layers, found by type."""

from __future__ import annotations

from typing import TypeVar

Component = TypeVar("Component")


def component(component_type: type[Component]) -> Component:
    """Return the component of this type of the current request's application.

    Raises:
        KeyError: the application has none.
    """
    from flask import current_app  # noqa: PLC0415  # a server starts without Flask; within a request of it, it is there

    found: Component = current_app.components[component_type]  # type: ignore[attr-defined]  # it is a `LeanFlask`
    return found
