"""The application of the dashboard, which is made when somebody first opens a page."""

from __future__ import annotations

from functools import cache

from flask import Response, request
from werkzeug.exceptions import HTTPException

from mockserver.control.access.guard import Unauthorized
from mockserver.control.framework import dependencies, target
from mockserver.control.framework.problem import Problem
from mockserver.core.workspaces.keeping import KeepingError
from mockserver.dashboard.framework import problems, static
from mockserver.dashboard.framework.addresses import root
from mockserver.dashboard.framework.rendering import Entry, Navigation
from mockserver.dashboard.navigation import PAGES
from mockserver.dashboard.sign_in import ACCESS, asked_for
from mockserver.web.application import LeanFlask
from mockserver.web.routing.audience import DASHBOARD_PREFIX
from mockserver.web.routing.workspace_name import WORKSPACE


class DashboardFlask(LeanFlask):
    """The pages of the dashboard, with the components of the application of the control API."""

    def __init__(self, owner: LeanFlask) -> None:
        super().__init__(owner.name)
        self.config, self.json = owner.config, owner.json
        self.components = owner.components
        self.add_component(Navigation([Entry(page.name, page.title) for page in PAGES]))
        # The guard of the control API is among them.
        self.before_request_funcs = owner.before_request_funcs
        self.after_request_funcs = owner.after_request_funcs
        self.teardown_request_funcs = owner.teardown_request_funcs
        self.take_addresses(_addresses())
        self.register_error_handler(Problem, problems.shown)
        self.register_error_handler(KeepingError, lambda error: problems.shown(Problem(503, str(error))))
        self.register_error_handler(Unauthorized, asked_for)
        self.register_error_handler(HTTPException, problems.of_http)


@cache
def _addresses() -> LeanFlask:
    """An application with the addresses of all pages, for every server of this process."""
    found = LeanFlask(__name__)
    found.add_url_rule(f"{DASHBOARD_PREFIX}/", "front", _front, strict_slashes=False)
    found.add_url_rule(f"{DASHBOARD_PREFIX}/static/<version>/<name>", "static", static.show)
    for page in PAGES:
        found.register_blueprint(page.blueprint)
    found.register_blueprint(ACCESS)
    return found


def _front() -> Response:
    """Leads to the requests of a workspace, or to the list of workspaces where there are several to choose from."""
    target.in_address()
    chosen = WORKSPACE in request.environ or len(dependencies.store()) == 1
    return Response(
        status=302, headers={"Location": f"{root()}{DASHBOARD_PREFIX}/{'requests' if chosen else 'workspaces'}"}
    )
