"""A stand-in for a container engine: of its HTTP API as much as Testcontainers asks for to start one container.

A container is the program in a process of its own, with the environment that the Dockerfile gives it; what is copied
into the container lies in a folder. `tests/containers` runs the same tests with a real engine, too, where there is one.
"""

import io
import json
import os
import re
import subprocess
import sys
import tarfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

DOCKERFILE = (Path(__file__).parents[2] / "Dockerfile").read_text(encoding="utf-8")
#: The environment of the image, but for the address at which it listens.
ENVIRONMENT = dict(re.findall(r"\b(MOCKSERVER_(?!HOST)\w+)=(\S+)", DOCKERFILE))
#: Where the server writes its port.
PORT_FILE = ENVIRONMENT["MOCKSERVER_PORT_FILE"].lstrip("/")
#: The command of the image's health check.
HEALTH = json.loads(re.search(r"^HEALTHCHECK .*CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[1])
#: The port that the image exposes.
PORT = int(re.search(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE)[1])


class Container:
    """A process in the place of a container."""

    def __init__(self, folder, asked):
        self.folder = Path(folder)
        self.asked = asked
        self.process = None
        (self.folder / "scenarios").mkdir()
        (self.folder / PORT_FILE).parent.mkdir(parents=True)

    def unpack(self, archive):
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(self.folder, filter="data")

    def start(self):
        self.log = (self.folder / "log").open("wb")
        self.process = self._run(self.asked.get("Cmd") or ["serve"], stdout=subprocess.DEVNULL, stderr=self.log)

    def execute(self, command):
        """The exit status of a command, and what it prints."""
        assert command[0] == "mockserver"
        done = self._run(command[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output, _ = done.communicate()
        return done.returncode, output

    def _run(self, arguments, **options):
        given = dict(pair.split("=", 1) for pair in self.asked.get("Env") or [])
        inside = {name: self._outside(value) for name, value in {**ENVIRONMENT, **given}.items()}
        outer = {name: value for name, value in os.environ.items() if not name.startswith("MOCKSERVER_")}
        outer["MOCKSERVER_PORT"] = "0"  # all containers share the ports of this machine
        return subprocess.Popen([sys.executable, "-m", "mockserver", *arguments], env={**outer, **inside}, **options)

    def _outside(self, value):
        return f"{self.folder}{value}" if value.startswith("/") else value

    @property
    def port(self):
        path = self.folder / PORT_FILE
        return int(path.read_text() or 0) if path.exists() else 0

    @property
    def status(self):
        if self.process is None:
            return "created"
        return "running" if self.process.poll() is None else "exited"

    def describe(self):
        ports = [{"HostIp": "0.0.0.0", "HostPort": str(self.port)}] if self.port else None
        return {
            "Id": self.id,
            "State": {"Status": self.status, "ExitCode": self.process.poll() if self.process else 0},
            "Config": {"Image": self.asked["Image"], "Tty": False, "Healthcheck": {"Test": ["CMD", *HEALTH]}},
            "HostConfig": {"NetworkMode": "default"},
            "NetworkSettings": {"Ports": {f"{PORT}/tcp": ports}},
        }

    def remove(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.log.close()


class Engine(ThreadingHTTPServer):
    """The engine: `images` are the names that it has, `containers` those that are there, by id."""

    daemon_threads = True

    def __init__(self, folder, images):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = Path(folder)
        self.images = images
        self.containers = {}
        self.executed = {}
        self.ids = count(1)

    @property
    def address(self):
        return f"tcp://127.0.0.1:{self.server_port}"


@contextmanager
def running_engine(*images):
    with TemporaryDirectory() as folder, Engine(folder, images) as engine:
        thread = threading.Thread(target=engine.serve_forever)
        thread.start()
        try:
            yield engine
        finally:
            for container in engine.containers.values():
                container.remove()
            engine.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    """The calls of https://docs.docker.com/reference/api/engine/ that Testcontainers makes."""

    def _answer_call(self):
        path = re.sub(r"^/v[\d.]+", "", urlsplit(self.path).path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        for pattern, call in _CALLS.items():
            found = re.fullmatch(pattern, f"{self.command} {path}")
            if found:
                status, answer = call(self.server, body, *found.groups())
                break
        else:
            status, answer = 501, {"message": f"the stand-in has no {self.command} {path}"}
        self._send(status, answer)

    do_GET = do_POST = do_PUT = do_DELETE = _answer_call  # noqa: N815  # names of the standard library

    def _send(self, status, answer):
        raw = isinstance(answer, bytes)
        content = answer if raw else json.dumps(answer).encode() if answer is not None else b""
        self.send_response(status)
        self.send_header("Content-Type", "application/vnd.docker.raw-stream" if raw else "application/json")
        self.send_header("Connection", "close")
        if not raw:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def frame(output):
    """What a program has printed to stderr, as the engine sends it."""
    return b"\x02\0\0\0" + len(output).to_bytes(4, "big") + output


def _image(engine, _, name):
    return (200, {"Id": "sha256:1"}) if name in engine.images else (404, {"message": f"No such image: {name}"})


def _create(engine, body):
    id_ = f"{next(engine.ids):064x}"
    folder = engine.folder / id_
    folder.mkdir()
    engine.containers[id_] = Container(folder, json.loads(body))
    engine.containers[id_].id = id_
    return 201, {"Id": id_, "Warnings": []}


def _put(engine, body, id_):
    engine.containers[id_].unpack(body)
    return 200, None


def _start(engine, _, id_):
    engine.containers[id_].start()
    return 204, None


def _describe(engine, _, id_):
    return 200, engine.containers[id_].describe()


def _prepare(engine, body, id_):
    if engine.containers[id_].status != "running":
        return 409, {"message": f"container {id_} is not running"}
    run = f"{next(engine.ids):064x}"
    engine.executed[run] = (id_, json.loads(body)["Cmd"])
    return 201, {"Id": run}


def _execute(engine, _, run):
    id_, command = engine.executed[run]
    status, output = engine.containers[id_].execute(command)
    engine.executed[run] = status
    return 200, frame(output)


def _executed(engine, _, run):
    return 200, {"ExitCode": engine.executed[run]}


def _logs(engine, _, id_):
    return 200, frame((engine.folder / id_ / "log").read_bytes())


def _remove(engine, _, id_):
    engine.containers.pop(id_).remove()
    return 204, None


_CALLS = {
    r"GET /version": lambda *_: (200, {"ApiVersion": "1.44"}),
    r"POST /images/create": lambda *_: (404, {"message": "pull access denied"}),
    r"GET /images/(.+)/json": _image,
    r"POST /containers/create": _create,
    r"PUT /containers/(\w+)/archive": _put,
    r"POST /containers/(\w+)/start": _start,
    r"GET /containers/(\w+)/json": _describe,
    r"POST /containers/(\w+)/exec": _prepare,
    r"POST /exec/(\w+)/start": _execute,
    r"GET /exec/(\w+)/json": _executed,
    r"GET /containers/(\w+)/logs": _logs,
    r"DELETE /containers/(\w+)": _remove,
}
