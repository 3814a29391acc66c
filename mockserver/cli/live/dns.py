"""`dns`: the answers of a workspace's DNS about domains."""

from __future__ import annotations

from typing import Any, get_args

import click

from mockserver.cli.known_names import names_of
from mockserver.cli.live.lines import listing, more
from mockserver.cli.options import JSON, SERVER
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, fail, paint, printable
from mockserver.cli.program import Decorator, Group, Misused, argument, option
from mockserver.cli.remote import Target
from mockserver.cli.values import Integer
from mockserver.testing.client import path_segment
from mockserver.testing.records import Policy, Records, RecordState

#: The records that a domain needs.
_RECORDS = Records._fields
_DOMAIN = argument(
    "domain", metavar="DOMAIN", shell_complete=names_of("domain"), help="The name of a domain, added or not."
)


def _record(flag: str, about: str) -> Decorator:
    return option(flag, type=click.Choice(get_args(RecordState)), help=f"The answer for {about}.")


dns = Group("dns", default="list", help="Show and change the DNS records of domains.")


@dns.command("list")
@option("--name", metavar="TEXT", help="Domains with this text in their name only.")
@option("-n", "--limit", type=Integer(1, 1000), default=100, metavar="N", help="How many domains to list.")
@JSON
@SERVER
def list_(name: str | None, limit: int, as_json: bool, **server: Any) -> None:
    """List the domains with the state of their records, and the accounts that have them."""
    found = Target(**server).get("/dns", name=name, limit=limit)
    if as_json:
        echo(to_json(found))
        return
    _print(found["items"])
    if others := more(found, len(found["items"])):
        echo(paint(others, "soft"))


@dns.command("show")
@_DOMAIN
@JSON
@SERVER
def show(domain: str, as_json: bool, **server: Any) -> None:
    """Show the state of the records of a domain."""
    _show(Target(**server).get(f"/dns/{path_segment(domain)}"), as_json)


@dns.command("set")
@_DOMAIN
@_record("--brevo-code", "the record that proves ownership")
@_record("--dkim-record", "the DKIM record")
@_record("--dmarc-record", "the DMARC record")
@option("--dmarc-policy", type=click.Choice(get_args(Policy)), help="The policy of the DMARC record.")
@option("--free-mail", type=bool, metavar="yes|no", help="Whether it is a provider of free mailboxes.")
@JSON
@SERVER
def set_(domain: str, as_json: bool, **others: Any) -> None:
    """Change what DNS answers for a domain; records that are not named stay."""
    body = {name: others.pop(name) for name in (*_RECORDS, "dmarc_policy", "free_mail")}
    change = {name: value for name, value in body.items() if value is not None}
    if not change:
        raise Misused("Give at least one record, such as --dkim-record wrong, or --dmarc-policy.")
    _show(_put(Target(**others), domain, change), as_json)


@dns.command("publish")
@_DOMAIN
@JSON
@SERVER
def publish(domain: str, as_json: bool, **server: Any) -> None:
    """Publish all records that a domain needs, so that it can be authenticated."""
    _show(_put(Target(**server), domain, dict.fromkeys(_RECORDS, "ok")), as_json)


@dns.command("verify")
@_DOMAIN
@JSON
@SERVER
def verify(domain: str, as_json: bool, **server: Any) -> None:
    """Check that all records of a domain are right; exit status 1 if one is not."""
    found = Target(**server).get(f"/dns/{path_segment(domain)}")
    _show(found, as_json)
    wrong = [f"{name} is {found[name]}" for name in _RECORDS if found[name] != "ok"]
    if wrong:
        fail(printable(f"{', '.join(wrong)}; `mockserver dns publish {domain}` publishes all records"))


def _put(target: Target, domain: str, change: dict[str, Any]) -> Any:
    return target.call("PUT", f"/dns/{path_segment(domain)}", change)


def _show(found: Any, as_json: bool) -> None:
    if as_json:
        echo(to_json(found))
    else:
        _print([found])


def _print(rows: list[Any]) -> None:
    headers = ("domain", *_RECORDS, "dmarc_policy", *(("accounts",) if any("accounts" in row for row in rows) else ()))
    listing("domains", headers, [_row(row, headers) for row in rows])


def _row(row: Any, headers: tuple[str, ...]) -> list[object]:
    cells: list[object] = [row.get("shown_as", row["domain"])]
    cells += [paint(row[name], "good" if row[name] == "ok" else "bad") for name in _RECORDS]
    cells.append(row["dmarc_policy"])
    if "accounts" in headers:
        owners = row.get("accounts", ())
        cells.append(printable(", ".join(f"{owner['account']} ({owner['state']})" for owner in owners)))
    return cells
