"""The problems of requests under `/_mock` that no call answers."""

from __future__ import annotations

from difflib import get_close_matches

from flask import request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from mockserver.control.framework.problem import Problem
from mockserver.control.framework.resource import control_api
from mockserver.core.state import reasons
from mockserver.web.routing.address import shown_path

#: The longest path for which a similar one is looked for, in characters: no call's path is as long, and the time that
#: a comparison takes grows with the square of the length.
_LONGEST = 100


def problem(error: HTTPException) -> Problem:
    """The problem of a request that has no call, uses a method that its address does not take, or failed."""
    path = shown_path(request)
    if isinstance(error, NotFound):
        return Problem(404, f"unknown path {path}{_advice(path)} GET /_mock lists all calls")
    if isinstance(error, MethodNotAllowed):
        methods = reasons.listed(allowed(error))
        return Problem(405, f"method {request.method} not allowed for {path}; allowed: {methods}")
    return Problem(error.code or 500, f"{request.method} {path}: {error.description}")


def allowed(error: MethodNotAllowed) -> list[str]:
    """The methods that an address takes."""
    return sorted(error.valid_methods or ())


def _advice(path: str) -> str:
    paths = {row.path for row in control_api().calls}
    near = get_close_matches(path, paths, n=1) if len(path) <= _LONGEST else []
    return f"; did you mean {near[0]}?" if near else ";"
