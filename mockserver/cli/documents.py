"""`machines` and `openapi`: documents about the mocked API, printed without a server."""

from __future__ import annotations

import json

from mockserver.cli.framework import command
from mockserver.cli.framework.output import echo
from mockserver.cli.options import JSON


@command(JSON)
def machines(as_json: bool) -> None:
    """Every state machine as a Mermaid diagram."""
    from mockserver.resources.registry import LIFECYCLES

    found = [row.machine for row in LIFECYCLES.values()]
    if as_json:
        echo(json.dumps([{"name": row.name, "mermaid": row.mermaid()} for row in found], indent=2))
        return
    for machine in found:
        echo(f"%% {machine.name}\n{machine.mermaid()}\n")


@command(JSON)
def openapi(as_json: bool) -> None:
    """The OpenAPI document of the mocked API, as YAML."""
    from mockserver.evidence.openapi import document
    from mockserver.scenario.dump import to_yaml

    echo(json.dumps(document(), indent=2) if as_json else to_yaml(document()), nl=as_json)
