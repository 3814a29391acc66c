"""`app`: apps of third parties on a running server, as the platform's own command-line tool registers them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mockserver.cli.output import JSON, fail
from mockserver.cli.program import Program
from mockserver.cli.remote import TOKEN, URL, Shape, Unreachable, asked, checked, root_of

_WORKSPACE = click.option(
    "--workspace", default="default", show_default=True, metavar="NAME", help="The workspace that knows the app."
)
#: What can be said of an app, each under its name on the wire.
_FACTS = (
    click.option("--name", help="What users read on the consent page."),
    click.option(
        "--redirect-uri", "redirect_uris", multiple=True, metavar="URI",
        help="Where users may be sent back to; can be given several times.",
    ),
    click.option(
        "--scope", "scopes", multiple=True, metavar="SCOPE",
        help="What the app may ask for; can be given several times. The default is contacts and crm, read and write.",
    ),
    click.option(
        "--public/--private", default=None,
        help="Private is the default. A public app has no secret and needs PKCE; it is refused unless the workspace's "
        "behaviour.oauth_public_apps is true.",
    ),
    click.option("--account", metavar="NAME", help="The account that the app belongs to; the default is the first."),
    click.option("--client-secret", metavar="SECRET", help="The default is one that is drawn."),
    click.option(
        "--file", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
        help="The app's configuration, JSON or YAML with the same names as in a scenario; options win over it.",
    ),
)  # fmt: skip

#: What the server tells of an app.
_APP = {"client_id": str, "name": str, "redirect_uris": list}


def _facts(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_FACTS):
        command = option(command)
    return command


def _remote(command: Callable[..., None]) -> Callable[..., None]:
    for option in (JSON, _WORKSPACE, TOKEN, URL):
        command = option(command)
    return command


@click.group(cls=Program)
def app() -> None:
    """OAuth apps on a running server."""


@app.command()
@click.option("--client-id", metavar="ID", help="The default is one that is drawn.")
@_facts
@_remote
def create(client_id: str | None, as_json: bool, **options: Any) -> None:
    """Register an app, and print its client id and its secret."""
    call, facts = _taken(options)
    body = {**facts, **({"client_id": client_id} if client_id else {})}
    if not (body.get("name") or body.get("redirect_uris")):
        raise click.UsageError("an app needs a name, or a redirect URI: give an option or a file")
    _show(_call("POST", "", call, _APP, body), as_json)


@app.command("list")
@_remote
def list_apps(as_json: bool, **call: Any) -> None:
    """The registered apps."""
    found = _call("GET", "", call, {"items": list})["items"]
    _check(root_of(call["url"]), found)
    if as_json:
        click.echo(json.dumps(found))
        return
    for row in found:
        click.echo(f"{row['client_id']}  {row['name']}  {' '.join(row['redirect_uris'])}")


@app.command()
@click.argument("client_id")
@_facts
@click.option("--new-secret", is_flag=True, help="Let the app have a new secret.")
@_remote
def update(client_id: str, new_secret: bool, as_json: bool, **options: Any) -> None:
    """Change what is given of an app; lists are replaced."""
    call, facts = _taken(options)
    if facts.pop("client_id", client_id) != client_id:
        raise click.UsageError("the file is another app's")
    body = {**facts, **({"client_secret": None} if new_secret else {})}
    if not body:
        raise click.UsageError("there is nothing to change: give an option or a file")
    _show(_call("PUT", f"/{_part(client_id)}", call, _APP, body), as_json)


@app.command()
@click.argument("client_id")
@_remote
def delete(client_id: str, as_json: bool, **call: Any) -> None:
    """Forget an app; all that it was given ends."""
    _call("DELETE", f"/{_part(client_id)}", call, None)
    click.echo(json.dumps({"deleted": client_id}) if as_json else f"deleted: {client_id}")


def _taken(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where the call goes, and what it says of the app: what the file holds, and over it the options."""
    call = {name: options.pop(name) for name in ("url", "token", "workspace")}
    file = options.pop("file")
    given = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in options.items()
        if value not in (None, ())
    }
    return call, {**(_configuration(file) if file else {}), **given}


def _configuration(file: Path) -> dict[str, Any]:
    from mockserver.scenario.documents.document import refuse_misread
    from mockserver.scenario.documents.reading import parse

    try:
        # JSON is YAML.
        found = parse(file.read_text(encoding="utf-8"), str(file), called="an app")
        refuse_misread(found)
    except (OSError, ValueError) as error:
        raise click.UsageError(f"cannot read {file}: {error}") from error
    return found


def _check(root: str, apps: list[Any]) -> None:
    """End the command here if one is no app."""
    try:
        for app in apps:
            checked(root, app, _APP)
    except Unreachable as error:
        fail(str(error))


def _call(method: str, path: str, call: dict[str, Any], form: Shape | None, body: object = None) -> Any:
    """The answer; the command ends here if there is none."""
    where = {name: call[name] for name in ("workspace", "token")}
    return asked(root_of(call["url"]), method, f"/_mock/oauth/apps{path}", form, body=body, **where)


def _show(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(found))
        return
    for name, value in found.items():
        click.echo(f"{name}: {_written(value)}".rstrip())


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, list) else str(value)


def _part(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="")
