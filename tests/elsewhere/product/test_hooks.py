"""The service calls a Flask application of the product."""

import threading

import pytest
from hooks import address, create_app
from werkzeug.serving import make_server


@pytest.fixture
def hooks():
    """The events that the application has been told, and its address."""
    seen = []
    server = make_server("127.0.0.1", 0, create_app(seen), threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield seen, address(server.server_port)
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_event_is_told(hooks, brevo, mockserver):
    seen, url = hooks
    brevo.add_webhook(url)

    mockserver.trigger("delivered", to="ada@acme.test")

    assert mockserver.deliveries.all(state="delivered", wait=5)
    assert seen == ["delivered"]
