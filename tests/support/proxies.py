"""nginx and HAProxy in front of one server, with settings close to their defaults."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import contextmanager

import pytest
from load_balancer import is_listened_to, until
from ports import free_port
from round_robin import RoundRobin

#: What the location of nginx sets beside keep-alive to the server. By default nginx reads a whole body first.
_OF_NGINX = {
    "nginx": "",
    "nginx-unbuffered": "proxy_request_buffering off;",
    # As many sites have it for websockets: the server sees an offered upgrade.
    "nginx-upgrade": (
        "proxy_set_header Host $http_host; proxy_set_header Upgrade $http_upgrade; "
        "proxy_set_header Connection $http_connection;"
    ),
}
PROXIES = (*_OF_NGINX, "haproxy")
_HAPROXY = """
defaults
  mode http
  timeout connect 2s
  timeout client 1m
  timeout server 1m
frontend clients
  bind 127.0.0.1:{port}
  default_backend mock
backend mock
  server one 127.0.0.1:{server}
"""


@contextmanager
def proxy(name, folder, port):
    """Start a proxy in front of a port of loopback, and give the address that clients have.

    Args:
        name: one of `PROXIES`; the test is skipped if the program is not installed.
        folder: an empty folder for the files of the proxy.
        port: where the server listens.
    """
    if name in _OF_NGINX:
        with RoundRobin(folder, [port], more=_OF_NGINX[name]) as nginx:
            yield nginx.urls[0]
    else:
        with _haproxy(folder, port) as url:
            yield url


@contextmanager
def _haproxy(folder, server):
    if shutil.which("haproxy") is None:
        pytest.skip("haproxy is not installed: apt-get install haproxy")
    file, port = folder / "haproxy.cfg", free_port()
    file.write_text(_HAPROXY.format(port=port, server=server), encoding="utf-8")
    process = subprocess.Popen(["haproxy", "-db", "-f", file])
    try:
        until(lambda: is_listened_to(port), "haproxy is ready")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
