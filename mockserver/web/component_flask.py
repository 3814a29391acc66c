"""Flask with components."""

from __future__ import annotations

from typing import cast

from flask import Flask

from mockserver.web.components import Component


class ComponentFlask(Flask):
    """Flask that holds components, at most one of each type."""

    def __init__(self, name: str) -> None:
        super().__init__(name, static_folder=None)
        self.components: dict[type, object] = {}

    def add_component(self, component: object) -> None:
        self.components[type(component)] = component

    def component(self, component_type: type[Component]) -> Component:
        """The component of this type.

        Raises:
            KeyError: the application has none.
        """
        return cast(Component, self.components[component_type])
