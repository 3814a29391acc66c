"""The server as a process: how it starts, and what signals do to it."""

import json
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest


@pytest.fixture
def started(tmp_path):
    """The program itself, with the first line that it writes."""
    port_file = tmp_path / "port"
    command = [sys.executable, "-m", "mockserver", "serve", "--port", "0", "--port-file", str(port_file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process, process.stdout.readline().strip(), port_file
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_the_address_is_the_first_line_and_in_the_port_file(started):
    _, root, port_file = started

    assert root == f"http://127.0.0.1:{port_file.read_text().strip()}"
    with urllib.request.urlopen(f"{root}/_mock/health") as answer:
        assert json.load(answer)["scenario"] == "standard"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_in_the_moment_of_the_start_stops_it_without_a_word(number):
    """It comes while the loop is still being made."""
    command = [sys.executable, "-m", "mockserver", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.send_signal(number)
        _, told = process.communicate(timeout=10)

    assert (process.returncode, told) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("path", ["/_mock/mailbox?to=nobody&wait=30", "/_mock/stream"])
def test_a_signal_stops_it_within_two_seconds_whatever_hangs(started, number, path):
    process, root, _ = started
    port = int(root.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as waiting:
        waiting.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        with urllib.request.urlopen(f"{root}/_mock/health") as answer:
            assert answer.status == 200

        process.send_signal(number)

        assert process.wait(timeout=2) in (0, -number)


#: Serves, and tells in the end after how many collections of the newest objects the older ones come.
_COLLECTIONS = """
import atexit, gc
from mockserver.cli import main

atexit.register(lambda: print(gc.get_threshold()[1]))
main()
"""


def test_older_objects_are_looked_through_so_rarely_that_99_of_100_requests_meet_no_such_pause():
    command = [sys.executable, "-c", _COLLECTIONS, "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        told, _ = process.communicate(timeout=10)

    # A collection of the newest comes every hundred writes, and 16 clients wait for one of the older.
    assert 100 * int(told) > 100 * 16
