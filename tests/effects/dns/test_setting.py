"""`--dns-resolver`: which servers can be named, and what naming one costs."""

import subprocess
import sys

import pytest
from cli_runner import invoke

from mockserver import Settings, create_app
from mockserver.effects.addresses import dns_server


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("127.0.0.1:5353", ("127.0.0.1", 5353)), ("127.0.0.1", ("127.0.0.1", 53)), ("[::1]:53", ("::1", 53)),
        ("[fd00::53]", ("fd00::53", 53)), ("::1", ("::1", 53)), ("coredns:1053", ("coredns", 1053)),
        ("dns_1.internal", ("dns_1.internal", 53)),
    ],
)  # fmt: skip
def test_a_server_is_a_host_and_perhaps_a_port(text, server):
    assert dns_server(text) == server


@pytest.mark.parametrize(
    "text",
    [
        "", ":53", "localhost:", "localhost:0", "localhost:65536", "localhost:dns", "udp://localhost:53", "two words",
        "53", "1.2.3", "1.2.3.256:53", "[1.2]:53", "[::g]:53", "[::1", "a:b:53", "münchen.test",
    ],
)  # fmt: skip
def test_invalid_resolver_address_is_a_usage_error(text):
    answer = invoke(["serve", "--port", "0", "--dns-resolver", text])

    assert (answer.exit_code, f"{text!r} must be HOST:PORT" in answer.output) == (2, True)


def test_dnspython_is_not_imported_before_a_dns_query():
    program = """
import sys
from mockserver import Settings, create_app
create_app(Settings(dns_resolver="127.0.0.1:53")).test_client().get("/v3/senders", headers={"api-key": "any"})
sys.exit("dns" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_invalid_resolver_setting_raises_in_python():
    with pytest.raises(ValueError, match="DNS resolver 'nowhere:' must be HOST:PORT"):
        create_app(Settings(dns_resolver="nowhere:"))
