"""A history of requests, the same for every test that looks at what comes of it."""

import pytest

#: Method, path, and what else belongs to the request. It meets all that is counted: successes, refusals, faults of both
#: kinds, optional members, transitions by requests and by the clock, an address of no operation.
HISTORY = [
    ("GET", "/v3/senders", {}),
    ("GET", "/v3/senders?domain=acme.test&ip=198.51.100.7&page=2", {}),
    ("POST", "/v3/senders", {"json": {"name": "Ada", "email": "ada@example.test"}}),
    ("POST", "/v3/senders", {"json": {"name": "Ada", "email": "ada@example.test"}}),
    ("POST", "/v3/senders", {"json": {"name": "Ada"}}),
    ("PUT", "/v3/senders/1", {"json": {"name": "News again", "colour": "red"}}),
    ("PUT", "/v3/senders/999", {"json": {"name": "Nobody"}}),
    ("PUT", "/v3/senders/2/validate", {"json": {"otp": 999999}}),
    ("PUT", "/v3/senders/2/validate", {"json": {"otp": 123456}, "headers": {"X-Mock-Fault": "otp_expired"}}),
    ("PUT", "/v3/senders/2/validate", {"json": {"otp": 999999}, "headers": {"X-Mock-Fault": "latency; ms=1"}}),
    ("POST", "/_mock/clock/advance", {"json": {"by": "PT20M"}}),
    ("PUT", "/v3/senders/2/validate", {"json": {"otp": 123456}}),
    ("DELETE", "/v3/senders/1", {}),
    ("POST", "/v3/webhooks", {"json": {
        "url": "https://a.test/hook", "events": ["hardBounce"], "auth": {"type": "bearer", "token": "t"},
        "headers": [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}],
    }}),
    ("GET", "/v3/account", {"headers": {"X-Mock-Fault": "server_error"}}),
    ("GET", "/v3/nowhere", {}),
]  # fmt: skip


@pytest.fixture
def document():
    """A scenario with one sender that is verified, and one that waits for its code."""
    return {
        "accounts": [
            {
                "name": "acme",
                "api_keys": ["xkeysib-acme"],
                "senders": [
                    {"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"},
                    {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification",
                     "otp": 123456, "otp_expires_at": "PT15M"},
                ],
            }
        ]
    }  # fmt: skip


@pytest.fixture
def play():
    """Sends the history through an API."""

    def send(api, **options):
        for method, path, request in HISTORY:
            api.request(method, path, **{**request, **options})

    return send


@pytest.fixture
def played(make_api, document, play):
    """An API to which the history has happened."""
    api = make_api(document)
    assert api.delete("/_mock/coverage?workspace=*").status_code == 204
    play(api)
    return api


@pytest.fixture
def coverage():
    """Asks an API for its coverage."""

    def ask(api, query="", **options):
        answer = api.get(f"/_mock/coverage{query}", **options)
        assert answer.status_code == 200, answer.text
        return answer.json

    return ask
