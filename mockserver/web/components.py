"""What an application is made of beyond its views, which find it by its type."""

from __future__ import annotations

from typing import TypeVar, cast

from flask import Flask, current_app

Component = TypeVar("Component")


class ComponentFlask(Flask):
    """Flask that holds components: at most one of each type, for whatever layer knows the type."""

    def __init__(self, name: str) -> None:
        super().__init__(name, static_folder=None)
        self._components: dict[type, object] = {}

    def add_component(self, component: object) -> None:
        self._components[type(component)] = component

    def component(self, kind: type[Component]) -> Component:
        """The component of this type, which has to be there."""
        return cast(Component, self._components[kind])


def component(kind: type[Component]) -> Component:
    """The component of this type of the application that answers the request."""
    return cast(ComponentFlask, current_app).component(kind)
