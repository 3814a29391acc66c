"""The lives of servers of one store, one of which is killed again and again, and what is held after each death."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from random import Random

from cluster import SharingServer
from storage.crowd import Crowd
from storage.history import History
from storage.moments import Moment
from storage.promises import Promises
from webhook_receiver import WebhookReceiver

from mockserver import Settings, create_app

#: How long each client rests between two things that it does, in seconds. Chosen: hundreds of requests a second of all
#: together write with nearly each moment, and what they have done is soon done again beside the servers.
_PAUSE_S = 0.02


class Lives:
    """Servers, their clients, and what they know."""

    def __init__(self, seed, place, folder):
        self._random, self._place = Random(seed), place
        self._servers = [SharingServer(place.url, folder) for _ in range(place.count)]
        self._roots = [server.url for server in self._servers]
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
        self._dead, self._keeps_reads = list(self._servers), True

    def live(self, moment: Moment):
        """Start whoever is dead; hold what has to be there; then a load, until one is killed at a moment."""
        for server in self._dead:
            server.start()
        victim = self._random.choice(self._dead if moment.kind == "start" else self._servers)
        if moment.kind == "start":
            moment.come(victim, self._place.path)
        else:
            self._check()
            with self._load():
                moment.come(victim, self._place.path)
                victim.kill()
            self._keeps_reads = self._place.keeps_reads or moment.kind == "end"
        victim.kill()
        self._dead = [victim]

    def come_to_rest(self):
        """A last start, and what is held after it."""
        for server in self._dead:
            server.start()
        self._check()

    def _check(self):
        for server in self._servers:
            server.wait()
        for client in self._clients:
            client.check(self._roots, keeps_reads=self._keeps_reads)

    @contextmanager
    def _load(self):
        """All clients at once, each in a thread."""
        over = threading.Event()
        with ThreadPoolExecutor(len(self._clients)) as pool:
            played = [pool.submit(client.play, self._roots, over) for client in self._clients]
            try:
                yield
            finally:
                over.set()
        for one in played:
            one.result()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with ExitStack() as stack:
            stack.callback(self._receiver.close)
            for server in self._servers:
                stack.callback(server.told)
                stack.callback(server.close)
