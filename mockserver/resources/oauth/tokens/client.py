"""The authentication of apps by their credentials (RFC 6749, 2.3)."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote_plus

from mockserver.core.contract.errors import INVALID_CLIENT, INVALID_REQUEST
from mockserver.core.state import reasons
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.apps import App


class Credentials(NamedTuple):
    """A client id and perhaps a secret."""

    client_id: str
    secret: str | None


def authenticated(workspace: Workspace, header: str, form: Mapping[str, str]) -> App:
    """The app that has sent these credentials; a public one needs no secret.

    Raises:
        ServiceError: 401 `invalid_client`; 400 `invalid_request` for credentials in two places.
    """
    given = _given(header, form)
    if not given.client_id:
        raise INVALID_CLIENT("client_id is missing").because("neither the form nor the Authorization header has one")
    app = workspace.state.table(App).get(given.client_id)
    if app is None:
        known = reasons.listed(workspace.state.table(App))
        reason = f"{reasons.shown(given.client_id)} is no client_id of workspace {workspace.name}; there are: {known}"
        raise INVALID_CLIENT("There is no app with this client_id").because(reason)
    if app.public and given.secret is None:
        return app
    if given.secret is None or not _is_right(app, given.secret):
        what = "missing" if given.secret is None else "wrong" if not app.public else "one, and a public app has none"
        raise INVALID_CLIENT("client_secret is missing or wrong").because(
            f"the secret of the app {app.client_id} is {what}"
        )
    return app


def _is_right(app: App, secret: str) -> bool:
    # RFC 6749, 2.3.1, has it encoded like a form within Basic; many clients do not.
    return app.is_known_by(secret) or app.is_known_by(unquote_plus(secret))


def _given(header: str, form: Mapping[str, str]) -> Credentials:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return Credentials(form.get("client_id", ""), form.get("client_secret"))
    found = _of_basic(encoded)
    if "client_secret" in form or form.get("client_id", found.client_id) != found.client_id:
        reason = "client_secret or another client_id stands in the form, beside the Authorization header"
        raise INVALID_REQUEST("The client's credentials stand in two places").because(reason)
    return found


def _of_basic(encoded: str) -> Credentials:
    try:
        client_id, colon, secret = b64decode(encoded.strip(), validate=True).decode().partition(":")
    except ValueError as error:
        raise INVALID_CLIENT("The Authorization header is not well-formed").because("it is no Base64") from error
    # The secret is tried as it is, and decoded; a client id has no sign that would differ.
    return Credentials(unquote_plus(client_id), secret if colon and secret else None)


def required(form: Mapping[str, str], name: str) -> str:
    """The value of a member that the form must have.

    Raises:
        ServiceError: 400 `invalid_request`.
    """
    value = form.get(name)
    if not value:
        raise INVALID_REQUEST(f"{name} is missing").because(f"the form has no {name}; it has {reasons.listed(form)}")
    return value
