"""`faults`: rules that make requests go wrong, and the catalogue of faults."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mockserver.cli.options import ALL, TARGET, Integer, Name, Number, Seconds, json_object
from mockserver.cli.output import echo, fail, listing, paint, wrapped
from mockserver.cli.program import Group, Misused, argument, did_you_mean, option
from mockserver.cli.remote import Target
from mockserver.testing.handles.link import given

_HEADERS = ("id", "fault", "match", "parameters", "hits", "state")
#: The members of a rule that have columns.
_COLUMNS = frozenset({"id", "fault", "match", "hits", "active"})


faults = Group("faults", default="list", help="Add, list and delete faults: errors, delays and network failures.")


@faults.command("list")
@TARGET
def list_(target: Target) -> None:
    """List the fault rules in order of application, with hit counts."""
    target.show(target.get("/faults"), lambda found: listing("faults", _HEADERS, map(_row, found["items"])))


@faults.command("new")
@argument("fault", type=Name("fault kind"), help="A named fault or a kind, such as otp_expired, error or latency.")
@argument("parameters", metavar="NAME=VALUE", nargs=-1, help="Parameters, such as ms=300 or code=not_found.")
@option(
    "--operation",
    multiple=True,
    type=Name("operation", "id"),
    help="Of this operation only; may be given several times.",
)
@option("--method", metavar="METHOD", help="Of this method only.")
@option("--path", metavar="GLOB", help="With a path that matches only, such as '/v3/senders*'.")
@option("--match", metavar="JSON", help="What a request must have, as a fault's match has it in a scenario.")
@option("--times", type=Integer(1), metavar="N", help="Apply to N requests; the default is all.")
@option("--after", type=Integer(0), metavar="N", help="Skip the first N requests.")
@option("--probability", type=Number(0, 1), metavar="P", help="The probability that the fault applies, 0 to 1.")
@option(
    "--ttl",
    "ttl_s",
    type=Seconds(0),
    metavar="DURATION",
    help="How long it applies, on the workspace's clock: 90s or 16m.",
)
@option("--force", is_flag=True, help="Add it even if the operation never gives this error.")
@TARGET
def new(
    fault: str,
    parameters: Sequence[str],
    operation: Sequence[str],
    method: str | None,
    path: str | None,
    match: str | None,
    target: Target,
    **rule: Any,
) -> None:
    """Add a fault, and print its rule."""
    operations = operation[0] if len(operation) == 1 else list(operation)
    named = given({"method": method, "path": path, "operation": operations or None})
    wanted = {**json_object(match, "--match"), **named}
    body = given({"fault": fault, **rule, "force": rule["force"] or None, "match": wanted or None})
    found = target.post("/faults", {**body, **dict(map(_parameter, parameters))})
    target.show(found, lambda row: listing("faults", _HEADERS, [_row(row)]))


@faults.command("delete")
@argument("identifiers", metavar="ID", nargs=-1, type=Name("fault"))
@ALL
@TARGET
def delete(identifiers: Sequence[str], every: bool, target: Target) -> None:
    """Delete rules, by id or with --all."""
    target.remove("faults", identifiers, every=every)


@faults.command("catalogue")
@argument("fault", required=False, type=Name("fault kind"), help="This one only.")
@option(
    "--operation",
    type=Name("operation", "id"),
    help="What this operation can give: its errors, and the faults that fit it.",
)
@TARGET
def catalogue(fault: str | None, operation: str | None, target: Target) -> None:
    """Explain every fault and its parameters; exit status 1 if the name is unknown."""
    kinds = [row for row in target.items("/faults/catalogue") if fault in (None, row["fault"])]
    if not kinds:
        fail(f"there is no fault {fault!r}")
    if operation is not None:
        kinds = [row for row in kinds if operation in row.get("operations", (operation,))]
    found = {"items": kinds, "count": len(kinds), **({"errors": _errors(target, operation)} if operation else {})}
    target.show(found, lambda _: _print_catalogue(found, operation))


def _parameter(text: str) -> tuple[str, Any]:
    """Split NAME=VALUE; the value is JSON, otherwise text."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise Misused(f"{text!r} is not NAME=VALUE, such as ms=300.")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


def _errors(target: Target, operation: str) -> list[Any]:
    """Return the documented errors of an operation; exit with 1 if unknown."""
    operations = target.get("/fidelity")["operations"]
    if operation not in operations:
        fail(f"there is no operation {operation!r}.{did_you_mean(operation, operations)}")
    errors: list[Any] = operations[operation]["errors"]
    return errors


def _print_catalogue(found: Any, operation: str | None) -> None:
    if found.get("errors"):
        echo(wrapped((row["code"], f"{row['status']}  {row.get('when') or ''}") for row in found["errors"]))
        echo(paint(f"mockserver faults new error code=CODE --operation {operation}", "soft"))
        echo()
    echo(wrapped((row["fault"], _explained(row)) for row in found["items"]))


def _explained(row: Any) -> str:
    parameters = ", ".join(map(str, row["parameters"]))
    return f"{row['does']}  [{parameters}]" if parameters else str(row["does"])


def _row(row: Any) -> list[object]:
    others = {name: value for name, value in row.items() if name not in _COLUMNS and value is not None}
    parameters = [f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in others.items()]
    state = paint("active", "good") if row["active"] else paint("spent", "soft")
    match = json.dumps(row["match"]) if row.get("match") else ""
    return [row["id"], row["fault"], match, " ".join(parameters), row["hits"], state]
