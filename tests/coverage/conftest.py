"""A history of requests, the same for every test that looks at what comes of it."""

import pytest
from tables import tables

#: The tables of the tests by name.
CASES = tables(__file__)
#: Method, path, and what else belongs to the request. It meets all that is counted: successes, refusals, faults of both
#: kinds, optional members, transitions by requests and by the clock, an address of no operation.
HISTORY = CASES["history"]


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
