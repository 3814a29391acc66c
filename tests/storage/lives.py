"""The lives of a server that is killed again and again, on one file, and what is held after each."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random

from storage.crowd import Crowd
from storage.history import History
from storage.moments import Moment
from storage.promises import Promises
from storage.server_process import ServerProcess
from webhook_receiver import WebhookReceiver

from mockserver import Settings, create_app

#: What an answer promises: `background` that what it has changed is kept a second later, `always` that it is kept. The
#: second becomes two, as the background has to wait for its turn on a machine that is busy.
PROMISED_S = {"background": 2.0, "always": 0.0}
#: How long each client rests between two things that it does, in seconds. Chosen: hundreds of requests a second of all
#: together write with nearly each moment, and what they have done is soon done again beside the server.
_PAUSE_S = 0.02


class Lives:
    """A server, its clients, and what they know."""

    def __init__(self, seed, store: Path, sync="background"):
        self._random, self._store = Random(seed), store
        self._options = ["--store", f"sqlite:{store}", "--store-sync", sync]
        self._promised_s = PROMISED_S[sync]
        self._receiver = WebhookReceiver()
        mirror = create_app(Settings()).test_client()
        self._clients = [
            *(
                History(mirror, f"history-{number}", self._random.getrandbits(16), pause_s=_PAUSE_S)
                for number in range(3)
            ),
            Crowd("crowd", pause_s=_PAUSE_S),
            Promises("promises", self._receiver, pause_s=_PAUSE_S),
        ]
        #: Whether what was acknowledged at a moment has to be there after the last kill.
        self._promised = lambda moment: True
        #: How old the oldest changes were, in seconds, that were gone after a kill.
        self.longest_gone_s = 0.0

    def live(self, moment: Moment):
        """One start, what is held after it, and load until a moment."""
        with self._server() as server:
            if moment.kind == "start":
                moment.come(server, self._store)
                return
            self._check(server.root)
            with self._load(server.root):
                moment.come(server, self._store)
                died_at = server.kill()
        promised_s = 0 if moment.kind == "end" else self._promised_s
        self._promised = lambda acknowledged: acknowledged < died_at - promised_s
        self._died_at = died_at

    def come_to_rest(self):
        """A last start, and what is held after it."""
        with self._server() as server:
            self._check(server.root)

    def _server(self):
        return ServerProcess(*self._options)

    def _check(self, root):
        for client in self._clients:
            gone = client.check(root, self._promised)
            if gone is not None:
                self.longest_gone_s = max(self.longest_gone_s, self._died_at - gone)

    @contextmanager
    def _load(self, root):
        """All clients at once, each in a thread."""
        over = threading.Event()
        with ThreadPoolExecutor(len(self._clients)) as pool:
            played = [pool.submit(client.play, root, over) for client in self._clients]
            try:
                yield
            finally:
                over.set()
        for one in played:
            one.result()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._receiver.close()
