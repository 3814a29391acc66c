"""`mail`: list and show the e-mails sent in a workspace."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from mockserver.cli.options import TARGET, limit, waiting
from mockserver.cli.output import document, echo, fail, moment, paint, printable, table
from mockserver.cli.program import Group, argument, decorated, option
from mockserver.cli.remote import Target, until
from mockserver.testing.client import path_of

#: The most seconds between two looks for a one-time code. Chosen: while e-mails without a code match, the server
#: answers at once, and is not asked all the time.
_LOOK_S = 0.2

_FILTERS = decorated(
    option("--to", metavar="ADDRESS", help="E-mails to this address only."),
    option("--subject", metavar="TEXT", help="E-mails with this text in their subject only."),
    waiting("How long to wait for the first such e-mail."),
)


mail = Group(
    "mail",
    default="list",
    help="List the e-mails that the service has sent, with their one-time codes.\n\n"
    "In a script: code=$(mockserver mail --to jo@acme.test --otp --wait 5)",
)


@mail.command("list")
@_FILTERS
@option("--otp", is_flag=True, help="Print the newest one-time code, and nothing else.")
@limit("e-mails", 20)
@TARGET
def list_(wait: float, otp: bool, target: Target, **asked: Any) -> None:
    """List the e-mails, newest first; exit status 1 if there are none."""
    if otp:
        code = _newest_code(target, asked, wait)
        target.show({"otp": code}, str(code))
        return
    found = target.awaited("/mailbox", wait, "an e-mail", **asked)
    target.show(found, lambda _: _print(found["items"]) if found["items"] else None)
    if not found["items"]:
        fail(_missing(asked, wait))


@mail.command("show")
@argument("identifier", metavar="ID", required=False, help="The id of an e-mail; without it, the newest one.")
@_FILTERS
@option("--html", is_flag=True, help="Print the e-mail as a page.")
@option("--source", is_flag=True, help="Print the e-mail as it would be sent, a MIME message.")
@TARGET
def show(identifier: str | None, html: bool, source: bool, wait: float, target: Target, **asked: Any) -> None:
    """Show one e-mail with its text; exit status 1 if none matches."""
    if identifier is None:
        items = target.awaited("/mailbox", wait, "an e-mail", **asked, limit=1)["items"]
        found = items[0] if items else fail(_missing(asked, wait))
    else:
        found = target.get(path_of("mailbox", identifier))
    if target.as_json or not (html or source):
        target.show(found, _print_mail)
        return
    suffix, media = (".html", "text/html") if html else (".eml", "message/rfc822")
    text = target.text(f"{path_of('mailbox', found['id'])}{suffix}", accept=media)
    echo(document(text.replace("\r\n", "\n")), nl=False)


@mail.command("clear")
@TARGET
def clear(target: Target) -> None:
    """Delete all e-mails."""
    target.delete("/mailbox")
    target.show({"cleared": True}, "cleared")


def _newest_code(target: Target, asked: Mapping[str, Any], wait: float) -> Any:
    def look(seconds: float) -> Any:
        found = target.get("/mailbox", wait=seconds, **asked)["items"]
        code = next((item["otp"] for item in found if item.get("otp") is not None), None)
        if code is None and found and seconds:
            time.sleep(min(seconds, _LOOK_S))
        return code

    code = until(wait, look, "an e-mail")
    return fail(_missing(asked, wait, with_code=True)) if code is None else code


def _missing(asked: Mapping[str, Any], wait: float, *, with_code: bool = False) -> str:
    words = ["No e-mails"]
    words += [f"to {asked['to']}"] if asked["to"] else []
    words += [f"with {asked['subject']!r} in its subject"] if asked["subject"] else []
    words += ["with a one-time code"] if with_code else []
    words += [f"after {wait:g} s"] if wait else []
    return printable(f"{' '.join(words)}.")


def _code(item: Mapping[str, Any]) -> object:
    return "" if item.get("otp") is None else paint(item["otp"], "strong")


def _print(items: list[Any]) -> None:
    rows = [(moment(row["at"]), row["to"], row["subject"], _code(row), row["id"]) for row in items]
    echo(table(("at", "to", "subject", "otp", "id"), rows))


def _print_mail(item: Mapping[str, Any]) -> None:
    shown = {**{name: item[name] for name in ("from", "to", "subject")}, "at": moment(item["at"])}
    shown |= {name: item[name] for name in ("otp", "id") if item.get(name) is not None}
    for name, value in shown.items():
        echo(f"{paint(name, 'soft')}: {printable(str(value))}")
    echo("\n" + printable(str(item["text"]).replace("\r\n", "\n"), lines=True).rstrip("\n"))
