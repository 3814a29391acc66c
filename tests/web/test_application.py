"""The features of Flask that the application keeps, for programs that extend it."""

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
