"""The examples of docs/howto/tls.md do what they show."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parents[1] / "examples" / "tls"

pytestmark = pytest.mark.slow  # each runs a program of its own


def run(*command, cwd=_FOLDER, **environment):
    if shutil.which(command[0]) is None:
        pytest.skip(f"needs {command[0]}")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOCKSERVER_", "PYTEST_"))}
    found = subprocess.run(
        command, cwd=cwd, env={**kept, "PATH": path, **environment}, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout
    return found.stdout


def test_a_client_of_a_fixed_address_is_led_to_the_mock(tmp_path):
    shutil.copy(_FOLDER / "test_fixed_address.py", tmp_path)

    assert "2 passed" in run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", cwd=tmp_path)


def test_curl_calls_the_service_by_its_name_and_tries_again(tmp_path):
    printed = run("bash", str(_FOLDER / "curl.sh"), cwd=tmp_path)

    assert re.fullmatch(r'\{"senders":\[.*\n200\n', printed)


def test_node_trusts_by_a_variable(serve_tls, tmp_path):
    file = tmp_path / "ca.pem"
    served = serve_tls(tls_ca_file=file)

    printed = run("node", "--test", "node.mjs", MOCKSERVER_URL=served.url, NODE_EXTRA_CA_CERTS=str(file))

    assert re.search(r"pass 1$", printed, re.MULTILINE)
