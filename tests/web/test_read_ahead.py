"""Large bodies, which are read before their request has its workspace."""

import json

import pytest
from werkzeug.test import EnvironBuilder

from mockserver.core.contract.errors import ServiceError
from mockserver.web.endpoints.request import ServiceRequest, read_ahead, read_body
from mockserver.web.schemas import json_text

LARGE = json.dumps({"name": "x" * 20_000})


def request(body, limit=1_000_000):
    return ServiceRequest(EnvironBuilder(method="POST", data=body).get_environ(), limit)


def test_large_body_is_read_once_and_ahead(monkeypatch):
    found, calls = request(LARGE), []
    read = json_text.read
    monkeypatch.setattr(json_text, "read", lambda *args: calls.append(args) or read(*args))
    read_ahead(found)
    assert len(calls) == 1
    assert read_body(found) == json.loads(LARGE)
    assert len(calls) == 1


def test_errors_of_a_large_body_are_left_to_the_request():
    found = request(LARGE[:-1])
    read_ahead(found)
    with pytest.raises(ServiceError):
        read_body(found)


def test_body_over_the_limit_is_not_read_ahead():
    read_ahead(request(LARGE, limit=100))
