"""Where a request leads: its operation, its audience, its parameters, and the workspace that it names."""

import pytest
from flask import request

from mockserver import create_app
from mockserver.core.contract.operation import Audience
from mockserver.web.routing.address import DisagreementError, WorkspaceName, split_workspace

TOKEN = "/realms/partner/oauth/token"


@pytest.fixture(scope="module")
def route():
    app = create_app()

    def found(method, path, **options):
        with app.test_request_context(path, method=method, **options):
            return app.mock.service.endpoints.route(request)

    return found


def test_a_route_names_operation_and_parameters(route):
    found = route("PUT", "/v3/senders/7")

    assert (found.operation, dict(found.params), found.path) == ("updateSender", {"senderId": "7"}, "/v3/senders/7")


@pytest.mark.parametrize(
    ("path", "audience"),
    [
        ("/v3/senders", Audience.API), ("/v3/nowhere", Audience.API), ("/accounts", Audience.API),
        ("/realms/nowhere", Audience.OAUTH), ("/realms/partner/scopes", Audience.OAUTH),
        ("/account/nowhere", Audience.PAGE), ("/shared/nowhere", Audience.PAGE),
        ("/realms/partner/oauth/authorize", Audience.PAGE),
    ],
)  # fmt: skip
def test_a_route_has_the_audience_of_its_operation_or_of_its_address(route, path, audience):
    assert route("GET", path).audience is audience


@pytest.mark.parametrize("path", ["/_mock/health", "/_mock/nowhere"])
def test_the_control_api_is_no_route_of_the_service(route, path):
    assert route("GET", path) is None


@pytest.mark.parametrize(
    ("form", "operation"),
    [
        ({"grant_type": "authorization_code"}, "oauthTokenCode"),
        ({"grant_type": "refresh_token"}, "oauthTokenRefresh"),
        ({"grant_type": "client_credentials"}, "oauthTokenClientCredentials"),
        ({}, "oauthTokenCode"),
    ],
)
def test_a_member_of_the_form_selects_the_operation_of_a_shared_address(route, form, operation):
    assert route("POST", TOKEN, data=form).operation == operation


def test_a_form_that_cannot_be_read_leads_to_the_first_operation_of_its_address(route):
    assert route("POST", TOKEN, data="{}", content_type="application/json").operation == "oauthTokenCode"


@pytest.mark.parametrize(
    ("in_address", "in_header", "name"), [(None, None, None), ("a", None, "a"), (None, "b", "b"), ("a", "a", "a")]
)
def test_address_and_header_agree_on_a_workspace(in_address, in_header, name):
    assert WorkspaceName(in_address, in_header).agreed() == name


def test_address_and_header_that_name_different_workspaces_disagree():
    with pytest.raises(
        DisagreementError, match=r"^the address names workspace a, but X-Mock-Workspace names b; send one name only$"
    ):
        WorkspaceName("a", "b").agreed()


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/v3/senders", (None, "/v3/senders")), ("/w/team/v3/senders", ("team", "/v3/senders")),
        ("/w/team", ("team", "")), ("/w/", ("", "")), ("/wide", (None, "/wide")),
    ],
)  # fmt: skip
def test_an_address_is_split_into_workspace_and_path(path, found):
    assert split_workspace(path) == found
