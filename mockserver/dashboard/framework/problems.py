"""Refusals of the dashboard, as pages in its layout."""

from __future__ import annotations

from http.client import responses

from flask import Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from mockserver.control.framework.problem import Problem
from mockserver.dashboard.framework import rendering
from mockserver.web.routing.encoded_slash import shown_path


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
