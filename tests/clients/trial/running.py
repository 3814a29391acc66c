"""Runs a program on trial in a workspace, and returns what lint finds."""

from __future__ import annotations

import atexit
import os
import random
import shutil
import subprocess
import tempfile
import threading
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import NamedTuple

import requests
from clients.trial.table import DOCUMENT

#: How often a colleague reads at most: the journal keeps the requests of the program.
_READS = 200
#: How long a program may take, in seconds; chosen: more than the longest hang of a test.
_PATIENCE_S = 50


class Trial(NamedTuple):
    """What a program has done, and what was found."""

    findings: list
    #: The operation of each request by its id.
    operations: dict[str, str | None]
    #: The statuses of all answers.
    statuses: set[int | None]


def try_program(server, program, seed, *, hang_ms):
    """Run a program in a new workspace, beside a colleague who reads something else."""
    draw = random.Random(f"{program} {seed}")
    with server.workspace(DOCUMENT) as workspace:
        for fault in program.faults:
            workspace.faults.add(**fault, **({"ms": hang_ms} if fault["fault"] == "hang" else {}))
        ended = threading.Event()
        threads = [_start(_run, program, workspace, seed)]
        if draw.random() < 0.5:
            colleague = _start(_read_beside, workspace, draw.uniform(0.005, 0.05), ended)
            threads.append(colleague)
        if program.is_receiver:
            _call(workspace, draw)
        threads[0].join(_PATIENCE_S)
        assert not threads[0].is_alive(), f"{program} has not ended"
        ended.set()
        for thread in threads:
            thread.join()
        rows = workspace.requests.all()
        return Trial(workspace.findings(), {row.id: row.operation for row in rows}, {row.status for row in rows})


def root_of(workspace):
    return workspace.url.removesuffix("/v3")


def _start(function, *arguments):
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


def _run(program, workspace, seed):
    way = [program.way] if program.way else []
    if program.path.suffix == ".py":
        _main(program.path)(root_of(workspace), seed, *way)
        return
    environment = {**os.environ, "MOCKSERVER_URL": root_of(workspace), "SEED": str(seed), "NO_PROXY": "*"}
    command = [_built(program.path)] if program.path.suffix == ".go" else ["node", program.path]
    subprocess.run([*command, *way], env=environment, check=True, timeout=_PATIENCE_S)


@cache
def _built(path):
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    subprocess.run(["go", "build", "-o", folder, path], cwd=folder, check=True)
    return folder / path.stem


@cache
def _main(path):
    spec = spec_from_file_location(f"trial_{path.parent.name}_{path.stem}", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main


def _read_beside(workspace, pause, ended):
    """Read with another client, as a test may do while the program runs."""
    with requests.Session() as session:
        session.headers.update({"api-key": "any", "User-Agent": "colleague/1"})
        for _ in range(_READS):
            if ended.wait(pause):
                return
            session.get(f"{workspace.url}/inbound/events", timeout=10)


def _call(workspace, draw):
    """Trigger an event, put the receiver of its call on trial, and end the program."""
    workspace.requests.wait(30, operation="createWebhook")
    workspace.trigger("delivered", to="first@example.test")
    [made] = workspace.deliveries.all(state="delivered", wait=10)
    kinds = ["forged", "duplicated", "late"]
    draw.shuffle(kinds)
    for kind in kinds:
        workspace.deliveries.redeliver(made.id, as_=kind)
    workspace.trigger("delivered", to="last@example.test")
