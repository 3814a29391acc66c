"""nginx that hands each request to the next replica, with no regard to what it is about."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from load_balancer import is_listened_to, until
from ports import free_port

_PROGRAM = "nginx"
#: Its workers stay who starts them, as nobody else may write to the folder of a test. One of them takes strict turns.
_HEAD = """
daemon off; user root; pid nginx.pid; error_log stderr crit; worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  client_max_body_size 0;
  large_client_header_buffers 8 64k;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $http_host;
  proxy_buffer_size 64k; proxy_buffers 8 64k; # for long headers
  proxy_buffering off; # what a fault lets trickle, trickles
  proxy_read_timeout 1h; # streams are silent for long
  proxy_connect_timeout 2s;
"""
_PATHS = "".join(f"  {kind}_temp_path {kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
_UPSTREAM = "  upstream replicas-{number} {{ {servers} keepalive 64; }}\n"
_SERVER = """\
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://replicas-{number}; proxy_next_upstream {retry}; {more} }}
  }}
"""


class RoundRobin:
    """An nginx before some groups of ports; `urls` are the addresses that their clients have, in the same order.

    What cannot be handed to a replica goes to the next one if `retry` is `error`, as nginx does by default; `off`: the
    client is told 502. `more` are further directives of each location.
    """

    def __init__(self, folder, *groups, retry="error", more=""):
        self._file = folder / "nginx.conf"
        ports = [free_port() for _ in groups]
        self.urls = [f"http://127.0.0.1:{port}" for port in ports]
        parts = [_HEAD, _PATHS]
        for number, (port, group) in enumerate(zip(ports, groups, strict=True)):
            servers = " ".join(f"server 127.0.0.1:{its} max_fails=0;" for its in group)
            parts += [
                _UPSTREAM.format(number=number, servers=servers),
                _SERVER.format(number=number, port=port, retry=retry, more=more),
            ]
        self._file.write_text("".join([*parts, "}\n"]), encoding="utf-8")
        self._ports = ports

    def __enter__(self):
        if shutil.which(_PROGRAM) is None:
            pytest.skip(f"{_PROGRAM} is not installed: apt-get install {_PROGRAM}-light")
        self._process = subprocess.Popen([_PROGRAM, "-c", self._file, "-p", self._file.parent])
        until(self._is_ready, f"{_PROGRAM} is ready")
        return self

    def _is_ready(self):
        assert self._process.poll() is None, f"{_PROGRAM} has ended"
        return all(map(is_listened_to, self._ports))

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
