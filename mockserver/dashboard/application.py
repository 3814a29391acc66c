"""The application of the dashboard, which is made when somebody first opens a page."""

from __future__ import annotations

from functools import cache
from http.client import responses

from flask import Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem
from mockserver.control.guard import Unauthorized
from mockserver.core.workspaces.storage import StorageError
from mockserver.dashboard.addresses import root
from mockserver.dashboard.framework import rendering, static
from mockserver.dashboard.framework.page import Page
from mockserver.dashboard.framework.rendering import Entry, Navigation
from mockserver.dashboard.pages import clock, coverage, faults, machines, mail, requests, state, webhooks, workspaces
from mockserver.dashboard.sign_in import ACCESS, asked_for
from mockserver.web.application import LeanFlask
from mockserver.web.routing.address import DASHBOARD_PREFIX, WORKSPACE, shown_path

PAGES: tuple[Page, ...] = (
    workspaces.PAGE, requests.PAGE, machines.PAGE, mail.PAGE, webhooks.PAGE, clock.PAGE, faults.PAGE, coverage.PAGE,
    state.PAGE,
)  # fmt: skip


def shown(problem: Problem) -> Response:
    """The page of a problem."""
    title = responses.get(problem.status, f"Status {problem.status}")
    found = rendering.answer("problem.html", {"title": title, "detail": problem.detail}, status=problem.status)
    found.headers.update(problem.headers)
    return found


def of_http(error: HTTPException) -> Response:
    """The page of what Flask refuses by itself, or of an error within the mock, whose traceback is in the log."""
    path = shown_path(request)
    code = error.code or 500
    if isinstance(error, NotFound):
        return shown(Problem(404, f"there is no page at {path}"))
    if isinstance(error, MethodNotAllowed):
        return shown(Problem(405, f"{path} can only be read"))
    return shown(Problem(code, f"{path}: {error.description}"))


def dashboard_of(owner: LeanFlask) -> LeanFlask:
    """Return the application of the pages, as a part of the application of the control calls, with its guard."""
    found = owner.part(_addresses())
    found.add_component(Navigation([Entry(page.name, page.title) for page in PAGES]))
    found.register_error_handler(Problem, shown)
    found.register_error_handler(StorageError, lambda error: shown(Problem(503, str(error))))
    found.register_error_handler(Unauthorized, asked_for)
    found.register_error_handler(HTTPException, of_http)
    return found


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
    chosen = WORKSPACE in request.environ or len(target.store()) == 1
    return Response(
        status=302, headers={"Location": f"{root()}{DASHBOARD_PREFIX}/{'requests' if chosen else 'workspaces'}"}
    )
