"""The mock for Django's tests: a server for each process, a workspace for each test."""

import os
from functools import cache

from django.test import override_settings

from mockserver import MockServer


@cache
def server():
    """The server that MOCKSERVER_URL names, or one in this process: each process of `--parallel` has its own."""
    url = os.environ.get("MOCKSERVER_URL")
    return MockServer.connect(url) if url else MockServer()


class WithMock:
    """What a test case inherits, before Django's own class, to have `self.mock`."""

    scenario = "onboarding"

    def setUp(self):
        super().setUp()
        self.mock = self.enterContext(server().workspace(self.scenario))
        self.enterContext(override_settings(BREVO_BASE_URL=self.mock.url, BREVO_API_KEY=self.mock.api_key))
