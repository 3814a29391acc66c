"""`app`: registers OAuth apps on a running server, as the platform's own command-line tool does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mockserver.cli.known_names import names_of
from mockserver.cli.live.lines import none
from mockserver.cli.options import JSON, TOKEN, URL, workspace
from mockserver.cli.output import echo
from mockserver.cli.program import Group, Misused, argument, decorated, option
from mockserver.cli.remote import Target
from mockserver.cli.values import EXISTING_FILE
from mockserver.settings import files
from mockserver.testing.client import path_segment

#: The address of the apps, below `/_mock`.
_PATH = "/oauth/apps"
#: The options that choose a server and a workspace, and `--json`.
_TARGET = decorated(JSON, URL, TOKEN, workspace("The workspace that knows the app."))
#: The options that describe an app, each under the name of the app's member on the wire.
_APP_OPTIONS = decorated(
    option("--name", help="What users read on the consent page."),
    option(
        "--redirect-uri",
        "redirect_uris",
        multiple=True,
        metavar="URI",
        help="Where users may be sent back to; can be given several times.",
    ),
    option(
        "--scope",
        "scopes",
        multiple=True,
        metavar="SCOPE",
        help="What the app may ask for; can be given several times. The default is contacts and crm, read and write.",
    ),
    option(
        "--public/--private",
        default=None,
        help="Let the app have no secret: it needs PKCE, and is refused unless the workspace's "
        "behaviour.oauth_public_apps is true. By default an app is private, and has one.",
    ),
    option("--account", metavar="NAME", help="The account that the app belongs to; the default is the first."),
    option("--client-secret", metavar="SECRET", help="The default is one that is drawn."),
    option(
        "--file",
        type=EXISTING_FILE,
        metavar="FILE",
        help="The app's configuration, JSON or YAML with the same names as in a scenario; options win over it.",
    ),
)


app = Group("app", default="list", help="Manage the OAuth apps of a workspace.")


@app.command("create")
@option("--client-id", metavar="ID", help="The default is one that is drawn.")
@_APP_OPTIONS
@_TARGET
def create(client_id: str | None, as_json: bool, **options: Any) -> None:
    """Register an app, and print its client id and its secret."""
    target, members = _target_and_members(options)
    body = {**members, **({"client_id": client_id} if client_id else {})}
    if not (body.get("name") or body.get("redirect_uris")):
        raise Misused("an app needs a name, or a redirect URI: give an option or a file")
    _show(Target(**target).call("POST", _PATH, body), as_json)


@app.command("list")
@_TARGET
def list_(as_json: bool, **target: Any) -> None:
    """List the registered apps."""
    found = Target(**target).get(_PATH)["items"]
    if as_json:
        echo(json.dumps(found))
        return
    if not found:
        none("apps")
    for row in found:
        echo(f"{row['client_id']}  {row['name']}  {' '.join(row['redirect_uris'])}")


@app.command("update")
@argument("client_id", shell_complete=names_of("app"))
@_APP_OPTIONS
@option("--new-secret", is_flag=True, help="Let the app have a new secret.")
@_TARGET
def update(client_id: str, new_secret: bool, as_json: bool, **options: Any) -> None:
    """Change the given fields of an app; lists are replaced."""
    target, members = _target_and_members(options)
    if members.pop("client_id", client_id) != client_id:
        raise Misused("the file is another app's")
    body = {**members, **({"client_secret": None} if new_secret else {})}
    if not body:
        raise Misused("there is nothing to change: give an option or a file")
    _show(Target(**target).call("PUT", f"{_PATH}/{path_segment(client_id)}", body), as_json)


@app.command("delete")
@argument("client_id", shell_complete=names_of("app"))
@_TARGET
def delete(client_id: str, as_json: bool, **target: Any) -> None:
    """Delete an app; its grants and tokens end."""
    Target(**target).call("DELETE", f"{_PATH}/{path_segment(client_id)}")
    echo(json.dumps({"deleted": client_id}) if as_json else f"deleted: {client_id}")


def _target_and_members(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The `url`, `token` and `workspace` of a control call, and the members of the app for its body.

    An option wins over the member of the same name in the file.
    """
    target = {name: options.pop(name) for name in ("url", "token", "workspace")}
    file = options.pop("file")
    given = {name: value for name, value in options.items() if value not in (None, ())}
    return target, {**(_configuration(file) if file else {}), **given}


def _configuration(file: Path) -> dict[str, Any]:
    """The members of an app in a file of YAML or JSON; a file that cannot be read is a usage error."""
    from mockserver.scenario.documents.document import refuse_unreadable
    from mockserver.scenario.documents.reading import parse

    try:
        # JSON is a subset of YAML.
        found = parse(files.read_text(file, files.WRITTEN_BY_HAND), str(file), called="an app")
        refuse_unreadable(found)
    except (OSError, ValueError) as error:
        raise Misused(f"cannot read {file}: {error}") from error
    return found


def _show(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        echo(json.dumps(found))
        return
    for name, value in found.items():
        echo(f"{name}: {_as_text(value)}".rstrip())


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, list) else str(value)
