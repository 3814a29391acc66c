"""nginx that ends TLS and serves a mock below a prefix, as an Ingress does."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trustme
from load_balancer import is_listened_to, until
from ports import free_port

#: The prefix of all addresses that clients have.
PREFIX = "/brevo"
#: What the page on TLS shows.
_SERVER = (Path(__file__).parents[1] / "examples" / "tls" / "nginx.conf").read_text(encoding="utf-8")
#: What follows the address of the server in `proxy_pass`: with a slash, nginx replaces the prefix by it.
_PASSED = {"keeps": "", "strips": "/"}
_PATHS = "".join(f"{kind}_temp_path {kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
_FILE = """
daemon off; user root; pid nginx.pid; error_log stderr crit; worker_processes 1;
events {{ worker_connections 256; }}
http {{
access_log off;
{paths}{server}
}}
"""


class PrefixProxy:
    """An nginx on a free port, called by a name; `url` is the public root address of the server behind it."""

    def __init__(self, folder, name="localhost"):
        self._folder, self._name, self.port = folder, name, free_port()
        self.url = f"https://{name}:{self.port}{PREFIX}"
        self._authority = trustme.CA()
        #: The file of the authority that clients have to trust.
        self.ca = str(folder / "ca.pem")
        self._authority.cert_pem.write_to_path(self.ca)

    def start(self, server, prefix="keeps", *, host=True):
        """Start it before the server at an address; without `host` the server gets its own name as Host."""
        if shutil.which("nginx") is None:
            pytest.skip("nginx is not installed: apt-get install nginx-light")
        self._authority.issue_cert(self._name).private_key_and_cert_chain_pem.write_to_path(self._folder / "proxy.pem")
        passed = f"proxy_pass http://127.0.0.1:{urlsplit(server).port}{_PASSED[prefix]};"
        placed = {
            "listen 443 ssl;": f"listen 127.0.0.1:{self.port} ssl;",
            "mock.acme.test": self._name,
            "mock.pem": "proxy.pem",
            "mock.key": "proxy.pem",
            "proxy_pass http://127.0.0.1:8003;": f"{passed} proxy_set_header Host $http_host;" if host else passed,
        }
        text = _SERVER
        for old, new in placed.items():
            assert old in text, old
            text = text.replace(old, new)
        text = _FILE.format(paths=_PATHS, server=text)
        (self._folder / "nginx.conf").write_text(text, encoding="utf-8")
        self._process = subprocess.Popen(["nginx", "-c", self._folder / "nginx.conf", "-p", self._folder])
        until(lambda: is_listened_to(self.port), "nginx is ready")

    def trusting(self):
        """A client's context that trusts the proxy."""
        return ssl.create_default_context(cafile=self.ca)

    def stop(self):
        self._process.terminate()
        self._process.wait()
