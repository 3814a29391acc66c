"""`/_mock/coverage`: which part of the contract the requests so far have met."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from marshmallow import fields, validate

from mockserver.control.framework import answers, dependencies, target
from mockserver.control.framework.resource import ControlResource
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.views.server import coverage as shown

COVERAGE = ControlResource("coverage", "/_mock/coverage")

#: Stands for all workspaces, those that are gone included.
_ALL = "*"
_MEDIA = {"json": "application/json", "text": "text/plain", "html": "text/html", "junit": "application/xml"}


class Chosen(Item):
    #: A name, or `*` for all that the server has seen.
    workspace = fields.String()


class Wanted(Chosen):
    format = fields.String(validate=validate.OneOf(tuple(_MEDIA)))


@COVERAGE.call("GET", query=Wanted, answer=shown.Coverage, media=tuple(_MEDIA.values()))
def show(query: dict[str, Any]) -> Response:
    """Which part of the contract was met, and what is missing: JSON, text, HTML or JUnit XML."""
    form = query.get("format") or _accepted()
    found = _of(query.get("workspace"))
    # What makes reports is not needed to start.
    from mockserver.coverage.figures import to_json  # noqa: PLC0415  # see above
    from mockserver.coverage.report import report  # noqa: PLC0415  # see above

    made = report(found)
    return answers.answer(to_json(made)) if form == "json" else _written(made, form)


@COVERAGE.call("DELETE", query=Chosen, status=204)
def clear(query: dict[str, Any]) -> Response:
    """Forget what was met, in the workspace or, with `?workspace=*`, anywhere."""
    name = query.get("workspace")
    if name == _ALL:
        dependencies.store().clear_coverage()
        return answers.done()
    workspace = _chosen(name)
    with workspace.lock:
        workspace.coverage.clear()
    return answers.done()


def _accepted() -> str:
    best = request.accept_mimetypes.best_match([*_MEDIA.values(), "text/xml"], default=_MEDIA["json"])
    return next((form for form, media in _MEDIA.items() if media == best), "junit")


def _of(name: str | None) -> Coverage:
    if name == _ALL:
        return dependencies.store().coverage()
    workspace = _chosen(name)
    found = Coverage()
    with workspace.lock:
        found.merge(workspace.coverage)
    return found


def _chosen(name: str | None) -> Workspace:
    if name is None:
        return target.workspace()
    return target.entered(target.named(name))


def _written(made: Any, form: str) -> Response:
    from mockserver.coverage.junit import to_junit  # noqa: PLC0415  # see above
    from mockserver.coverage.page import policy, to_html  # noqa: PLC0415  # see above
    from mockserver.coverage.text import to_text  # noqa: PLC0415  # see above

    text = {"text": to_text, "html": to_html, "junit": to_junit}[form](made)
    headers = {"Content-Security-Policy": policy()} if form == "html" else {}
    found = Response(text, headers=headers, content_type=f"{_MEDIA[form]}; charset=utf-8")
    found.headers["X-Content-Type-Options"] = "nosniff"
    return found
