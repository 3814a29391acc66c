"""`GET /` and `GET /_mock`: what a user can try."""

from __future__ import annotations

from flask import Blueprint, Response, request

from mockserver.control.framework import answers, dependencies, target
from mockserver.control.framework.resource import ControlResource, control_api
from mockserver.views.server.health import Index

WELCOME = Blueprint("welcome", __name__)
INDEX = ControlResource("index", "/_mock", in_workspace=False)


@WELCOME.get("/")
def welcome() -> Response:
    """A plain text with commands to try in a shell."""
    root = request.host_url.rstrip("/")
    workspace = target.addressed() or dependencies.store().default
    lines = [
        f"A mock of the Brevo administration API, v3; scenario {workspace.origin.title!r}. Try:",
        f"  curl -H 'api-key: any' {root}/v3/senders",
        f'  curl -H \'api-key: any\' {root}/v3/senders -d \'{{"name":"Jo","email":"jo@acme.test"}}\'',
        f"  curl '{root}/_mock/mailbox?to=jo@acme.test'        the one-time code that was sent",
        f"  curl {root}/_mock/machines/sender                  senders, their states and codes",
        f'  curl {root}/_mock/clock/advance -d \'{{"by":"PT16M"}}\'',
        f"  curl -X POST {root}/_mock/reset                    start anew",
        f"  curl -X POST {root}/_mock/workspaces               a workspace of your own",
        f"  {root}/realms/partner/.well-known/openid-configuration    sign-in by OAuth 2.0",
        f"  {root}/_mock/docs                                  the API, to read and try",
        f"  {root}/_mock                                       all that the mock itself can do",
        "",
    ]
    return Response("\n".join(lines), content_type="text/plain; charset=utf-8")


@WELCOME.get("/favicon.ico")
def favicon() -> Response:
    """An empty answer: browsers ask for an icon by themselves, and the mock has none."""
    return Response(status=204, headers={"Cache-Control": "max-age=86400"})


@INDEX.call("GET", answer=Index)
def index() -> Response:
    """Every call of the control API with a line."""
    return answers.listed(sorted(control_api().calls, key=lambda call: (call.path, call.method)))
