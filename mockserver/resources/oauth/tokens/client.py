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
        raise INVALID_CLIENT("client_id is missing").because(
            "missing client_id in the form and in the Authorization header"
        )
    app = workspace.state.table(App).get(given.client_id)
    if app is None:
        known = reasons.listed(workspace.state.table(App))
        reason = f"unknown client_id {reasons.shown(given.client_id)} in workspace {workspace.name} (known: {known})"
        raise INVALID_CLIENT("There is no app with this client_id").because(reason)
    if app.public and given.secret is None:
        return app
    if given.secret is None or not _is_right(app, given.secret):
        what = "missing" if given.secret is None else "unexpected" if app.public else "wrong"
        kind = "public app" if app.public else "app"
        raise INVALID_CLIENT("client_secret is missing or wrong").because(
            f"{what} client_secret for {kind} {app.client_id}"
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
        reason = "client_secret or another client_id is in the form as well as in the Authorization header"
        raise INVALID_REQUEST("The client's credentials are given twice").because(reason)
    return found


def _of_basic(encoded: str) -> Credentials:
    try:
        client_id, colon, secret = b64decode(encoded.strip(), validate=True).decode().partition(":")
    except ValueError as error:
        raise INVALID_CLIENT("The Authorization header is not well-formed").because(
            "the Authorization header is not valid Base64"
        ) from error
    # The secret is tried as it is, and decoded; a client id has no sign that would differ.
    return Credentials(unquote_plus(client_id), secret if colon and secret else None)


def required(form: Mapping[str, str], name: str) -> str:
    """The value of a member that the form must have.

    Raises:
        ServiceError: 400 `invalid_request`.
    """
    value = form.get(name)
    if not value:
        raise INVALID_REQUEST(f"{name} is missing").because(
            f"missing field `{name}` in the form (it has {reasons.fields(form)})"
        )
    return value
