"""A lean Flask, for control calls, pages and OAuth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Flask, Request, Response
from werkzeug.exceptions import NotFound
from werkzeug.routing import MapAdapter, Rule

from mockserver.web.routing.address import CONTROL_PREFIX, SEGMENTED, SLASH

#: The parameters of the control API's addresses that may hold an encoded slash: the keys of instances, some of which
#: are message ids. All other names are of the mock's own making, or of files, and have none.
_MAY_HOLD_SLASHES = frozenset({"key"})


class MatchedRule(Rule):
    """A rule for matching only: preparing to build URLs is most of a rule's cost."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return lambda *_, **__: ("", "")


class LeanFlask(Flask):
    """Flask plus components (at most one per type), minus host and subdomain matching."""

    url_rule_class = MatchedRule

    def __init__(self, name: str) -> None:
        super().__init__(name, static_folder=None)
        self.components: dict[type, object] = {}
        self.url_map.merge_slashes = False  # a doubled slash makes another path; Werkzeug would redirect

    def part(self, addresses: LeanFlask) -> LeanFlask:
        """Return an application for a group of addresses that shares configuration, components and functions.

        Adding a hundred addresses takes 5 ms, so that all servers of a process share those of `addresses`.
        """
        found = LeanFlask(self.name)
        found.config, found.json, found.components = self.config, self.json, self.components
        found.before_request_funcs = self.before_request_funcs
        found.after_request_funcs = self.after_request_funcs
        found.teardown_request_funcs = self.teardown_request_funcs
        found.url_map, found.blueprints = addresses.url_map, addresses.blueprints
        found.view_functions = addresses.view_functions
        return found

    def add_component(self, component: object) -> None:
        self.components[type(component)] = component

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        if request is None:
            return super().create_url_adapter(request)
        path = request.environ.get(SEGMENTED)
        adapter, path = (MapAdapter, request.path) if path is None else (_SegmentedAdapter, path)
        # The map knows neither hosts nor subdomains, so that nothing else of the environment matters.
        return adapter(self.url_map, request.host, request.root_path, "", request.scheme, path, request.method, "")

    def handle_exception(self, e: Exception) -> Response:
        """Pass a `ConnectionResetError` on to the server: a fault wants no answer (`web.server.wire.block`)."""
        if isinstance(e, ConnectionResetError):
            raise e
        found: Response = super().handle_exception(e)
        return found


class _SegmentedAdapter(MapAdapter):
    """Matches paths with encoded slashes; in control calls only instance keys may have them."""

    def match(self, *args: Any, **options: Any) -> tuple[Any, Mapping[str, Any]]:
        try:
            rule, values = super().match(*args, **options)
        except UnicodeEncodeError:  # Werkzeug redirects to a path with a final slash, and cannot write `SLASH`
            raise NotFound from None
        if rule.rule.startswith(CONTROL_PREFIX) and not all(map(_may_be, values.items())):
            raise NotFound
        return rule, {name: value.replace(SLASH, "/") for name, value in values.items()}


def _may_be(parameter: tuple[str, str]) -> bool:
    name, value = parameter
    return name in _MAY_HOLD_SLASHES or SLASH not in value
