"""`openapi`: the document of the mocked API, printed without a server."""

from __future__ import annotations

import json

from mockserver.cli.options import JSON
from mockserver.cli.output import echo
from mockserver.cli.program import command


@command("openapi")
@JSON
def openapi(as_json: bool) -> None:
    """Print the OpenAPI document of the mocked API, as YAML."""
    from mockserver.evidence.openapi import document
    from mockserver.scenario.dump import to_yaml

    echo(json.dumps(document(), indent=2) if as_json else to_yaml(document()), nl=as_json)
