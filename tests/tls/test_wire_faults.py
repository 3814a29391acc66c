"""Faults of the wire over TLS: what a client sees of them is what it sees without."""

from __future__ import annotations

import os
import socket
import time

import httpx
import pytest
import requests
from tls_server import PATIENCE

#: How soon a client gives up on what hangs, in seconds.
SOON = 0.3
SEEN = {
    # The standard library has told a reset in the middle of a secured connection as an end in all versions up to 3.11.
    "connection_reset": (requests.ConnectionError, (httpx.ReadError, httpx.RemoteProtocolError)),
    "empty_response": (requests.ConnectionError, httpx.RemoteProtocolError),
    "truncated_body": (requests.exceptions.ChunkedEncodingError, httpx.RemoteProtocolError),
    "hang": (requests.ReadTimeout, httpx.ReadTimeout),
    "latency; ms=5000": (requests.ReadTimeout, httpx.ReadTimeout),
}


def request(fault):
    return f"GET /v3/senders HTTP/1.1\r\nHost: x\r\napi-key: any\r\nX-Mock-Fault: {fault}\r\n\r\n".encode()


def rest_of(connection):
    """Read what still comes, without regard to TLS, until the connection ends."""
    with socket.socket(fileno=os.dup(connection.fileno())) as plain:
        plain.settimeout(PATIENCE)
        while plain.recv(65536):
            pass


@pytest.mark.parametrize("fault", SEEN)
def test_client_libraries_see_no_answer(served, ca_file, fault):
    options = {"headers": {"api-key": "any", "X-Mock-Fault": fault}}
    options["timeout"] = SOON if SEEN[fault][1] is httpx.ReadTimeout else PATIENCE
    with pytest.raises(SEEN[fault][0]):
        requests.get(f"{served.url}/v3/senders", verify=ca_file, **options)
    with pytest.raises(SEEN[fault][1]):
        httpx.get(f"{served.url}/v3/senders", verify=served.trusting(), trust_env=False, **options)


@pytest.mark.parametrize("fault", ["latency; ms=30", "slow_body; ms=30"])
def test_a_client_that_waits_gets_the_whole_answer(served, ca_file, fault):
    began = time.perf_counter()
    headers = {"api-key": "any", "X-Mock-Fault": fault}
    found = requests.get(f"{served.url}/v3/senders", headers=headers, verify=ca_file, timeout=PATIENCE)

    assert time.perf_counter() - began >= 0.03
    assert (found.status_code, len(found.json()["senders"]) > 0) == (200, True)


def test_a_reset_is_a_reset_and_no_end_in_tls(served):
    with served.connect() as connection:
        connection.sendall(request("connection_reset"))
        with pytest.raises(ConnectionResetError):
            rest_of(connection)


def test_an_empty_answer_ends_as_tls_ends(served):
    with served.connect() as connection:
        connection.suppress_ragged_eofs = False
        connection.sendall(request("empty_response"))

        assert connection.recv(1) == b""


def test_a_receiver_resets_as_it_is_told(served):
    served.control("PUT", "/receivers/hook", {"reset": True})
    with served.connect() as connection:
        connection.sendall(b"GET /_mock/receiver/hook HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with pytest.raises(ConnectionResetError):
            rest_of(connection)
