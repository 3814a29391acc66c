"""`mail`: the e-mails that the service has sent in a workspace."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from mockserver.cli.live.lines import document, moment
from mockserver.cli.options import JSON, SERVER, waiting
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, fail, paint, printable, table
from mockserver.cli.program import Group, argument, option
from mockserver.cli.remote import Target, until
from mockserver.cli.values import Integer
from mockserver.testing.client import path_segment

#: The most seconds between two looks for a one-time code. Chosen: while e-mails without a code match, the server
#: answers at once, and is not to be asked all the time.
_LOOK_S = 0.2

_TO = option("--to", metavar="ADDRESS", help="E-mails to this address only.")
_SUBJECT = option("--subject", metavar="TEXT", help="E-mails with this text in their subject only.")
_WAIT = waiting("How long to wait for the first such e-mail.")


mail = Group(
    "mail",
    default="list",
    help="List the e-mails that the service has sent, with their one-time codes.\n\n"
    "In a script: code=$(mockserver mail --to jo@acme.test --otp --wait 5)",
)


@mail.command("list")
@_TO
@_SUBJECT
@_WAIT
@option("--otp", is_flag=True, help="Print the newest one-time code, and nothing else.")
@option("-n", "--limit", type=Integer(1, 1000), default=20, metavar="N", help="How many e-mails to list.")
@JSON
@SERVER
def list_(to: str | None, subject: str | None, wait: float, otp: bool, limit: int, **others: Any) -> None:
    """List the e-mails, newest first; exit status 1 if there are none."""
    as_json = others.pop("as_json")
    target, asked = Target(**others), {"to": to, "subject": subject, "limit": limit}
    if otp:
        code = _newest_code(target, asked, wait)
        echo(to_json({"otp": code}) if as_json else printable(str(code)))
        return
    found = target.awaited("/mailbox", wait, "an e-mail", **asked)
    if as_json:
        echo(to_json(found))
    if not found["items"]:
        fail(_missing(asked, wait))
    if not as_json:
        rows = [(moment(row["at"]), row["to"], row["subject"], _code(row), row["id"]) for row in found["items"]]
        echo(table(("at", "to", "subject", "otp", "id"), rows))


@mail.command("show")
@argument("identifier", metavar="ID", required=False, help="The id of an e-mail; without it, the newest one.")
@_TO
@_SUBJECT
@_WAIT
@option("--html", is_flag=True, help="Print the e-mail as a page.")
@option("--source", is_flag=True, help="Print the e-mail as it would be sent, a MIME message.")
@JSON
@SERVER
def show(identifier: str | None, html: bool, source: bool, as_json: bool, **others: Any) -> None:
    """Show one e-mail with its text; exit status 1 if it does not exist."""
    asked = {name: others.pop(name) for name in ("to", "subject")}
    wait = others.pop("wait")
    target = Target(**others)
    found = _newest(target, asked, wait) if identifier is None else target.get(f"/mailbox/{path_segment(identifier)}")
    if as_json:
        echo(to_json(found))
    elif html or source:
        suffix, media = (".html", "text/html") if html else (".eml", "message/rfc822")
        text = target.text(f"/mailbox/{path_segment(found['id'])}{suffix}", media)
        echo(document(text.replace("\r\n", "\n")), nl=False)
    else:
        echo(_shown(found))


@mail.command("clear")
@JSON
@SERVER
def clear(as_json: bool, **server: Any) -> None:
    """Delete all e-mails."""
    Target(**server).call("DELETE", "/mailbox")
    echo(to_json({"cleared": True}) if as_json else "cleared")


def _newest(target: Target, asked: Mapping[str, Any], wait: float) -> Any:
    """The newest e-mail that matches; exits with 1 if there is none in time."""
    found = target.awaited("/mailbox", wait, "an e-mail", **asked, limit=1)["items"]
    return found[0] if found else fail(_missing(asked, wait))


def _newest_code(target: Target, asked: Mapping[str, Any], wait: float) -> Any:
    """The newest one-time code in e-mails that match; exits with 1 if there is none in time."""

    def look(seconds: float) -> Any:
        found = target.get("/mailbox", wait=seconds, **asked)["items"]
        code = next((item["otp"] for item in found if _has_code(item)), None)
        if code is None and found and seconds:
            time.sleep(min(seconds, _LOOK_S))
        return code

    code = until(wait, look, "an e-mail")
    return fail(_missing(asked, wait, with_code=True)) if code is None else code


def _has_code(item: Mapping[str, Any]) -> bool:
    return item.get("otp") is not None


def _missing(asked: Mapping[str, Any], wait: float, *, with_code: bool = False) -> str:
    words = ["No e-mails"]
    words += [f"to {asked['to']}"] if asked["to"] else []
    words += [f"with {asked['subject']!r} in its subject"] if asked["subject"] else []
    words += ["with a one-time code"] if with_code else []
    words += [f"after {wait:g} s"] if wait else []
    return printable(f"{' '.join(words)}.")


def _code(item: Mapping[str, Any]) -> object:
    return paint(item["otp"], "strong") if _has_code(item) else ""


def _shown(item: Mapping[str, Any]) -> str:
    """An e-mail for people: what it says of itself, and its text."""
    rows = [("from", item["from"]), ("to", item["to"]), ("subject", item["subject"]), ("at", moment(item["at"]))]
    rows += [("otp", item["otp"])] if _has_code(item) else []
    rows += [("id", item["id"])]
    lines = [f"{paint(name, 'soft')}: {printable(str(value))}" for name, value in rows]
    return "\n".join([*lines, "", printable(str(item["text"]).replace("\r\n", "\n"), lines=True).rstrip("\n")])
