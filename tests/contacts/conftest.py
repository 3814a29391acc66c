"""Calls about contacts, in a workspace whose clock stands still."""

from __future__ import annotations

import pytest

START = "2026-01-15T09:00:00Z"


class Contacts:
    """Calls about contacts of the first account, or of the one whose key is given."""

    def __init__(self, api):
        self.api = api

    def call(self, method, path, body=None, key="any"):
        """The status and the body of an answer; for a refusal its code and message."""
        options = {} if body is None else {"json": body}
        answer = self.api.request(method, f"/v3/contacts{path}", key=key, **options)
        if answer.status_code < 400:
            return answer.status_code, answer.json if answer.data else None
        return answer.status_code, (answer.json["code"], answer.json["message"])

    def get(self, path=""):
        status, found = self.call("GET", path)
        assert status == 200, found
        return found

    def made(self, path, **body):
        status, found = self.call("POST", path, body)
        assert status == 201, found
        return found["id"]

    def contact(self, email, **members):
        return self.made("", email=email, **members)

    def list(self, name="News", folder=1):
        return self.made("/lists", name=name, folderId=folder)

    def done(self, method, path, body=None):
        assert self.call(method, path, body) == (204, None)


@pytest.fixture
def contacts(make_api):
    return Contacts(make_api({"clock": {"start": START, "frozen": True}, "seed": 7}))
