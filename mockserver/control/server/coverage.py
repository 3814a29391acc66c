"""`/_mock/coverage`: which part of the contract the requests so far have met."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from marshmallow import ValidationError, fields

from mockserver.control.framework import inputs, target
from mockserver.control.framework.call import ControlResource
from mockserver.control.framework.compression import compressed
from mockserver.core.traffic.coverage import Coverage as CoverageRow
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item, about
from mockserver.views.server_records import Coverage
from mockserver.web.server import loop

COVERAGE = ControlResource("coverage", "/_mock/coverage")

#: The workspace name that means all workspaces, those that were dropped or evicted included.
ALL = "*"
_MEDIA = {"json": "application/json", "text": "text/plain", "html": "text/html", "junit": "application/xml"}


class WorkspaceChoice(Item):
    workspace = fields.String(**about("the name of a workspace, or * for all that the server has had"))


def _check_selection(text: str) -> None:
    from mockserver.coverage.selection import parse  # noqa: PLC0415  # not needed to start

    try:
        parse(text)
    except ValueError as error:
        raise ValidationError(str(error)) from error


class ReportForm(WorkspaceChoice):
    of = fields.String(
        load_default="specification",
        validate=_check_selection,
        **about(
            "what is counted: specification (the 34 operations), all (further operations, too), used (the operations "
            "that were called), or names with commas"
        ),
    )
    format = inputs.form(_MEDIA)


@COVERAGE.call("GET", query=ReportForm, answer=Coverage, media=tuple(_MEDIA.values()))
def show(query: dict[str, Any]) -> Any:
    """Report which part of the contract was met, and what is missing: JSON, text, HTML or JUnit XML."""
    format_ = query.get("format") or _accepted()
    found = counts(query.get("workspace"))
    from mockserver.coverage.figures import to_json  # noqa: PLC0415  # not needed to start
    from mockserver.coverage.report import report  # noqa: PLC0415  # not needed to start
    from mockserver.coverage.selection import parse  # noqa: PLC0415  # not needed to start

    made = report(found, parse(query["of"]))
    return to_json(made) if format_ == "json" else _written(made, format_)


@COVERAGE.call("DELETE", query=WorkspaceChoice, status=204)
def clear(query: dict[str, Any]) -> None:
    """Forget what was met, in the workspace or, with `?workspace=*`, anywhere."""
    name = query.get("workspace")
    if name == ALL:
        loop.leave()
        target.store().clear_coverage()
        return
    workspace = _chosen(name)
    workspace.coverage.clear()


def _accepted() -> str:
    best = request.accept_mimetypes.best_match([*_MEDIA.values(), "text/xml"], default=_MEDIA["json"])
    return next((format_ for format_, media in _MEDIA.items() if media == best), "junit")


def counts(name: str | None) -> CoverageRow:
    """Return copied counts: of a workspace, of the call's workspace (None), or of the server (`*`).

    Raises:
        Problem: 404, there is no such workspace.
    """
    if name == ALL:
        return target.store().coverage()
    workspace = _chosen(name)
    found = CoverageRow()
    found.merge(workspace.coverage)
    return found


def _chosen(name: str | None) -> Workspace:
    return target.workspace() if name is None else target.entered(target.named(name))


def _written(made: Any, format_: str) -> Response:
    from mockserver.coverage.forms import policy, to_html, to_junit, to_text  # noqa: PLC0415  # not needed to start

    text = {"text": to_text, "html": to_html, "junit": to_junit}[format_](made)
    headers = {"Content-Security-Policy": policy()} if format_ == "html" else {}
    return compressed(Response(text, headers=headers, content_type=f"{_MEDIA[format_]}; charset=utf-8"))
