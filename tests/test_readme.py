"""The README is true: its generated parts are the code's, and what it shows happens."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from socketserver import BaseRequestHandler, UDPServer

import dns.message
import dns.rcode
import pytest
import yaml

from mockserver.scenario.documents.library import Library
from mockserver.scenario.load import load

_ROOT = Path(__file__).parents[1]
_README = (_ROOT / "README.md").read_text(encoding="utf-8")
_SECTIONS = {
    title: text for title, _, text in (part.partition("\n") for part in re.split(r"^##+ ", _README, flags=re.MULTILINE))
}
#: How the server of a section is set up, where the section says that it is.
_SETTINGS = {
    "The control token": lambda _: {"control_token": "secret"},
    "DNS for real": lambda resolver: {"dns_resolver": resolver},
}


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def is_shown(output, shown):
    """Whether a line of output is what the README shows; `...` stands for anything."""
    return re.fullmatch(".*".join(re.escape(part) for part in shown.split("...")), output) is not None


_STORIES = {title: script for title, text in _SECTIONS.items() if (script := "".join(blocks(text, "sh")))}


def test_the_generated_parts_are_what_the_code_gives():
    """`python .ci/readme.py` writes them anew."""
    written = runpy.run_path(str(_ROOT / ".ci" / "readme.py"))["written"]

    assert _README.count("<!-- generated: ") == 9
    assert written(_README) == _README


def test_every_link_leads_to_a_section():
    anchors = {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in _SECTIONS}

    assert set(re.findall(r"\]\(#([^)]+)\)", _README)) <= anchors


@pytest.fixture(scope="module")
def resolver():
    """The address of a DNS server that knows no name."""

    class NoSuchName(BaseRequestHandler):
        def handle(self):
            question, sock = self.request
            answer = dns.message.make_response(dns.message.from_wire(question))
            answer.set_rcode(dns.rcode.NXDOMAIN)
            sock.sendto(answer.to_wire(), self.client_address)

    with UDPServer(("127.0.0.1", 0), NoSuchName) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
@pytest.mark.parametrize("title", _STORIES)
def test_every_command_prints_what_is_shown(title, serve, resolver, tmp_path):
    """The commands of a section, one after the other, on a server of its own."""
    root = serve(**_SETTINGS.get(title, lambda _: {})(resolver))
    script = _STORIES[title].replace("localhost:8003", root.removeprefix("http://"))
    shown = [line.removeprefix("# ") for line in script.splitlines() if line.startswith("# ")]

    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        check=True, capture_output=True, text=True, timeout=60, cwd=tmp_path,
        env={**os.environ, "MOCKSERVER_URL": root, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )  # fmt: skip

    printed = run.stdout.splitlines()
    assert shown
    assert len(printed) == len(shown), run.stdout
    assert [line for line, wanted in zip(printed, shown, strict=True) if not is_shown(line, wanted)] == []


def test_the_client_library_is_pointed_at_it_as_shown(serve):
    (program,) = blocks(_SECTIONS["Start"], "python")
    names = {}

    exec(program.replace("http://localhost:8003", serve()), names)
    names["client"]._client_wrapper.httpx_client.httpx_client.close()  # noqa: SLF001  # it cannot close itself


def test_the_scenario_loads_as_it_is_shown(tmp_path):
    (document,) = blocks(_SECTIONS["Scenarios"], "yaml")
    (tmp_path / "shown.yaml").write_text(document, encoding="utf-8")

    workspace = load(Library(tmp_path).read("shown"), name="shown", title="shown")

    assert workspace.state.clock.frozen
    assert [account.name for account in workspace.state.accounts.values()] == [
        yaml.safe_load(document)["accounts"][0]["name"]
    ]
