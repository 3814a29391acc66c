"""Clients with their defaults after one lost answer: `mockserver lint` fails for those that repeat it blindly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runner import invoke

_CALLS = Path(__file__).parent / "table"
_JS = Path(__file__).parents[1] / "flows" / "programs" / "js"
_NEEDS_JS = pytest.mark.skipif(
    not (_JS / "node_modules" / "@getbrevo").exists(),
    reason="needs the official client: npm ci --prefix tests/flows/programs/js",
)
CLIENTS = {
    "brevo-python 5": ([sys.executable, "call_brevo5.py"], 1),
    "@getbrevo/brevo 6": (["node", "call_brevo6.mjs"], 1),
    "sib-api-v3-sdk": ([sys.executable, "call_swagger.py", "sib_api_v3_sdk"], 0),
}


@pytest.mark.workspace(
    {
        "extends": "corporate-v2",
        "accounts": [{"name": "acme", "senders": [{"name": "News", "email": "news@acme.test"}]}],
    }
)
@pytest.mark.parametrize("operation", ["sendTransacEmail", "createSubAccount", "createSender"])
@pytest.mark.parametrize(
    ("command", "status"),
    [pytest.param(*row, id=name, marks=_NEEDS_JS if "@" in name else ()) for name, row in CLIENTS.items()],
)
def test_lint_fails_for_clients_that_repeat_a_write_whose_answer_was_lost(
    server, workspace, command, status, operation
):
    workspace.faults.add("lost_answer", times=1)
    environment = {**os.environ, "MOCKSERVER_URL": workspace.url.removesuffix("/v3"), "JS_FOLDER": str(_JS)}
    subprocess.run(
        [*command, operation], cwd=_CALLS, env=environment, check=True, timeout=50, stdout=subprocess.DEVNULL
    )

    found = invoke(
        ("lint", "--fail-on", "repeated-write"),
        {"MOCKSERVER_URL": server.url, "MOCKSERVER_WORKSPACE": workspace.name},
    )

    assert found.exit_code == status, found.output
