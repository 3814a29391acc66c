"""`/_mock/exports`: the files of exported webhook histories, at the links that the service has sent out."""

from __future__ import annotations

from flask import Response

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem, unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.resources.webhooks.history import ACCEPTED, EXPORT, Export

EXPORTS = ControlResource("exports", "/_mock/exports")


@EXPORTS.call("GET", "/<name>", media=("text/csv",), is_open=True, problems=(409,))
def show(name: str) -> Response:
    """The file of an export, as CSV; 409 until it is ready."""
    workspace = target.workspace()
    with workspace.lock:
        found = next((row for _, row in EXPORT.instances(workspace) if row.url.endswith(f"/{name}")), None)
    if found is None or not name:
        raise unknown("export", name, "GET /_mock/machines/export lists all")
    if found.state == ACCEPTED:
        raise Problem(409, f"the export is ready at {found.ready_at:%Y-%m-%dT%H:%M:%SZ} of the workspace's clock")
    if found.content is None:
        raise Problem(404, "the file of this export was evicted (--deliveries-bytes-limit)")
    return _file(found)


def _file(row: Export) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="webhooks-{row.id}.csv"'}
    return Response(row.content, content_type="text/csv; charset=utf-8", headers=headers)
