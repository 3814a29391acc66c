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
#: Queries that people type, by the page with the answer.
_PAGES = {
    "howto/faults": ["429", "503", "504", "lost answer", "retry",
        "connection reset", "fault injection", "network error", "outage", "rate limit",
        "rate limiting", "Retry-After", "slow response", "timeout", "too many requests"],
    "howto/dns": ["bad dkim", "wrong DKIM", "dns propagation", "spf dkim dmarc"],
    "howto/inbound": ["inbound parse", "receive email"],
    "howto/journal": ["assert request", "har", "inspect requests", "request body", "why refused"],
    "howto/oauth": ["oauth", "expired token", "refresh token"],
    "howto/sso": ["sso"],
    "howto/one-time-codes": ["otp", "wrong otp", "otp expired", "verification code"],
    "howto/parallel-tests": ["pytest parallel", "pytest-xdist", "test isolation", "xdist"],
    "howto/sending": ["attachment", "idempotency key", "mailpit", "e-mail attachment", "send email", "smtp"],
    "howto/state": ["fake data", "reset state", "seed data", "snapshot"],
    "contract/contacts": ["contacts"],
    "howto/stubs": ["stub", "stubs"],
    "howto/sub-accounts": ["402", "credits", "not_enough_credits", "seed sub-accounts", "sub-account"],
    "howto/time": ["clock", "freeze time"],
    "howto/tls": ["https", "self-signed certificate", "tls certificate"],
    "howto/watching": ["prometheus metrics"],
    "howto/campaigns": ["import csv", "newsletter", "campaign"],
    "howto/recipes": ["duplicates", "mcp", "pact", "postman", "property-based testing"],
    "howto/lint": ["repeats writes"],
    "contract/sending": ["31 days"],
    "howto/webhooks": ["hard bounce", "wait for webhook", "webhook", "webhook retry"],
    "howto/terminal": ["command line"],
    "howto/coverage": ["coverage"],
    "howto/dashboard": ["dashboard"],
    "howto/exports": ["export"],
    "howto/failures": ["failed test"],
    "howto/control-token": ["security"],
    "guides/async": ["async", "asyncio"],
    "guides/compose": ["docker", "docker compose"],
    "guides/django": ["django"],
    "guides/flask": ["flask", "live_server", "pytest-flask"],
    "guides/languages": [".net", "go", "java", "php"],
    "guides/pre-commit": ["pre-commit"],
    "guides/github": ["ci pipeline", "github actions"],
    "guides/gitlab": ["gitlab"],
    "guides/kubernetes": ["ingress", "kubernetes"],
    "guides/node": ["cypress", "jest", "playwright", "node vitest jest", "typescript"],
    "guides/pytest": ["fixture", "freezegun", "gevent", "pytest", "pytest-socket", "vcr"],
    "guides/shell": ["curl"],
    "guides/stores": ["haproxy", "load balancer", "redis", "replicas", "sqlite persistence"],
    "guides/testcontainers": ["golang", "java testcontainers", "spring boot"],
    "guides/unittest": ["unittest"],
    "reference/settings": ["environment variables"],
    "reference/operations": ["openapi"],
    "reference/scenarios": ["scenario"],
    "reference/machines": ["state machine"],
    "truth/not-there": ["limitations"],
    "start": ["install", "base_url", "pip install", "quickstart"],
    "support": ["python version"],
    "trouble": ["400", "401", "402", "403", "404", "409", "500", "api key", "port in use", "proxy", "why 401"],
}  # fmt: skip
_QUERIES = {query: page for page, queries in _PAGES.items() for query in queries}


#: Words of the pages for those who change the mock.
_PROJECT = ["architecture", "storage", "glossary", "contributing", "libraries", "changelog", "import-linter", "htmx"]


@pytest.fixture(scope="module")
def found(site):
    """The pages of the results of each query, the best first."""
    printed = subprocess.run(
        ["node", _SEARCH, site, *_QUERIES, *_PROJECT], check=True, capture_output=True, text=True, timeout=60
    ).stdout
    return json.loads(printed)


@pytest.mark.parametrize(("query", "page"), _QUERIES.items(), ids=_QUERIES)
def test_search_ranks_the_page_first_or_second(query, page, found):
    assert page in found[query][:2], found[query][:5]


@pytest.mark.parametrize("query", _PROJECT)
def test_search_leads_past_the_pages_of_the_project(query, found):
    assert [page for page in found[query] if page.startswith("project/")] == []
