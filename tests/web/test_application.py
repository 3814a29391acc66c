"""The features of Flask that the application keeps, for programs that extend it."""

import subprocess
import sys

from flask import request_tearing_down


def test_functions_of_teardown_run_after_each_request(api):
    errors = []
    api.app.teardown_request(errors.append)

    api.get("/v3/senders")
    api.get("/_mock/health")

    assert errors == [None, None]


def test_the_signal_of_teardown_is_sent_to_its_receivers(api):
    senders = []

    with request_tearing_down.connected_to(lambda sender, exc: senders.append(sender)):
        api.get("/v3/senders")

    assert senders == [api.app]


def test_the_control_api_is_made_when_it_is_first_asked_for(api):
    assert api.get("/v3/senders").status_code == 200
    before = len(api.app.components)

    assert api.get("/_mock/health").status_code == 200
    assert len(api.app.components) == before + 1


def test_a_server_that_is_asked_for_the_service_alone_imports_no_control_call():
    program = """
import sys
from mockserver import create_app
assert create_app().test_client().get("/v3/senders", headers={"api-key": "any"}).status_code == 200
print([name for name in sys.modules if name.startswith("mockserver.control.traffic")])
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_functions_before_and_after_run_for_control_calls(api):
    called = []
    api.app.before_request(lambda: called.append("before"))
    api.app.after_request(lambda response: called.append("after") or response)

    api.get("/_mock/health")

    assert called == ["before", "after"]
