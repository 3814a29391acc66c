"""`faults`: rules that make requests go wrong, and what there is to choose from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mockserver.cli.known_names import names_of
from mockserver.cli.live.lines import listing, wrapped
from mockserver.cli.options import JSON, SERVER
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, fail, paint, printable
from mockserver.cli.program import Group, Misused, argument, did_you_mean, option
from mockserver.cli.remote import Target
from mockserver.cli.values import Integer, Number, Seconds
from mockserver.testing.client import path_segment

#: The members of a rule that have columns of their own.
_COLUMNS = frozenset({"id", "fault", "match", "hits", "active"})


faults = Group("faults", default="list", help="Add, list and remove faults: errors, delays and network failures.")


@faults.command("list")
@JSON
@SERVER
def list_(as_json: bool, **server: Any) -> None:
    """List the fault rules in the order in which they apply, with their hits."""
    found = Target(**server).get("/faults")
    _print(found, found["items"], as_json)


@faults.command("add")
@argument(
    "fault",
    metavar="FAULT",
    shell_complete=names_of("fault kind"),
    help="A named fault or a kind, such as otp_expired, error or latency.",
)
@argument("parameters", metavar="NAME=VALUE...", nargs=-1, help="Parameters, such as ms=300 or code=not_found.")
@option(
    "--operation",
    multiple=True,
    metavar="ID",
    shell_complete=names_of("operation"),
    help="Of this operation only; may be given several times.",
)
@option("--method", metavar="METHOD", help="Of this method only.")
@option("--path", metavar="GLOB", help="With a path that matches only, such as '/v3/senders*'.")
@option("--match", metavar="JSON", help="What a request must have, as a fault's match has it in a scenario.")
@option("--times", type=Integer(1), metavar="N", help="Apply to N requests; the default is all.")
@option("--after", type=Integer(0), metavar="N", help="Skip the first N requests.")
@option("--probability", type=Number(0, 1), metavar="P", help="The probability that the fault applies, 0 to 1.")
@option(
    "--ttl", "ttl_s", type=Seconds(0), metavar="DURATION", help="For so long on the workspace's clock: 90, 90s or 16m."
)
@option("--force", is_flag=True, help="Add it even if the operation never gives this error.")
@JSON
@SERVER
def add(fault: str, parameters: Sequence[str], as_json: bool, **others: Any) -> None:
    """Add a fault, and print its rule."""
    match = {**_match(others.pop("match")), **_named(others)}
    rule = {name: others.pop(name) for name in ("times", "after", "probability", "ttl_s")}
    body = {"fault": fault, **{name: value for name, value in rule.items() if value is not None}}
    if match:
        body["match"] = match
    if others.pop("force"):
        body["force"] = True
    body |= dict(map(_parameter, parameters))
    found = Target(**others).call("POST", "/faults", body)
    _print(found, [found], as_json)


@faults.command("remove")
@argument("identifiers", metavar="ID", nargs=-1, required=True, shell_complete=names_of("fault"))
@JSON
@SERVER
def remove(identifiers: Sequence[str], as_json: bool, **server: Any) -> None:
    """Remove rules."""
    target = Target(**server)
    for identifier in identifiers:
        target.call("DELETE", f"/faults/{path_segment(identifier)}")
    echo(to_json({"removed": list(identifiers)}) if as_json else printable(f"removed: {' '.join(identifiers)}"))


@faults.command("clear")
@JSON
@SERVER
def clear(as_json: bool, **server: Any) -> None:
    """Remove all rules."""
    target = Target(**server)
    count = len(target.get("/faults")["items"])
    target.call("DELETE", "/faults")
    echo(to_json({"removed": count}) if as_json else f"removed: {count}")


@faults.command("catalogue")
@argument("fault", metavar="FAULT", required=False, shell_complete=names_of("fault kind"), help="This one only.")
@option(
    "--operation",
    metavar="ID",
    shell_complete=names_of("operation"),
    help="What this operation can give: its errors, and the faults that fit it.",
)
@JSON
@SERVER
def catalogue(fault: str | None, operation: str | None, as_json: bool, **server: Any) -> None:
    """Explain every fault and its parameters; exit status 1 if the name is unknown."""
    target = Target(**server)
    kinds = [row for row in target.get("/faults/catalogue")["items"] if fault in (None, row["fault"])]
    if not kinds:
        fail(f"there is no fault {fault!r}")
    if operation is not None:
        kinds = [row for row in kinds if operation in row.get("operations", (operation,))]
    errors = [] if operation is None else _errors(target, operation)
    if as_json:
        echo(to_json({"items": kinds, "count": len(kinds), **({"errors": errors} if operation else {})}))
        return
    if errors:
        echo(wrapped((row["code"], f"{row['status']}  {row.get('when') or ''}") for row in errors))
        echo(paint(f"mockserver faults add error code=CODE --operation {operation}", "soft"))
        echo()
    echo(wrapped(map(_kind, kinds)))


# ------------------------------------------------------------------ what is sent


def _match(text: str | None) -> dict[str, Any]:
    """The match of an option.

    Raises:
        Misused: the text is no JSON object.
    """
    if text is None:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misused(f"Invalid value for '--match': it is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise Misused("Invalid value for '--match': it is no JSON object.")
    return found


def _named(options: dict[str, Any]) -> dict[str, Any]:
    """The members of a match that have options of their own, which are taken from the options."""
    operations = list(options.pop("operation"))
    found = {name: options.pop(name) for name in ("method", "path")}
    given: dict[str, Any] = {name: value for name, value in found.items() if value is not None}
    if operations:
        given["operation"] = operations[0] if len(operations) == 1 else operations
    return given


def _parameter(text: str) -> tuple[str, Any]:
    """A parameter with its value, which is JSON or else a text.

    Raises:
        Misused: the text is not NAME=VALUE.
    """
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise Misused(f"{text!r} is not NAME=VALUE, such as ms=300.")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


# ------------------------------------------------------------------ what is printed


def _errors(target: Target, operation: str) -> list[Any]:
    """The errors that the contract has of an operation; exits with 1 if there is no such operation."""
    operations = target.get("/fidelity")["operations"]
    found = operations.get(operation)
    if found is None:
        fail(f"there is no operation {operation!r}.{did_you_mean(operation, operations)}")
    errors: list[Any] = found["errors"]
    return errors


def _print(found: object, rows: Sequence[Mapping[str, Any]], as_json: bool) -> None:
    if as_json:
        echo(to_json(found))
    else:
        listing("faults", ("id", "fault", "match", "parameters", "hits", "state"), [tuple(_row(row)) for row in rows])


def _row(row: Mapping[str, Any]) -> Iterator[object]:
    match = row.get("match")
    others = {name: value for name, value in row.items() if name not in _COLUMNS and value is not None}
    yield from (row["id"], row["fault"])
    yield to_json(match) if match else ""
    yield " ".join(f"{name}={value if isinstance(value, str) else to_json(value)}" for name, value in others.items())
    yield row["hits"]
    yield paint("active", "good") if row["active"] else paint("spent", "soft")


def _kind(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the name of a fault, and what it does with which parameters."""
    parameters = ", ".join(map(str, row["parameters"]))
    return row["fault"], f"{row['does']}  [{parameters}]" if parameters else row["does"]
