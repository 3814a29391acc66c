"""`drift`: compare an account of the service with the mock, by GET only."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext

from mockserver.cli.options import JSON, TOKEN, url
from mockserver.cli.output import echo, paint, printable, progress
from mockserver.cli.program import Misused, command, option
from mockserver.cli.remote import answered, root_of


@command("drift")
@option("--key-env", required=True, metavar="NAME", help="The environment variable that has the account's API key.")
@option("--base-url", metavar="URL", default="https://api.brevo.com", help="The root address of the service.")
@JSON
@url("The root address of a running mock server, which gets a workspace for this alone.")
@TOKEN
def drift(key_env: str, base_url: str, url: str | None, token: str | None, as_json: bool) -> int:
    """Compare what an account of the service answers with what the mock answers: names, types and statuses, no values.

    Only GET is sent to the service: at most 40 calls, one a second, none after a 429. Exit status 1 if an answer
    differs, 2 if nothing could be compared.
    """
    from mockserver.testing import drift as drifting
    from mockserver.testing.handles.server import MockServer

    key = os.environ.get(key_env, "").strip()
    if not (key and key.isascii() and key.isprintable()):
        # What is no name may be a key.
        raise Misused(f"--key-env: {key_env if key_env.isidentifier() else 'that'} is no variable with an API key.")
    root, service = root_of(url) if url else None, root_of(base_url)
    try:
        ask = drifting.Asker(service, key)
    except ValueError as error:
        raise Misused(str(error)) from error
    with (
        answered(root or ""),
        progress("asking the service, one call a second"),
        nullcontext(MockServer.connect(root, token)) if root else MockServer("empty") as server,
    ):
        found = drifting.drift(ask, server.client)
    compared = sum(row.verdict != drifting.NOT_COMPARABLE for row in found)
    if as_json:
        echo(json.dumps({"answers": [row._asdict() for row in found], "compared": compared}, indent=2))
    else:
        styles = {drifting.SAME: "good", drifting.DIFFERENT: "bad", drifting.NOT_COMPARABLE: "soft"}
        for row in found:
            echo(f"{paint(f'{row.verdict:14}', styles[row.verdict])}  {printable(row.question)}")
            for note in row.notes:
                echo(printable(f"{'':16}{note}"))
        echo(f"{compared} of {len(found)} compared")
    if compared:
        return int(any(row.verdict == drifting.DIFFERENT for row in found))
    echo(f"nothing could be compared: {found[0].notes[0]}", err=True)
    return 2
