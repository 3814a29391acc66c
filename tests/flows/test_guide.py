"""docs/howto/sending.md and campaigns.md are true: their examples pass, and the flows are listed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from flows.real_flows import FLOWS
from flows.running import LANGUAGES

_HOW_TO = Path(__file__).parents[2] / "docs" / "howto"
_GUIDE = (_HOW_TO / "sending.md").read_text(encoding="utf-8")
_CAMPAIGNS = (_HOW_TO / "campaigns.md").read_text(encoding="utf-8")
_MODULES = Path(__file__).parent / "programs" / "js" / "node_modules"

pytestmark = pytest.mark.slow  # each runs a program of its own


def shown(language, page=_GUIDE):
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return block


def needs(language):
    why = next(one.why_not for one in LANGUAGES if one.name == language)
    return pytest.mark.skipif(bool(why), reason=why)


@pytest.fixture
def run(tmp_path):
    def run(command, name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        ended = subprocess.run(
            [*command, name], cwd=tmp_path, check=False, timeout=60,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={name: value for name, value in os.environ.items() if not name.startswith(("MOCKSERVER_", "PYTEST_"))},
        )  # fmt: skip
        assert ended.returncode == 0, ended.stdout
        return ended.stdout

    return run


def test_the_python_example_passes(run):
    assert "1 passed" in run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"], "test_mail.py", shown("python")
    )


def test_the_flow_of_a_campaign_passes_in_twenty_lines(run):
    program = shown("python", _CAMPAIGNS)

    assert "1 passed" in run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider"], "test_june.py", program)
    flow = re.search(r"^### curl\n\n```sh\n(.*?)^```$", _CAMPAIGNS, re.DOTALL | re.MULTILINE)[1]
    assert max(len([line for line in text.splitlines() if line]) for text in (program, flow)) <= 20


@needs("js")
def test_the_javascript_example_passes(run, serve, tmp_path):
    (tmp_path / "node_modules").symlink_to(_MODULES)
    program = shown("javascript").replace("http://localhost:8003", serve())

    assert re.search(r"pass 1$", run(["node", "--test"], "mail.mjs", program), re.MULTILINE)


def test_the_reason_is_shown_that_the_journal_has(make_api):
    api = make_api()
    refused = api.get("/v3/smtp/statistics/reports")

    assert refused.headers["X-Mock-Beyond"] == "getSmtpReport"
    assert api.get("/_mock/requests").json["items"][0]["reason"] == shown("text").strip()


def test_the_guide_lists_the_flows():
    rows = re.findall(r"^\| `(\w+)` \| .+ \|$", _GUIDE, re.MULTILINE)

    assert rows == [flow.program for flow in FLOWS]
