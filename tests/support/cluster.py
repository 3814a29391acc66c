"""Servers that share one store, as processes, behind nginx that gives each request to the next of them."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from pathlib import Path

import requests
from load_balancer import until
from ports import free_port
from round_robin import RoundRobin
from server_process import ServerProcess
from wire import Wire

#: How long an answer may take, in seconds, beside what a request itself waits for; it is there in a moment.
PATIENCE_S = 30


class SharingServer:
    """A server on a store, always at the same port; what it writes to standard error is in its log."""

    def __init__(self, store, folder, *options):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = folder / f"{self.port}.log"
        self._options = ("--store", store, "--port", str(self.port), *options)
        self._process = None

    def start(self):
        """Begin to start it, after its last process has ended."""
        self.close()
        self._process = ServerProcess(*self._options, log=self._log)

    @property
    def pid(self):
        return self._process.pid

    @property
    def serves(self):
        """Whether it serves, ready or not; waits for that, and fails if it has ended."""
        return self._process.root == self.url

    def wait(self):
        """Wait until it is ready."""
        assert self.serves
        until(self.is_ready, f"the server at {self.url} is ready")

    def is_ready(self):
        try:
            return requests.get(f"{self.url}/_mock/readyz", timeout=PATIENCE_S).status_code == 200
        except requests.RequestException:
            return False

    def memory(self):
        """The bytes that it has in memory."""
        pages = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def kill(self):
        """End it at once, with all that it has in memory."""
        self._process.kill()

    def signal(self, number):
        self._process.signal(number)

    def stop(self):
        """Let it end by itself, which is waited for."""
        self._process.signal(signal.SIGTERM)
        assert self._process.ended() in (0, -signal.SIGTERM)

    def pause(self):
        """Let it stand still, as a machine does that is out of memory or moved."""
        self._process.signal(signal.SIGSTOP)

    def resume(self):
        self._process.signal(signal.SIGCONT)

    def ended(self):
        """Its exit status, which is waited for."""
        return self._process.ended()

    def told(self):
        """What it has written to standard error, which no traceback ever is."""
        text = self._log.read_text(encoding="utf-8") if self._log.exists() else ""
        assert "Traceback" not in text, text
        return text

    def close(self):
        if self._process is not None:
            self._process.close()
            self._process = None


class Cluster:
    """So many servers on a store; `url` is the address that their clients have, `servers` have one each as well."""

    def __init__(self, store, folder, count, *options):
        self.servers = [SharingServer(store, folder, *options) for _ in range(count)]
        self._balancer = RoundRobin(folder, [server.port for server in self.servers])
        self.url = self._balancer.urls[0]

    def __enter__(self):
        with ExitStack() as stack:
            for server in self.servers:
                stack.callback(server.close)
                server.start()
            for server in self.servers:
                server.wait()
            stack.enter_context(self._balancer)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()
        for server in self.servers:
            server.told()

    def ask(self, method, path, *, server=None, key=None, headers=None, **options):
        """A request on a connection of its own: to any server, or to a certain one."""
        root = self.url if server is None else server.url
        headers = {**(headers or {}), **({} if key is None else {"api-key": key})}
        return requests.request(method, f"{root}{path}", headers=headers, timeout=PATIENCE_S, **options)

    def make(self, *, server=None, **body):
        """A new workspace, as the answer describes it; a certain server may make it."""
        answer = self.ask("POST", "/_mock/workspaces", server=server, json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def create(self, made, number, server=None):
        """Create a sender, by its number, in a workspace that was made; return the answer."""
        body = {"name": "Jo", "email": f"s{number}@acme.test"}
        return self.ask("POST", "/v3/senders", server=server, key=made["api_key"], json=body)

    def wire(self, name, server=None):
        """A workspace on one connection, of which each request goes to the next server, or to a certain one."""
        return Wire(self.url if server is None else server.url, name)
