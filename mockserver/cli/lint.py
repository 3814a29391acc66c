"""`lint`: print and check the mistakes of the client that calls a running server."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import click

from mockserver.cli.options import JSON, OUTPUT, OUTPUT_FILE, TOKEN, URL, targeted, workspace, write
from mockserver.cli.output import echo, paint, printable
from mockserver.cli.program import Misused, command, option
from mockserver.cli.remote import Target
from mockserver.core.text.messages import counted
from mockserver.testing.baseline import BaselineError, finding_line, unaccepted
from mockserver.testing.linting import RULES, chosen_rules

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_PROJECT = "mockserver lint"


def _rules(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> frozenset[str]:
    try:
        return frozenset().union(*map(chosen_rules, given))
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@command("lint")
@option(
    "--fail-on", multiple=True, callback=_rules, metavar="RULE,...",
    help="End with 1 if one of these rules has found something, or any rule with all; may be given several times.",
)  # fmt: skip
@option("--baseline", type=OUTPUT_FILE, metavar="FILE", help="Leave out the findings in this file.")
@option("--update-baseline", is_flag=True, help="Add the findings to that file that are new, and leave them out, too.")
@option("--junit", is_flag=True, help="Print JUnit XML.")
@option("--sarif", is_flag=True, help="Print SARIF 2.1.0.")
@OUTPUT
@targeted(JSON, URL, TOKEN, workspace())
def lint(
    fail_on: frozenset[str], baseline: Path | None, update_baseline: bool, junit: bool, sarif: bool,
    output: Path | None, target: Target,
) -> int:  # fmt: skip
    """Find mistakes of your client in the requests of a workspace, such as retries of writes without a check.

    Each finding names its rule, the damage, the requests, and a page that says how to fix the client. With --fail-on,
    exit status 2 if the workspace has no request.
    """
    if junit + sarif + target.as_json > 1:
        raise Misused("Give one of --json, --junit and --sarif.")
    if update_baseline and baseline is None:
        raise Misused("--update-baseline needs --baseline FILE.")
    found = target.get("/findings")
    items = found["items"]
    if baseline is not None:
        try:
            items = unaccepted(baseline, items, _line, update=update_baseline)
        except BaselineError as error:
            raise Misused(str(error)) from error
        accepted = found["count"] - len(items)
        found |= {"items": items, "count": len(items)}
        echo(f"{counted(accepted, 'finding')} accepted by {baseline}", err=True)
    if target.as_json:
        text = json.dumps(found)
    else:
        text = to_junit(items) if junit else json.dumps(to_sarif(items, target.url), indent=2) if sarif else ""
    write(output, f"{text or to_text(items)}\n")
    if found["unseen"]:
        unseen = counted(found["unseen"], "request")
        echo(f"The journal has evicted {unseen}, which no rule has seen (--journal-limit).", err=True)
    is_empty = not (found["requests"] or found["unseen"] or items)
    if is_empty:
        echo("0 requests: no rule had anything to check.", err=True)
    return 2 if is_empty and fail_on else int(any(item["rule"] in fail_on for item in items))


def _line(item: Mapping[str, Any]) -> str:
    return finding_line(item["rule"], item["subject"])


def to_text(items: Sequence[Mapping[str, Any]]) -> str:
    """Return findings as lines."""
    lines = []
    for item in items:
        lines.append(f"{paint(item['rule'], 'warn')}  {printable(item['message'])}")
        ids = [*(f"request {name}" for name in item["requests"]), *(f"delivery {name}" for name in item["deliveries"])]
        lines += [printable(f"    {line}") for line in (*ids, item["url"])]
    return "\n".join(lines or ["No findings."])


def to_junit(items: Sequence[Mapping[str, Any]]) -> str:
    """Return findings as JUnit XML, with a test case for each rule."""
    broken = {item["rule"] for item in items}
    suite = ET.Element("testsuite", name=_PROJECT, tests=str(len(RULES)), failures=str(len(broken)), errors="0")
    for rule in RULES:
        case = ET.SubElement(suite, "testcase", classname=_PROJECT, name=rule)
        own = [item for item in items if item["rule"] == rule]
        if own:  # more than one `failure` of a test case is no JUnit
            message = "; ".join(_xml(item["message"]) for item in own)
            ET.SubElement(case, "failure", message=message, type=rule).text = _xml("\n".join(map(_whole, own)))
    return ET.tostring(suite, encoding="unicode")


def _xml(text: str) -> str:
    return printable(text, lines=True)


def _whole(item: Mapping[str, Any]) -> str:
    return "\n".join([item["message"], *(f"request {name}" for name in item["requests"]), item["url"]])


def to_sarif(items: Sequence[Mapping[str, Any]], root: str) -> dict[str, Any]:
    """Return findings as SARIF 2.1.0 (OASIS); a location is a request on the server at `root`."""
    pages = {item["rule"]: item["url"] for item in items}
    rules = [{"id": rule, **({"helpUri": pages[rule]} if rule in pages else {})} for rule in RULES]
    results = [
        {
            "ruleId": item["rule"],
            "ruleIndex": RULES.index(item["rule"]),
            "level": "warning",
            "message": {"text": item["message"]},
            "locations": [_location(f"_mock/requests/{name}") for name in item["requests"]]
            or [_location(f"_mock/deliveries/{name}") for name in item["deliveries"]],
        }
        for item in items
    ]
    run = {
        "tool": {"driver": {"name": _PROJECT, "rules": rules}},
        "originalUriBaseIds": {"SERVER": {"uri": f"{root}/"}},
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _location(uri: str) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": uri, "uriBaseId": "SERVER"}}}
