"""The Flask application of the dashboard, created when the first page is opened."""

from __future__ import annotations

from functools import cache
from http.client import responses

from flask import Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem
from mockserver.control.guard import Unauthorized
from mockserver.core.workspaces.storage import StorageError
from mockserver.dashboard import rendering
from mockserver.dashboard.addresses import root
from mockserver.dashboard.pages import (
    clock,
    coverage,
    faults,
    findings,
    machines,
    mail,
    requests,
    search,
    state,
    webhooks,
    workspaces,
)
from mockserver.dashboard.rendering import Navigation, Page
from mockserver.dashboard.sign_in import ACCESS, redirect_to_sign_in
from mockserver.web.application import LeanFlask
from mockserver.web.routing.address import DASHBOARD_PREFIX, WORKSPACE, shown_path

PAGES: tuple[Page, ...] = (
    workspaces.PAGE, requests.PAGE, machines.PAGE, mail.PAGE, webhooks.PAGE, clock.PAGE, faults.PAGE, findings.PAGE,
    coverage.PAGE, state.PAGE, search.PAGE,
)  # fmt: skip


def problem_page(problem: Problem) -> Response:
    title = responses.get(problem.status, f"Status {problem.status}")
    page = rendering.answer("problem.html", {"title": title, "detail": problem.detail}, status=problem.status)
    page.headers.update(problem.headers)
    return page


def http_error_page(error: HTTPException) -> Response:
    path = shown_path(request)
    if isinstance(error, NotFound):
        return problem_page(Problem(404, f"there is no page at {path}"))
    if isinstance(error, MethodNotAllowed):
        return problem_page(Problem(405, f"{path} can only be read"))
    return problem_page(Problem(error.code or 500, f"{path}: {error.description}"))


def dashboard_of(owner: LeanFlask) -> LeanFlask:
    """Return the dashboard application, as a part of the control API application with its guard."""
    dashboard = owner.part(_addresses())
    dashboard.add_component(Navigation(PAGES))
    dashboard.register_error_handler(Problem, problem_page)
    dashboard.register_error_handler(StorageError, lambda error: problem_page(Problem(503, str(error))))
    dashboard.register_error_handler(Unauthorized, redirect_to_sign_in)
    dashboard.register_error_handler(HTTPException, http_error_page)
    return dashboard


@cache
def _addresses() -> LeanFlask:
    found = LeanFlask(__name__)
    found.add_url_rule(f"{DASHBOARD_PREFIX}/", "front", _front, strict_slashes=False)
    found.add_url_rule(f"{DASHBOARD_PREFIX}/static/<version>/<name>", "static", rendering.show_file)
    for page in PAGES:
        found.register_blueprint(page.blueprint)
    found.register_blueprint(ACCESS)
    return found


def _front() -> Response:
    target.addressed(by_header=False)
    page = "requests" if WORKSPACE in request.environ or len(target.store()) == 1 else "workspaces"
    return Response(status=302, headers={"Location": f"{root()}{DASHBOARD_PREFIX}/{page}"})
