"""An account of the service, played by a second mock in this process, and the answers of the first mock."""

from __future__ import annotations

import json

import pytest

from mockserver import MockServer
from mockserver.testing.drift import answer_of, ask_all, ask_mock, compare, scenario_of


@pytest.fixture(scope="session")
def ask_of():
    """Returns a function that asks an application without a socket."""

    def ask_of(api):
        def ask(path):
            found = api.get(path)
            return answer_of(found.status_code, found.mimetype, found.data)

        return ask

    return ask_of


@pytest.fixture(scope="session")
def drift():
    """Compares an account with the mock, which is asked once for each kind of account."""
    known = {}
    with MockServer("empty") as server:

        def drift(ask):
            asked = ask_all(ask)
            scenario = scenario_of(asked.answers)
            kind = json.dumps(scenario)
            if kind not in known:
                known[kind] = ask_mock(server.client, scenario)
            return {row.question: row for row in compare(asked, known[kind])}

        yield drift
