"""`app`: registers OAuth apps on a running server, as the platform's own command-line tool does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mockserver.cli.options import EXISTING_FILE, JSON, TOKEN, URL, Name, read_scenario, targeted, workspace
from mockserver.cli.output import echo, fail, none, printable
from mockserver.cli.program import Group, Misused, argument, decorated, option
from mockserver.cli.remote import Target
from mockserver.scenario.documents.document import MappingNode, refuse_unreadable
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.testing.client import path_of

_TARGET = targeted(JSON, URL, TOKEN, workspace("The workspace that knows the app."))
_CLIENT_ID = argument("client_id", type=Name("app"))
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
        help="Give the app no secret: it needs PKCE, and is refused unless the workspace's "
        "behaviour.oauth_public_apps is true. By default an app is private, and has a secret.",
    ),
    option("--account", metavar="NAME", help="The account that the app belongs to; the default is the first."),
    option("--client-secret", metavar="SECRET", help="The default is generated."),
    option(
        "--file",
        type=EXISTING_FILE,
        metavar="FILE",
        help="The app's configuration, JSON or YAML with the same names as in a scenario; options override it.",
    ),
)


app = Group("app", default="list", help="Manage the OAuth apps of a workspace.")


@app.command("new")
@option("--client-id", metavar="ID", help="The default is generated.")
@_APP_OPTIONS
@_TARGET
def new(target: Target, **options: Any) -> None:
    """Register an app, and print its client id and its secret."""
    body = _members(**options)
    if not (body.get("name") or body.get("redirect_uris")):
        raise Misused("an app needs a name, or a redirect URI: give an option or a file")
    target.show(target.post("/oauth/apps", body, file=options["file"], marks=body.marks), _print)


@app.command("list")
@_TARGET
def list_(target: Target) -> None:
    """List the registered apps."""
    target.show(target.items("/oauth/apps"), _print_all)


@app.command("update")
@_CLIENT_ID
@_APP_OPTIONS
@option("--new-secret", is_flag=True, help="Give the app a new secret.")
@_TARGET
def update(client_id: str, new_secret: bool, target: Target, **options: Any) -> None:
    """Change the given fields of an app; lists are replaced."""
    members = _members(**options)
    if members.pop("client_id", client_id) != client_id:
        raise Misused("the file is another app's")
    body = {**members, **({"client_secret": None} if new_secret else {})}
    if not body:
        raise Misused("there is nothing to change: give an option or a file")
    path = path_of("oauth", "apps", client_id)
    target.show(target.put(path, body, file=options["file"], marks=members.marks), _print)


@app.command("delete")
@_CLIENT_ID
@_TARGET
def delete(client_id: str, target: Target) -> None:
    """Delete an app; its grants and tokens end."""
    target.remove("oauth/apps", [client_id])


def _members(file: Path | None, **options: Any) -> MappingNode:
    found = _configuration(file) if file else MappingNode()
    found.update({name: value for name, value in options.items() if value not in (None, ())})
    return found


def _configuration(file: Path) -> MappingNode:
    from mockserver.scenario.documents.reading import parse

    text = read_scenario(str(file))
    try:
        # JSON is a subset of YAML.
        found = parse(text, str(file), called="an app")
        refuse_unreadable(found)
    except ScenarioError as error:
        fail(str(error), 2)
    return found


def _print_all(found: list[Any]) -> None:
    if not found:
        none("apps")
    for row in found:
        echo(printable(f"{row['client_id']}  {row['name']}  {' '.join(row['redirect_uris'])}"))


def _print(found: dict[str, Any]) -> None:
    for name, value in found.items():
        text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
        echo(printable(f"{name}: {' '.join(text) if isinstance(text, list) else text}".rstrip()))
