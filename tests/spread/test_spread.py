"""Each request of a workspace reaches the replica that has it, whatever names the workspace, and on any connection."""

from collections import Counter

import pytest
import requests

from mockserver import MockServer

pytestmark = pytest.mark.slow

#: What names a workspace: the path before an address, and the headers of the request.
WAYS = {
    "its address": lambda about: (f"/w/{about['name']}", {}),
    "its key": lambda about: ("", {"api-key": about["api_key"]}),
    "a header": lambda about: ("", {"X-Mock-Workspace": about["name"]}),
}
#: A workspace with an app that may have a token for itself.
WITH_APP = {
    "accounts": [{"name": "acme", "enterprise": True}],
    "oauth_apps": [{"client_id": "app", "client_secret": "s3cret", "scopes": ["account:read"]}],
}


@pytest.fixture(params=["drawn", "given"])
def about(request, spread):
    """A workspace with a drawn or a given name."""
    name = {} if request.param == "drawn" else {"name": f"jo-{spread.balancer}"}
    found = spread.make(**name)
    yield found
    spread.ask("DELETE", f"/_mock/workspaces/{found['name']}")


@pytest.mark.parametrize("way", WAYS)
def test_a_workspace_is_found_for_the_service_and_for_control_calls(spread, about, way):
    prefix, headers = WAYS[way](about)

    def ask(method, path, **options):
        return spread.ask(method, f"{prefix}{path}", headers={"api-key": about["api_key"], **headers}, **options)

    made = ask("POST", "/v3/senders", json={"name": "Jo", "email": "jo@acme.test"})
    seen = ask("GET", "/_mock/requests")

    assert made.status_code == 201
    assert [item["path"] for item in seen.json()["items"]] == ["/v3/senders"]


@pytest.mark.parametrize("way", ["its address", "a header"])
def test_a_name_says_more_than_a_key(spread, way):
    one, other = (spread.make_on(replica) for replica in spread.replicas[:2])
    prefix, headers = WAYS[way](one)

    answer = spread.ask("GET", f"{prefix}/v3/account", headers=headers, key=other["api_key"])

    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


def test_requests_on_one_connection_go_to_different_replicas(spread):
    made = [spread.make_on(replica) for replica in spread.replicas]

    with requests.Session() as session:
        for about in made * 2:
            answer = session.get(f"{spread.url}/v3/account", headers={"api-key": about["api_key"]}, timeout=30)
            assert answer.status_code == 200


def test_workspace_of_a_replica_is_shown_and_deleted_by_name(spread, about):
    address = f"/_mock/workspaces/{about['name']}"

    assert spread.ask("GET", address).json()["api_key"] == about["api_key"]
    assert spread.ask("DELETE", address).status_code == 204
    assert spread.ask("GET", address).status_code == 404


def test_a_given_name_is_made_once(spread):
    names = [f"once-{spread.balancer}-{number}" for number in range(6)]

    for name in names:
        answers = [spread.ask("POST", "/_mock/workspaces", json={"name": name}) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [201, 409, 409, 409]
    assert len({spread.place_of(name) for name in names}) > 1


def test_a_name_in_a_long_body_is_found_or_asked_for(spread):
    name = f"long-{spread.balancer}"
    body = {"scenario": {"description": "x" * 100_000}, "name": name}

    unseen = spread.ask("POST", "/_mock/workspaces", json=body)
    seen = spread.ask("POST", "/_mock/workspaces", json=body, headers={"X-Mock-Workspace": name})

    assert (unseen.status_code, seen.status_code) in [(201, 409), (421, 201)]
    assert spread.ask("GET", f"/w/{name}/_mock/clock").status_code == 200


@pytest.mark.parametrize("name", ["a\nX-Mock-Replica: 1", "", 7, None, ["x"], "é"])
def test_a_name_that_is_none_is_refused_by_the_mock(spread, name):
    answer = spread.ask("POST", "/_mock/workspaces", json={"name": name})

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "/name")


def test_a_given_name_is_not_made_where_it_would_not_be_found(spread):
    for replica in spread.replicas:
        headers = {"X-Mock-Replica": replica.name}
        answer = spread.ask("POST", "/_mock/workspaces", json={"name": "astray"}, headers=headers)
        assert answer.status_code == 400, answer.text


def test_drawn_names_are_made_by_all_replicas_in_turn(spread):
    made = Counter(spread.make()["name"].split("-")[1] for _ in range(12))

    assert set(made) == {"0", "1", "2"}


def test_a_key_that_a_test_made_up_has_one_workspace(spread):
    for number in range(6):
        key = f"made-up-{spread.balancer}-{number}"
        sent = [spread.ask("GET", "/v3/account", key=key).status_code for _ in range(4)]
        assert sent == [200] * 4
        assert spread.ask("GET", "/_mock/requests", key=key).json()["count"] == 4


def test_all_without_a_name_is_one_default_workspace(spread):
    before = spread.ask("GET", "/_mock/clock").json()["offset_s"]

    for _ in range(3):
        assert spread.ask("POST", "/_mock/clock/advance", json={"by": "PT1H"}).status_code == 200

    for path in ("/_mock/clock", "/w/default/_mock/clock"):
        assert round(spread.ask("GET", path).json()["offset_s"] - before) == 3 * 3600


def test_a_header_names_the_replica_that_is_meant(spread):
    for replica in spread.replicas:
        name = spread.make_on(replica)["name"]
        listed = spread.ask("GET", "/_mock/workspaces?limit=1000", headers={"X-Mock-Replica": replica.name}).json()

        assert name.startswith(f"w-{replica.name}-")
        assert name in [item["name"] for item in listed["items"]]


@pytest.mark.parametrize("place", ["0", "1", "2"])
def test_an_access_token_finds_its_workspace(spread, place):
    headers = {"X-Mock-Replica": place}
    name = spread.make(headers=headers, scenario=WITH_APP)["name"]
    form = {"grant_type": "client_credentials", "client_id": "app", "client_secret": "s3cret"}
    token = spread.ask("POST", f"/w/{name}/realms/partner/oauth/token", data=form).json()["access_token"]

    answers = [spread.ask("GET", "/v3/account", headers={"Authorization": f"Bearer {token}"}) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200] * 3


def test_stream_through_the_balancer_is_not_buffered(spread):
    about = spread.make()
    address = f"{spread.url}/w/{about['name']}/_mock/stream"

    with requests.get(address, stream=True, timeout=30) as stream:
        lines = stream.iter_lines(chunk_size=None)
        assert next(lines).startswith(b"id: ")
        spread.ask("GET", "/v3/account", key=about["api_key"])
        assert any(b"/v3/account" in line for line in lines)


def test_a_call_that_waits_hears_of_what_comes_on_another_connection(spread):
    with MockServer.connect(spread.url) as server:
        workspace = server.workspace()
        receiver = workspace.receiver()
        hook = {"url": receiver.url, "events": ["delivered"], "type": "transactional"}
        assert spread.ask("POST", "/v3/webhooks", key=workspace.api_key, json=hook).status_code == 201

        workspace.trigger("delivered", to="jo@acme.test")

        assert receiver.calls(count=1, wait=20)


def test_the_python_client_finds_what_it_made(spread):
    with MockServer.connect(spread.url) as server:
        given, drawn = server.workspace(name=f"client-{spread.balancer}"), server.workspace()

        for workspace in (given, drawn):
            workspace.clock.advance(days=365)
            assert workspace.requests.all() == []
            assert requests.get(f"{workspace.url}/account", headers={"api-key": workspace.api_key}).ok
