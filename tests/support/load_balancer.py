"""Three replicas of the mock as processes, behind HAProxy or nginx with the configurations that the guide ships."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import requests
from ports import free_port

_EXAMPLES = Path(__file__).parents[2] / "docs" / "_static"
#: How a balancer is started, with the file that tells it all; each stays in the foreground.
BALANCERS = {
    "haproxy": ("haproxy.cfg", ["haproxy", "-db", "-f", "{file}"]),
    "nginx": ("nginx.conf", ["nginx", "-c", "{file}", "-p", "{folder}", "-g", "{extra}"]),
}
#: What nginx is told beside its file. Its workers stay who starts them: nobody else may write to the test's folder.
_NGINX = "daemon off; user root; pid nginx.pid; error_log stderr warn;"
#: Where nginx keeps what is long, in the folder of the test.
_KEPT = "".join(f"{kind}_temp_path {kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
#: How many seconds anything here may take; it is done in a moment.
_PATIENCE_S = 30


def is_listened_to(port):
    """Whether something listens on a port of loopback."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
        return True
    return False


def until(condition, what):
    """Wait until a condition holds, and return what it then gives; a test fails that waits for too long."""
    end = time.monotonic() + _PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < end, f"{what} within {_PATIENCE_S} s"
        time.sleep(0.02)
    return found


def _is_ready(url):
    try:
        return requests.get(f"{url}/_mock/readyz", timeout=5).status_code == 200
    except requests.RequestException:
        return False


class Replica:
    """A process that serves one replica, always at the same port."""

    def __init__(self, name):
        self.name, self.port = name, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self):
        outer = {name: value for name, value in os.environ.items() if not name.startswith("MOCKSERVER_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mockserver", "serve", "--port", str(self.port), "--replica", self.name,
             "--keys", "isolate", "--log-format", "off"],
            stdout=subprocess.DEVNULL, env=outer,
        )  # fmt: skip

    def wait(self):
        until(lambda: _is_ready(self.url), f"replica {self.name} is ready")

    def kill(self):
        """End it at once, with all that it has in memory."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


class Spread:
    """Replicas and what stands before them; `url` is the address that clients have."""

    def __init__(self, balancer, replicas, folder):
        self.balancer, self.replicas, self.folder = balancer, replicas, folder
        self.port, self.admin = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self):
        file, command = BALANCERS[self.balancer]
        (self.folder / file).write_text(self._placed((_EXAMPLES / file).read_text(encoding="utf-8")), encoding="utf-8")
        words = {"file": self.folder / file, "folder": self.folder, "extra": _NGINX}
        self.process = subprocess.Popen([word.format(**words) for word in command])
        try:
            until(lambda: _is_ready(self.url), f"{self.balancer} is ready")
        except BaseException:
            self.stop()
            raise

    def _placed(self, text):
        """The configuration with the ports of this test, and on loopback only."""
        for replica in self.replicas:
            text = text.replace(f"replica-{replica.name}:8003", f"127.0.0.1:{replica.port}")
        text = re.sub(r"replica-\d:8003", "127.0.0.1:9", text)  # those that this test does without
        text = re.sub(r"(bind |listen )\D*8003", rf"\g<1>127.0.0.1:{self.port}", text).replace(
            ":9999", f":{self.admin}"
        )
        return text.replace("http {\n", f"http {{\n{_KEPT}", 1)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def ask(self, method, path, *, key=None, **options):
        """A request on a connection of its own, as of a client that is tied to nothing."""
        headers = {**options.pop("headers", {}), **({} if key is None else {"api-key": key})}
        return requests.request(method, f"{self.url}{path}", headers=headers, timeout=_PATIENCE_S, **options)

    def make(self, headers=None, **body):
        """A new workspace, as the answer describes it."""
        answer = self.ask("POST", "/_mock/workspaces", json=body, headers=headers or {})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def place_of(self, name):
        """The replica that has a workspace."""
        (found,) = [
            replica
            for replica in self.replicas
            if requests.get(f"{replica.url}/_mock/workspaces/{name}", timeout=_PATIENCE_S).status_code == 200
        ]
        return found

    def make_on(self, replica):
        """A new workspace on a certain replica."""
        return self.make(headers={"X-Mock-Replica": replica.name})
