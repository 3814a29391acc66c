"""`GET /`, `GET /_mock` and `GET /_mock/beyond`: list of calls, and the kind of answer per operation."""

from __future__ import annotations

import shlex
from collections import defaultdict
from typing import Annotated, Any
from urllib.parse import quote

from flask import Blueprint, Response, request

from mockserver.beyond.catalogue import OperationBeyond as Beyond
from mockserver.beyond.catalogue import catalogue, is_meant
from mockserver.beyond.stubs.schema import overlap
from mockserver.control.framework import target
from mockserver.control.framework.call import ControlResource, control_api, listed
from mockserver.core.contract.operation import Operation
from mockserver.core.state.stubs import Stub
from mockserver.core.workspaces.store import DEFAULT, KeyMode
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.registry import FURTHER_OPERATIONS, OPERATIONS
from mockserver.views.record import listing
from mockserver.views.server_records import AnsweredAs, CallLine, OperationBeyond
from mockserver.web.routing.address import DASHBOARD_PREFIX, PUBLIC_ROOT, workspace_url
from mockserver.web.service.beyond import CHOICES
from mockserver.web.service.handlers import ANY_KEY


def example_key() -> str | None:
    """Return an API key of the requested workspace, or None if no key may be shown.

    The pages need no token, so they show no key of a server whose control API needs a token.
    """
    if target.store().keys is KeyMode.ANY:
        return ANY_KEY
    keys = (target.addressed() or target.store().default).state.first_account.api_keys
    return None if target.current().wants_token else next(iter(keys), None)


WELCOME = Blueprint("welcome", __name__)
INDEX = ControlResource("index", "/_mock", in_workspace=False)


@WELCOME.get("/")
def welcome() -> Response:
    """Show commands to try in a shell as plain text; redirect browsers to the dashboard."""
    if _wants_a_page():
        return Response(status=302, headers={"Location": _dashboard()})
    root = workspace_url(request.environ)
    is_own = root.startswith("https:") and PUBLIC_ROOT not in request.environ  # the certificate is the mock's
    curl = "curl --insecure" if is_own else "curl"
    service, control = f"{curl} {_key()}", f"{curl}{_token()}"
    workspace = target.addressed() or target.store().default
    rows = [
        (f"{service} {root}/v3/senders", "the senders of the account"),
        (f'{service} {root}/v3/senders -d \'{{"name":"Jo","email":"jo@acme.test"}}\'', "a new sender"),
        (f"{control} '{root}/_mock/mailbox?to=jo@acme.test'", "the one-time code that was sent"),
        (f"{control} {root}/_mock/machines/sender", "senders, their states and codes"),
        (f'{control} {root}/_mock/clock/advance -d \'{{"by":"PT16M"}}\'', "16 minutes later"),
        (f"{control} -X POST {root}/_mock/reset", "the state of the start"),
        (f"{control} -X POST {root}/_mock/workspaces", "a new workspace"),
        (f"{root}/realms/partner/.well-known/openid-configuration", "sign-in by OAuth 2.0"),
        (f"{root}/_mock/ui/", "what happens here and why, in a browser"),
        (f"{root}/_mock/docs", "the API, to read and try"),
        (f"{root}/_mock", "all calls of the mock itself"),
    ]
    width = max(len(shown) for shown, _ in rows)
    lines = [f"A mock of the Brevo administration API, v3; scenario {workspace.origin.title!r}. Try:"]
    lines += [f"  {shown.ljust(width)}  {about}" for shown, about in rows]
    return Response("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")


def _key() -> str:
    """Return curl's option for an API key, using a variable if no key may be shown."""
    key = example_key()
    return '-H "api-key: $BREVO_API_KEY"' if key is None else f"-H {shlex.quote(f'api-key: {key}')}"


def _token() -> str:
    return ' -H "Authorization: Bearer $MOCKSERVER_CONTROL_TOKEN"' if target.current().wants_token else ""


def _wants_a_page() -> bool:
    """Return whether the client prefers HTML to plain text, as browsers do; curl has no preference."""
    wanted = request.accept_mimetypes
    return wanted["text/html"] > wanted["text/plain"]


def _dashboard() -> str:
    """Return the dashboard's address relative to the request, since a proxy may add a prefix.

    An address that ends without a slash (`/w/NAME`) needs its last part again.
    """
    environ = request.environ
    sent: str = environ.get("REQUEST_URI") or quote(f"{environ['SCRIPT_NAME']}{environ['PATH_INFO']}")
    last = sent.partition("?")[0].rpartition("/")[2]
    return f"./{last}{DASHBOARD_PREFIX}/" if last else f".{DASHBOARD_PREFIX}/"


@WELCOME.get("/favicon.ico")
def favicon() -> Response:
    """Return an empty answer, since browsers request an icon and the mock has none."""
    return Response(status=204, headers={"Cache-Control": "max-age=86400"})


@INDEX.call(
    "GET",
    answer=listing(
        "Index",
        CallLine,
        operations=Annotated[AnsweredAs, "how each operation is answered"],
    ),
)
def index() -> Any:
    """List the calls of the control API, and how each operation of the service is answered."""
    operations = answered_as(target.addressed() or target.store().seen(DEFAULT))
    calls = sorted(control_api().calls, key=lambda call: (call.path, call.method))
    return listed([CallLine(call.method, call.path, call.summary) for call in calls], operations=operations)


# ---------------------------------------------------------------------- operations

BEYOND = ControlResource("beyond", "/_mock/beyond")

#: Active stubs by method and number of segments of their paths: only these can match an address of that form.
_ByAddress = defaultdict[tuple[str, int], list[Stub]]


@BEYOND.call("GET", answer=listing("OperationsBeyond", OperationBeyond))
def beyond(workspace: Workspace) -> Any:
    """List the service's unmodelled operations, each with the answer that a call gets."""
    chosen = CHOICES[workspace.state.behaviour.beyond or target.current().beyond]
    stubs = _by_address(workspace)
    rows = [
        OperationBeyond(row.id, row.method, row.path, row.status, chosen, _stubs_of(row, stubs))
        for row in catalogue().values()
    ]
    return listed(rows)


def answered_as(workspace: Workspace | None) -> AnsweredAs:
    """Return the ids of all service operations, grouped by the kind of answer in a workspace."""
    stubs = _ByAddress(list) if workspace is None else _by_address(workspace)
    beside: list[Operation | Beyond] = [*FURTHER_OPERATIONS.values(), *catalogue().values()]
    stubbed = [operation.id for operation in beside if _stubs_of(operation, stubs)]
    further = [name for name in FURTHER_OPERATIONS if name not in stubbed]
    return AnsweredAs(list(OPERATIONS), further, stubbed, [name for name in catalogue() if name not in stubbed])


def _by_address(workspace: Workspace) -> _ByAddress:
    found: _ByAddress = defaultdict(list)
    for stub in workspace.state.stubs:
        if stub.is_active:
            found[stub.method, len(stub.segments)].append(stub)
    return found


def _stubs_of(operation: Operation | Beyond, stubs: _ByAddress) -> list[str]:
    segments = operation.path.split("/")
    return [
        stub.id
        for stub in stubs.get((operation.method, len(segments)), ())
        if overlap(stub.segments, segments) and is_meant(stub.method, stub.path, operation.id)
    ]
