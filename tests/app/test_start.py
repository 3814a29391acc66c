"""What a server does without until it is needed."""

import subprocess
import sys

import pytest

#: Runs a server as `serve` does, asks it once, and prints the modules that it has imported by then.
PROGRAM = """
import sys, urllib.request
from mockserver import Settings
from mockserver.app.runtime import runtime_of

with runtime_of(Settings(port=0, log_format="off")) as runtime:
    request = urllib.request.Request(f"{runtime.url}/v3/senders", headers={"api-key": "any"})
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200
    print(*sys.modules)
"""


@pytest.fixture(scope="module")
def imported():
    """The modules that a server of the standard scenario has imported after its first answer."""
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    return set(found.stdout.split())


def test_the_first_answer_needs_no(imported):
    for module in [
        "mockserver.app.application", "mockserver.beyond.answering", "mockserver.beyond.catalogue",
        "mockserver.app.forwards", "mockserver.beyond.forward", "mockserver.coverage", "mockserver.evidence",
        "mockserver.testing", "mockserver.control.framework", "mockserver.control.traffic", "mockserver.effects.http",
        "mockserver.effects.smtp_client", "mockserver.effects.smtp_listener", "mockserver.resources.activities.model",
        "mockserver.resources.corporate.model", "mockserver.resources.corporate.schemas",
        "mockserver.resources.deliveries.section", "mockserver.resources.domains.schemas",
        "mockserver.resources.oauth.authorization", "mockserver.resources.oauth.model",
        "mockserver.resources.oauth.schemas", "mockserver.resources.sso.model", "mockserver.resources.webhooks.schemas",
        "mockserver.scenario.behaviour", "mockserver.scenario.dump", "mockserver.scenario.faults",
        "mockserver.scenario.seed", "mockserver.views", "mockserver.web.server.certificates",
        "mockserver.web.server.tls_front", "aiosmtpd", "apispec", "cryptography", "dns", "faker", "flask", "idna",
        "jinja2", "jwt", "prometheus_client", "publicsuffixlist", "trustme", "urllib3",
    ]:  # fmt: skip
        assert module not in imported


@pytest.mark.parametrize("module", ["mockserver.resources.senders.schemas", "mockserver.resources.senders.model"])
def test_the_first_answer_needs(imported, module):
    """The list above would be right of a server that has answered nothing."""
    assert module in imported
