"""The setting `public_url`: what it takes, and what a started server does with it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cli_runner import invoke

from mockserver import MockServer, Settings
from mockserver.settings import without_secrets

PUBLIC = "https://mock.acme.com/brevo"


@pytest.mark.parametrize(
    ("given", "root"),
    [
        (PUBLIC, PUBLIC), (f"{PUBLIC}/", PUBLIC), (f"{PUBLIC}/v3", PUBLIC), (f"{PUBLIC}/v3/", PUBLIC),
        ("https://mock.acme.com", "https://mock.acme.com"), ("http://[::1]:8003/", "http://[::1]:8003"),
        ("http://mock:65535/a/b_c~d.e-f", "http://mock:65535/a/b_c~d.e-f"), (f"{PUBLIC}/_mock", f"{PUBLIC}/_mock"),
        ("https://mock.acme.com/shared-mock", "https://mock.acme.com/shared-mock"),
        ("HTTPS://MOCK.Acme.com/Brevo", "https://mock.acme.com/Brevo"), ("http://mock_server:80", "http://mock_server:80"),
        ("http://127.0.0.1:8003", "http://127.0.0.1:8003"), ("https://mock.acme.com.", "https://mock.acme.com."),
    ],
)  # fmt: skip
def test_public_url_is_taken_without_final_slash_and_version(given, root):
    assert Settings(public_url=given).public_root == root


@pytest.mark.parametrize(
    "given",
    [
        "", "/", "/brevo", "mock.acme.com", "//mock.acme.com", "ftp://mock.acme.com", "https://", "https:///brevo",
        "https://user:secret@mock.acme.com", "https://mock.acme.com?x=1", "https://mock.acme.com/brevo#x",
        "https://mock.acme.com/a b", "https://mock.acme.com/../a", "https://mock.acme.com//a", "https://bücher.test",
        "https://mock.acme.com/a%20b", "https://mock.acme.com:0", "https://mock.acme.com:65536", "https://a.test\nb",
        "https://mock.acme.com/_mock", "https://mock.acme.com/w/shop", "https://mock.acme.com/shared/x",
        "https://mock.acme.com/account", "https://mock.acme.com/realms", "https://mock.acme.com/v3/x", "https://.",
        "https://a..test", "https://-a.test", "https://a-.test", f"https://{'a' * 64}.test", f"https://{'a.' * 127}b",
        "https://[1.2.3.4]", "https://[:::]", "https://1.2.3.400", "https://a.1",
    ],
)  # fmt: skip
def test_other_values_are_refused_with_what_is_expected(given):
    with pytest.raises(ValueError, match=r"public_url must be an absolute http or https URL such as .*, not '"):
        Settings(public_url=given)


def test_refusal_names_the_characters_that_a_path_can_have():
    with pytest.raises(
        ValueError, match=r"whose path has only letters, digits and -\._~.*, not 'https://a\.test/a%20b'"
    ):
        Settings(public_url="https://a.test/a%20b")


def test_flag_and_variable_are_refused_as_the_program_is_used():
    flag = invoke(["serve", "--port", "0", "--public-url", "mock.acme.com"])
    variable = invoke(["serve", "--port", "0"], {"MOCKSERVER_PUBLIC_URL": "https://mock.acme.com?x"})

    assert (flag.exit_code, variable.exit_code) == (2, 2)
    assert "'mock.acme.com' is no public address: it must be an absolute http or https URL" in flag.stderr
    assert "'https://mock.acme.com?***' is no public address" in variable.stderr


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("https://u:hunt3r@a.test", "https://***@a.test"), ("ftp://u:hunt3r@", "ftp://***@"), ("memory", "memory"),
        ("https://a.test/x?token=hunt3r", "https://a.test/x?***"), ("https://a.test#hunt3r", "https://a.test?***"),
        ("rediss:/u:hunt3r@h", "***@h"), ("http://u:hunt3r/@b@c", "http://***@c"), ("hunt3r@a://b", "***@a://b"),
    ],
)  # fmt: skip
def test_refused_addresses_are_shown_without_secrets(given, shown):
    assert without_secrets(given) == shown
    address = invoke(["serve", "--port", "0", "--public-url", given])
    store = invoke(["serve", "--port", "0", "--store", given if given != "memory" else "x"])
    url = invoke(["workspaces", "list", "--url", given])

    assert 0 not in (address.exit_code, store.exit_code, url.exit_code)
    assert "hunt3r" not in address.output + address.stderr + store.output + store.stderr + url.output + url.stderr


def test_server_prints_where_it_listens_and_then_its_public_address():
    command = [sys.executable, "-m", "mockserver", "serve", "--port", "0", "--public-url", f"{PUBLIC}/"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        here, public = (server.stdout.readline().strip() for _ in range(2))
        found = invoke(["env", "--url", here])
        server.terminate()

    assert (here[:17], public) == ("http://127.0.0.1:", PUBLIC)
    assert f"export MOCKSERVER_URL={PUBLIC}\n" in found.output


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::"])
def test_webhook_to_a_public_receiver_needs_no_proxy(host):
    with MockServer(public_url=PUBLIC, host=host) as server:
        receiver = server.default.receiver("shop")
        server.default.seed({"webhooks": [{"url": receiver.url, "events": ["delivered"]}]})
        server.default.trigger("delivered", to="jo@acme.test")

        assert receiver.url == f"{PUBLIC}/_mock/receiver/shop"
        assert len(receiver.calls(count=1, wait=20)) == 1


@pytest.mark.parametrize("path", ["/hooks", "/_mock/receivers", "/v3/webhooks"])
def test_other_webhooks_below_the_public_address_are_not_led_to_the_server(path):
    with MockServer(public_url="http://mock.acme.test/brevo") as server:
        server.default.seed({"webhooks": [{"url": f"http://mock.acme.test/brevo{path}", "events": ["delivered"]}]})
        server.default.trigger("delivered", to="jo@acme.test")
        (delivery,) = server.default.deliveries.all(state="retrying", wait=20)

        assert delivery.attempts[0].status is None
