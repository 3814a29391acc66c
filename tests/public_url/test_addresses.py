"""Every address that the server writes leads through the proxy to the server."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

import pytest
import yaml
from cli_runner import invoke
from web_page import links

#: Addresses in texts, by the ports of this machine.
_URL = re.compile(r"https?://(?:localhost|127\.0\.0\.1):(\d+)[^\s\"'<>)\\,;&]*")


@pytest.fixture
def written(public):
    """Finds the addresses of the server and of the proxy in a text."""
    ports = {str(public.proxy.port), str(urlsplit(public.server.client.url).port)}
    return lambda text: {found[0] for found in _URL.finditer(text) if found[1] in ports}


@pytest.fixture
def root(public, workspace):
    """The public root address of the workspace."""
    return public.url if workspace.name == "default" else f"{public.url}/w/{workspace.name}"


@pytest.fixture
def api(public, workspace, root):
    """Calls an operation of the service through the proxy, with a key of the workspace."""

    def call(method, path, **options):
        answer = public.http.request(method, f"{root}/v3{path}", headers={"api-key": workspace.api_key}, **options)
        assert answer.ok, answer.text
        return answer

    return call


def test_workspace_record_has_the_public_address(public, workspace, root):
    for ask in (public.server.client.url, public.url):
        record = public.http.get(f"{ask}/_mock/workspaces/{workspace.name}").json()

        assert record["url"] == f"{root}/v3"
    made = public.http.post(f"{public.server.client.url}/_mock/workspaces").json()
    assert made["url"] == f"{public.url}/w/{made['name']}/v3"
    public.follow(f"{made['url']}/account", headers={"api-key": made["api_key"]})


def test_handles_have_public_addresses_and_make_their_calls_directly(public, workspace, root):
    assert (public.server.url, workspace.url) == (public.url, f"{root}/v3")
    assert workspace.auth_url == f"{root}/realms/partner/oauth"
    public.follow(workspace.dashboard_url)
    assert public.server.client.url.startswith("http://127.0.0.1:")
    connected = type(public.server).connect(public.server.client.url)
    assert (connected.url, connected.default.url) == (public.url, f"{public.url}/v3")
    connected.stop()


def test_handles_and_commands_reach_the_server_by_its_public_address(public, workspace, root):
    connected = type(public.server).connect(public.url, ca=public.proxy.ca)
    found = next(row for row in connected.workspaces() if row.name == workspace.name)
    words = ["env", "--url", public.url, "--workspace", workspace.name]
    printed = invoke(words, {"MOCKSERVER_CA": public.proxy.ca}).output
    connected.stop()

    assert found.url == workspace.url
    assert f"export MOCKSERVER_URL={public.url}\nexport BREVO_API_URL={root}/v3\n" in printed


def test_export_link_is_public(api, public, workspace):
    asked = {"type": "transactional", "event": "allEvents", "notifyURL": "https://app.test/hook"}
    process = api("POST", "/webhooks/export", json=asked).json()["processId"]
    workspace.clock.advance("PT1H")

    assert public.follow(workspace.machines.get("export", process).secrets["url"]).text.startswith("webhook_id,")


def test_notification_of_an_export_links_to_the_public_address(api, public, workspace, written):
    receiver = workspace.receiver("exports")
    asked = {"type": "transactional", "event": "allEvents", "notifyURL": receiver.url}
    api("POST", "/webhooks/export", json=asked)
    workspace.clock.advance("PT1H")

    (call,) = receiver.calls(count=1, wait=20)
    for url in written(json.dumps(call.body)):
        public.follow(url)


def test_webhook_reaches_the_receiver_of_its_public_address(public, workspace):
    receiver = workspace.receiver("shop")
    assert receiver.url.startswith(f"{public.url}/")
    workspace.seed({"webhooks": [{"url": receiver.url, "events": ["delivered"]}]})
    workspace.trigger("delivered", to="jo@acme.test")

    receiver.calls(count=1, wait=20)
    assert public.http.post(receiver.url, json={}).status_code == 200


def test_shared_template_is_public(api, public, workspace):
    url = api("GET", "/emailCampaigns/11/sharedUrl").json()["sharedUrl"]
    page = public.follow(url)

    frames = re.findall(r'<iframe [^>]*src="(.*?)"', page.text)
    assert frames
    for frame in frames:
        public.follow(f"{url.rsplit('/', 1)[0]}/{frame}" if "://" not in frame else frame)


@pytest.mark.parametrize("path", ["/_mock/openapi.json", "/_mock/openapi.yaml", "/_mock/control.json"])
def test_documents_name_the_public_server(public, workspace, root, path):
    for ask in (public.url, public.server.client.url):
        below = "" if workspace.name == "default" else f"/w/{workspace.name}"
        found = yaml.load(public.http.get(f"{ask}{below}{path}").text, yaml.CSafeLoader)

        assert found["servers"] == [{"url": root}]
        assert list(found).count("servers") == 1


def test_welcome_har_findings_and_report_have_public_addresses(api, public, workspace, root, written):
    api("GET", "/senders")
    public.http.get(f"{root}/v3/senders/5?limit=x", headers={"api-key": workspace.api_key, "api_key": "x"})
    texts = {
        path: public.http.get(f"{root}{path}", headers={"Accept": accept}).text
        for path, accept in (
            ("/", "text/plain"), ("/_mock/requests", "application/json"), ("/_mock/requests?format=har", "*/*"),
            ("/_mock/findings", "application/json"), ("/_mock/report", "application/json"), ("/_mock/health", "*/*"),
            ("/_mock/mailbox", "*/*"), ("/_mock/report?format=text", "*/*"), ("/_mock/llms.txt", "*/*"),
        )
    }  # fmt: skip
    assert written(texts["/"])
    assert written(texts["/_mock/health"]) == {public.url}
    for path, text in texts.items():
        for url in written(text):
            assert url.startswith(public.url), (path, url)
            if "/_mock/clock/advance" not in url and not url.endswith(("/reset", "/5?limit=x")) and url != public.url:
                public.follow(url, headers={"api-key": workspace.api_key})


def test_env_prints_the_public_address(public, workspace, root):
    found = invoke(["env", "--url", public.server.client.url, "--workspace", workspace.name])

    assert f"export MOCKSERVER_URL={public.url}\n" in found.output
    assert f"export BREVO_API_URL={root}/v3\n" in found.output
    assert f"export BREVO_BASE_URL={root}/v3\n" in found.output


def test_receivers_command_prints_public_addresses(public, workspace, root):
    workspace.receiver("shop").answer(200)
    words = ["receivers", "list", "--url", public.server.client.url, "--workspace", workspace.name]

    assert f"{root}/_mock/receiver/shop" in invoke(words).output


def test_all_pages_lead_through_the_proxy_and_show_public_addresses(api, public, workspace, root, written):
    """Each page of each kind, and all links, scripts and styles of them."""
    api("POST", "/senders", json={"name": "Jo", "email": "jo@acme.test"})
    api("GET", "/senders")
    workspace.receiver("shop").answer(200)
    workspace.trigger("delivered", to="jo@acme.test")
    workspace.faults.add("server_error", times=1)
    left, seen, shown = [f"{root}/_mock/ui/requests", f"{root}/_mock/docs"], set(), set()
    while left:
        url = left.pop().partition("#")[0]
        kind = re.sub(r"/[^/]*\d[^/]*", "/*", url.removeprefix(root).partition("?")[0])
        if kind in seen or not url.startswith(f"{root}/_mock/"):
            continue
        seen.add(kind)
        answer = public.follow(url)
        if answer.headers["Content-Type"].startswith("text/html"):
            shown |= written(answer.text)
            left += links(answer.text, answer.url)
    assert len(seen) > 40
    assert {url for url in shown if not url.startswith(public.url)} == set()
    assert any(url.startswith(f"{root}/v3/senders") for url in shown)
