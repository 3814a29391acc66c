"""Pages of the dashboard: each is declared once, with the addresses that it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from time import perf_counter
from typing import Any

from flask import Blueprint, Response

from mockserver.dashboard.framework import rendering
from mockserver.web.routing.address import DASHBOARD_PREFIX

#: Gives the values of a template, or a whole answer.
Show = Callable[..., Mapping[str, Any] | Response]


class Page:
    """A page of the dashboard, at `/_mock/ui/<name>` and below."""

    def __init__(self, name: str, title: str) -> None:
        self.name = name
        self.title = title
        self.blueprint = Blueprint(name, __name__, url_prefix=f"{DASHBOARD_PREFIX}/{name}")

    def view(self, path: str = "", template: str | None = None) -> Callable[[Show], Show]:
        """A decorator that declares what the page shows at one of its addresses.

        The function gets the parameters of `path` by name, and returns the values of the template (`<name>.html` by
        default), or an answer of its own. A `Problem` that it raises is shown as a page, too.
        """

        def declare(show: Show) -> Show:
            @wraps(show)
            def answer(**parameters: Any) -> Response:
                began = perf_counter()
                found = show(**parameters)
                if isinstance(found, Response):
                    return found
                written = rendering.answer(template or f"{self.name}.html", found, page=self.name)
                # `live.js` fetches a page that takes the server long the more seldom.
                written.headers["Server-Timing"] = f"page;dur={(perf_counter() - began) * 1000:.1f}"
                return written

            self.blueprint.add_url_rule(path, show.__name__, answer, methods=["GET"])
            return show

        return declare
