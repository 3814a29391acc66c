"""`GET /` and `GET /_mock`: what there is to try."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, request

from mockserver.control import call
from mockserver.web.service import CONTROL_PREFIX

BLUEPRINT = Blueprint("index", __name__)


@BLUEPRINT.get("/")
def welcome() -> Response:
    """Ten lines for a shell."""
    root = request.host_url.rstrip("/")
    default = call.store().default
    lines = [
        f"A mock of the Brevo administration API, v3; scenario {default.scenario!r}. Try:",
        f"  curl -H 'api-key: any' {root}/v3/senders",
        f'  curl -H \'api-key: any\' {root}/v3/senders -d \'{{"name":"Jo","email":"jo@acme.test"}}\'',
        f"  curl '{root}/_mock/mailbox?to=jo@acme.test'        the one-time code that was sent",
        f"  curl {root}/_mock/machines/sender                  senders, their states and codes",
        f'  curl {root}/_mock/clock/advance -d \'{{"by":"PT16M"}}\'',
        f"  curl -X POST {root}/_mock/reset                    start anew",
        f"  curl {root}/_mock/scenarios                        other worlds to start with",
        f"  {root}/_mock/docs                                  the API, to read and try",
        f"  {root}/_mock                                       all that the mock itself can do",
        "",
    ]
    return Response("\n".join(lines), content_type="text/plain; charset=utf-8")


@BLUEPRINT.get("/_mock")
def index() -> Response:
    """Every call of the control API with a line."""
    rows = []
    for rule in current_app.url_map.iter_rules():
        if rule.rule.startswith(CONTROL_PREFIX):
            view = current_app.view_functions[rule.endpoint]
            line = (view.__doc__ or "").strip().split("\n")[0]
            methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
            rows += [{"method": method, "path": rule.rule, "does": line} for method in methods]
    return call.listed(sorted(rows, key=lambda row: (row["path"], row["method"])))
