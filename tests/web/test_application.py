"""The features of Flask that the application keeps, for programs that extend it."""

import contextlib
import subprocess
import sys
import urllib.error
import urllib.request
from fractions import Fraction
from types import SimpleNamespace

import flask
import pytest
from flask import Blueprint, request_tearing_down

from mockserver.app.runtime import Runtime
from mockserver.web.application import LeanFlask
from mockserver.web.components import component
from mockserver.web.server.server import bind


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
    assert len(api.app.components) > before


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


@pytest.fixture
def extended(api):
    """An application with an address and functions of a program of its own, and what was called of them."""
    called = []
    pages = Blueprint("pages", __name__)
    pages.add_url_rule("/pages/<name>", "page", lambda name: f"page {name}")
    pages.add_url_rule("/v3/pages", "pages", lambda: f"pages at {flask.request.path}")
    api.app.register_blueprint(pages)
    api.app.before_request(lambda: called.append("before"))
    api.app.after_request(lambda response: called.append("after") or response)
    return api, called


@pytest.mark.parametrize("path", ["/folders/a", "/folders/a%2Fb"])
def test_an_address_of_a_program_that_lacks_its_final_slash_is_not_found(api, path):
    api.app.add_url_rule("/folders/<name>/", view_func=lambda name: name, endpoint="folder")

    assert api.get(f"{path}/").status_code == 200
    assert api.get(path).status_code == 404


@pytest.mark.parametrize(("path", "body"), [("/pages/1", "page 1"), ("/v3/pages", "pages at /v3/pages")])
def test_an_address_of_a_program_is_answered_by_it_between_its_functions(extended, path, body):
    api, called = extended

    assert api.get(path).text == body
    assert called == ["before", "after"]


@pytest.mark.parametrize("path", ["/v3/senders", "/v3/nowhere", "/shared/none"])
def test_an_address_of_the_service_is_answered_without_functions_of_a_program(extended, path):
    api, called = extended

    assert api.get(path).headers["sib-request-id"]
    assert called == []


def test_middleware_sees_requests_for_the_service(api):
    seen, inner = [], api.app.wsgi_app
    api.app.wsgi_app = lambda environ, start: seen.append(environ["PATH_INFO"]) or inner(environ, start)

    assert api.get("/v3/senders").status_code == 200
    assert seen == ["/v3/senders"]


def test_slashes_before_the_first_segment_count_as_one(api):
    path = {"PATH_INFO": "//realms/partner/oauth/token"}

    found = api.post("/", data={"grant_type": "password"}, environ_overrides=path)

    assert found.json["error"] == "unsupported_grant_type"


def test_middleware_may_change_each_request(api):
    inner = api.app.wsgi_app
    numbers = iter(range(3))

    def numbered(environ, start):
        number = next(numbers)
        environ["HTTP_X_NUMBER"] = str(number)
        environ["PATH_INFO"] = f"/v3/senders/{number}/ips"
        return inner(environ, start)

    api.app.wsgi_app = numbered
    with Runtime(api.app, bind("127.0.0.1", 0)) as running:
        for _ in range(3):
            request = urllib.request.Request(f"{running.url}/v3/senders", headers={"api-key": "any"})
            with contextlib.suppress(urllib.error.HTTPError), urllib.request.urlopen(request):
                pass

    seen = [(row.path, dict(row.headers)["x-number"]) for row in api.workspace.journal]
    assert seen == [(f"/v3/senders/{number}/ips", str(number)) for number in (2, 1, 0)]


def test_view_finds_the_components_of_its_own_application_by_their_types():
    apps = []
    for name, number in (("one", 1), ("two", 2)):
        app = LeanFlask("test")
        app.add_component(SimpleNamespace(name=name))
        app.add_component(Fraction(number))
        app.add_url_rule("/", view_func=lambda: f"{component(SimpleNamespace).name} {component(Fraction)}")
        apps.append(app)

    assert [app.test_client().get("/").text for app in apps] == ["one 1", "two 2"]
