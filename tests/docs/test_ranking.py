"""The search of the site ranks the page that answers a question first or second, by Sphinx's own script and index."""

import json
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("sphinx") is None, reason="needs the extra `docs`"),
    pytest.mark.skipif(shutil.which("node") is None, reason="needs node"),
]

_SEARCH = Path(__file__).with_name("search.mjs")
#: What people type, and the page that has the answer.
_QUERIES = {
    "429": "howto/faults",
    "503": "howto/faults",
    "connection reset": "howto/faults",
    "fault injection": "howto/faults",
    "network error": "howto/faults",
    "outage": "howto/faults",
    "rate limit": "howto/faults",
    "rate limiting": "howto/faults",
    "Retry-After": "howto/faults",
    "slow response": "howto/faults",
    "timeout": "howto/faults",
    "too many requests": "howto/faults",
    "dns propagation": "howto/dns",
    "spf dkim dmarc": "howto/dns",
    "inbound parse": "howto/inbound",
    "assert request": "howto/journal",
    "inspect requests": "howto/journal",
    "request body": "howto/journal",
    "why refused": "howto/journal",
    "oauth": "howto/oauth",
    "refresh token": "howto/oauth",
    "sso": "howto/sso",
    "otp": "howto/one-time-codes",
    "otp expired": "howto/one-time-codes",
    "verification code": "howto/one-time-codes",
    "pytest parallel": "howto/parallel-tests",
    "test isolation": "howto/parallel-tests",
    "xdist": "howto/parallel-tests",
    "attachment": "howto/sending",
    "e-mail attachment": "howto/sending",
    "send email": "howto/sending",
    "smtp": "howto/sending",
    "fake data": "howto/state",
    "reset state": "howto/state",
    "seed data": "howto/state",
    "snapshot": "howto/state",
    "contacts": "contract/contacts",
    "stub": "howto/stubs",
    "stubs": "howto/stubs",
    "credits": "howto/sub-accounts",
    "sub-account": "howto/sub-accounts",
    "clock": "howto/time",
    "freeze time": "howto/time",
    "https": "howto/tls",
    "self-signed certificate": "howto/tls",
    "tls certificate": "howto/tls",
    "prometheus metrics": "howto/watching",
    "wait for webhook": "howto/webhooks",
    "webhook": "howto/webhooks",
    "webhook retry": "howto/webhooks",
    "command line": "howto/terminal",
    "coverage": "howto/coverage",
    "dashboard": "howto/dashboard",
    "export": "howto/exports",
    "failed test": "howto/failures",
    "security": "howto/control-token",
    "async": "guides/async",
    "asyncio": "guides/async",
    "docker": "guides/compose",
    "docker compose": "guides/compose",
    "django": "guides/django",
    "ci pipeline": "guides/github",
    "github actions": "guides/github",
    "gitlab": "guides/gitlab",
    "kubernetes": "guides/kubernetes",
    "jest": "guides/node",
    "node vitest jest": "guides/node",
    "typescript": "guides/node",
    "fixture": "guides/pytest",
    "pytest": "guides/pytest",
    "curl": "guides/shell",
    "load balancer": "guides/spread",
    "redis": "guides/stores",
    "sqlite persistence": "guides/stores",
    "golang": "guides/testcontainers",
    "java testcontainers": "guides/testcontainers",
    "unittest": "guides/unittest",
    "environment variables": "reference/settings",
    "openapi": "reference/operations",
    "scenario": "reference/scenarios",
    "state machine": "reference/machines",
    "limitations": "truth/not-there",
    "install": "start",
    "base_url": "start",
    "pip install": "start",
    "quickstart": "start",
    "python version": "support",
    "401": "trouble",
    "404": "trouble",
    "api key": "trouble",
    "port in use": "trouble",
    "proxy": "trouble",
}


@pytest.fixture(scope="module")
def found(site):
    """The pages of the results of each query, the best first."""
    printed = subprocess.run(
        ["node", _SEARCH, site, *_QUERIES], check=True, capture_output=True, text=True, timeout=60
    ).stdout
    return json.loads(printed)


@pytest.mark.parametrize(("query", "page"), _QUERIES.items(), ids=_QUERIES)
def test_search_ranks_the_page_first_or_second(query, page, found):
    assert page in found[query][:2], found[query][:5]
