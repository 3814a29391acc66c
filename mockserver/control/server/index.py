"""`GET /` and `GET /_mock`: what a user can try."""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from urllib.parse import quote

from flask import Blueprint, Response, request

from mockserver.control.framework import answers, dependencies, target
from mockserver.control.framework.resource import ControlResource, control_api
from mockserver.control.server.beyond import answered_as
from mockserver.core.workspaces.store import DEFAULT, KeyMode
from mockserver.views.server.health import Index
from mockserver.web.routing.address import DASHBOARD_PREFIX
from mockserver.web.service.handlers import ANY_KEY


def example_key() -> str | None:
    """An API key of the workspace that is asked, or None.

    The pages need no token, so they give none of the keys of a server whose control API needs one.
    """
    if dependencies.store().keys is KeyMode.ANY:
        return ANY_KEY
    keys = (target.addressed() or dependencies.store().default).state.first_account.api_keys
    return None if dependencies.current().wants_token else next(iter(keys), None)


WELCOME = Blueprint("welcome", __name__)
INDEX = ControlResource("index", "/_mock", in_workspace=False)


@WELCOME.get("/")
def welcome() -> Response:
    """A plain text with commands to try in a shell; who asks for a page is led to the dashboard."""
    if _wants_a_page():
        return Response(status=302, headers={"Location": _dashboard()})
    root = f"{request.host_url.rstrip('/')}{quote(request.script_root)}"
    curl = "curl --insecure" if request.is_secure else "curl"
    service, control = f"{curl} {_key()}", f"{curl}{_token()}"
    workspace = target.addressed() or dependencies.store().default
    lines = [
        f"A mock of the Brevo administration API, v3; scenario {workspace.origin.title!r}. Try:",
        f"  {service} {root}/v3/senders",
        f'  {service} {root}/v3/senders -d \'{{"name":"Jo","email":"jo@acme.test"}}\'',
        f"  {control} '{root}/_mock/mailbox?to=jo@acme.test'        the one-time code that was sent",
        f"  {control} {root}/_mock/machines/sender                  senders, their states and codes",
        f'  {control} {root}/_mock/clock/advance -d \'{{"by":"PT16M"}}\'',
        f"  {control} -X POST {root}/_mock/reset                    start anew",
        f"  {control} -X POST {root}/_mock/workspaces               a workspace of your own",
        f"  {root}/realms/partner/.well-known/openid-configuration    sign-in by OAuth 2.0",
        f"  {root}/_mock/ui/                              what happens here and why, to look at",
        f"  {root}/_mock/docs                                  the API, to read and try",
        f"  {root}/_mock                                       all that the mock itself can do",
        "",
    ]
    return Response("\n".join(lines), content_type="text/plain; charset=utf-8")


def _key() -> str:
    """The option by which curl sends an API key; without one to show, that of who reads it."""
    key = example_key()
    return '-H "api-key: $BREVO_API_KEY"' if key is None else f"-H {shlex.quote(f'api-key: {key}')}"


def _token() -> str:
    """The option by which curl sends the control token, with a space before it, or nothing."""
    return ' -H "Authorization: Bearer $MOCKSERVER_CONTROL_TOKEN"' if dependencies.current().wants_token else ""


def _wants_a_page() -> bool:
    """Whether the client likes HTML better than plain text, as browsers do; to curl they are the same."""
    wanted = request.accept_mimetypes
    return wanted["text/html"] > wanted["text/plain"]


def _dashboard() -> str:
    """The address of the dashboard in the workspace of the request, relative, as a proxy may have put a prefix before.

    An address that ends without a slash (`/w/NAME`) needs its last part again.
    """
    environ = request.environ
    sent: str = environ.get("REQUEST_URI") or quote(f"{environ['SCRIPT_NAME']}{environ['PATH_INFO']}")
    last = sent.partition("?")[0].rpartition("/")[2]
    return f"./{last}{DASHBOARD_PREFIX}/" if last else f".{DASHBOARD_PREFIX}/"


@WELCOME.get("/favicon.ico")
def favicon() -> Response:
    """An empty answer: browsers ask for an icon by themselves, and the mock has none."""
    return Response(status=204, headers={"Cache-Control": "max-age=86400"})


@INDEX.call("GET", answer=Index)
def index() -> Response:
    """List the calls of the control API, and how each operation of the service is answered."""
    workspace = target.addressed() or dependencies.store().peek(DEFAULT)
    with nullcontext() if workspace is None else workspace.lock:
        operations = answered_as(workspace)
    calls = sorted(control_api().calls, key=lambda call: (call.path, call.method))
    return answers.listed(calls, operations=operations)
